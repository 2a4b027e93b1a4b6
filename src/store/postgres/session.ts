/**
 * A connection that stands for this process: while it is there, it holds a session lock on its key, so that others see by a lock that is
 * free that the process is gone, however it ended; and it hears what is sent to that key.
 */
import { randomInt } from 'node:crypto'
import type { Database } from './connect.ts'

export interface Session {
  readonly key: number
  /** Resolves when it is gone, whoever ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Keys are larger than those of other locks, and small enough to be numbers. */
const FIRST_KEY = 2 ** 40

export async function openSession(database: Database, heard: (message: string) => void): Promise<Session> {
  const client = await database.dedicated()
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // 'end' follows.
  client.on('error', () => {})
  client.on('notification', ({ payload }) => heard(payload ?? ''))
  const key = FIRST_KEY + randomInt(2 ** 47)
  try {
    await client.query('SET idle_session_timeout = 0')
    await client.query('SELECT pg_advisory_lock($1)', [key])
    await client.query(`LISTEN thinkon_${key}`)
  } catch (thrown) {
    await client.end().catch(() => {})
    throw database.error(thrown)
  }
  return { key, ended, close: () => client.end() }
}
