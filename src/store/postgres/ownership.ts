/**
 * Which owners are alive. Each process that owns runs holds a session lock on its key, on a connection of its own: PostgreSQL releases it
 * when the process dies, and keeps it while the process is only stopped.
 *
 * If the connection breaks while the process lives, others may take its runs over. Epochs keep the journal safe then; the process locks its
 * key again before it next writes.
 */
import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import type { Client } from 'pg'
import type { Database } from './connect.ts'
import { asBusy } from './errors.ts'

export interface Ownership {
  /** What the store has as the owner of a run. */
  readonly key: number
  /** For people. */
  readonly name: string
  /** Resolves when the lock is held; at once if it is already. */
  hold(): Promise<void>
  close(): Promise<void>
}

/** Keys of owners are larger than those of other locks, and small enough to be numbers. */
const FIRST_KEY = 2 ** 40
/** After so many seconds PostgreSQL asks whether a machine that says nothing is still there. */
const KEEP_ALIVE_S = 15

export function ownership(database: Database): Ownership {
  const key = FIRST_KEY + randomInt(2 ** 47)
  let held: Promise<Client> | null = null

  async function lock(lost: () => void): Promise<Client> {
    const client = await database.dedicated()
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.query(SETTINGS)
      await client.query('SELECT pg_advisory_lock($1)', [key])
      return client
    } catch (thrown) {
      void client.end().catch(() => {})
      throw asBusy(database.error(thrown))
    }
  }

  function lockAgain(): Promise<Client> {
    const lost = () => {
      if (held === locking) held = null
    }
    const locking = lock(lost)
    locking.catch(lost)
    return locking
  }

  return {
    key,
    name: `process ${process.pid} on ${hostname()}`,
    async hold() {
      held ??= lockAgain()
      await held
    },
    async close() {
      const client = await held?.catch(() => null)
      held = null
      await client?.end().catch(() => {})
    },
  }
}

const SETTINGS = `
SET idle_session_timeout = 0;
SET tcp_keepalives_idle = ${KEEP_ALIVE_S};
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3`

/** The keys of owners that live. */
export const LIVING = `(
  SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND mode = 'ExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)`

/** Whether the owner that is named is dead. Until the transaction ends, it can't come back. */
export const isDead = (owner: string) => `pg_try_advisory_xact_lock_shared(${owner})`
