/**
 * This process as an owner of runs: a session that holds its lock, renews its heartbeat and hears of signals (see owners.ts).
 *
 * 1. If the session breaks, the key is locked again at once; until then nothing is written. Other processes may take its runs meanwhile.
 * 2. `lost` is called for each run that another process has taken over, at the latest with the next heartbeat.
 * 3. `signalled` is called for runs with new signals: by a notification, or by the look that follows every second.
 */
import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import type { Client } from 'pg'
import type { OwnerListener } from '../../kernel/store.ts'
import type { Database } from './connect.ts'
import { asBusy } from './errors.ts'
import { BEAT, BEAT_MS, END_OWNER, FRESH } from './owners.ts'

/** A table with the key of one worker that lives, if there is one: each time another. */
export const ANY_WORKER = `(
  SELECT key FROM thinkon.owners WHERE has IS NOT NULL AND ${FRESH} ORDER BY random() LIMIT 1
)`

/** A column of a statement that has made a run due: wakes some worker when it is committed. */
export const NOTIFY_WORKER = `(SELECT pg_notify('thinkon_' || worker.key, '')::text FROM ${ANY_WORKER} AS worker) AS notified`

/** Updates the row of a run when a signal is sent: a run that rests is due at once. */
export const SIGNAL_RUN = `version = version + 1, signals = signals + 1,
  wake = CASE WHEN host = 'cluster' AND owner IS NULL AND status IN ('running', 'waiting') THEN 0 ELSE wake END,
  told = CASE WHEN owner IS NULL THEN NULL ELSE told END`

/** A column of a statement that has sent a signal to the run $1: wakes its owner, or some worker, when it is committed. Needs `run (owner, wake)`. */
export const NOTIFY_OWNER = `(
  SELECT pg_notify('thinkon_' || heard.key, CASE WHEN run.owner IS NULL THEN '' ELSE $1 END)::text
  FROM (
    SELECT run.owner AS key WHERE run.owner IS NOT NULL
    UNION ALL SELECT key FROM ${ANY_WORKER} AS worker WHERE run.owner IS NULL AND run.wake IS NOT NULL
  ) AS heard
) AS notified`

export interface Ownership {
  /** The owner of its runs, as the store records it. */
  readonly key: number
  /** For people. */
  readonly name: string
  /** The runs of this process, with the epochs that it writes with. */
  readonly epochs: Map<string, number>
  /** What runs need that it has worked on: the version of its configuration. */
  version: string | undefined
  /** Resolves when the lock is held; at once if it is already. */
  hold(): Promise<void>
  /** Returns how to stop listening. */
  listen(listener: OwnerListener): () => void
  /** Calls back when a run without an owner has become due, if this process is a worker. */
  onDue(called: () => void): () => void
  close(): Promise<void>
}

interface Session {
  readonly client: Client
  /** Gives the session up, and locks the key again on another one. */
  lost(): void
}

/** Keys of owners are larger than those of other locks, and small enough to be numbers. */
const FIRST_KEY = 2 ** 40
/** After this time without traffic PostgreSQL checks whether the process's machine is still there. */
const KEEP_ALIVE_S = 5
const LOCK_AGAIN_MS = 100
const LOOK_MS = 1_000

export function ownership(database: Database): Ownership {
  const key = FIRST_KEY + randomInt(2 ** 47)
  const name = `process ${process.pid} on ${hostname()}`
  const epochs = new Map<string, number>()
  const listeners = new Set<OwnerListener>()
  const dueListeners = new Set<() => void>()
  let held: Promise<Session> | null = null
  let timers: NodeJS.Timeout[] = []
  let isClosed = false

  function lock(): Promise<Session> {
    const locking: Promise<Session> = openSession(() => {
      if (held !== locking) return
      held = null
      if (!isClosed && epochs.size > 0) setTimeout(lockAgain, LOCK_AGAIN_MS).unref()
    })
    return locking
  }

  /** Other processes take the runs over unless the lock is held again soon. */
  function lockAgain(): void {
    if (!isClosed) held ??= lock()
    held?.catch(() => {})
  }

  async function openSession(lost: () => void): Promise<Session> {
    const client = await database.dedicated().catch((thrown) => {
      lost()
      throw thrown
    })
    const session = {
      client,
      lost() {
        lost()
        void client.end().catch(() => {})
      },
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload }) => tell(payload ?? ''))
    try {
      await client.query(SETTINGS)
      await client.query('SELECT pg_advisory_lock($1)', [key])
      await client.query(`LISTEN thinkon_${key}`)
      await beat(client)
      return session
    } catch (thrown) {
      session.lost()
      throw asBusy(database.error(thrown))
    }
  }

  async function beat(client: Client): Promise<void> {
    await client.query({ text: BEAT, values: [key, name], name: 'beat' })
  }

  /** A session that does not answer before the next heartbeat is given up. */
  async function renew(): Promise<void> {
    const session = await held
    if (session === null) return
    const timer = setTimeout(session.lost, BEAT_MS)
    await beat(session.client).finally(() => clearTimeout(timer))
    await findLost()
  }

  async function findLost(): Promise<void> {
    if (epochs.size === 0 || listeners.size === 0) return
    const lost = await database.query<{ id: string; epoch: number }>(
      LOST,
      [[...epochs.keys()], [...epochs.values()]],
      'lost runs',
    )
    for (const { id, epoch } of lost)
      if (epochs.get(id) === epoch) for (const listener of listeners) listener.lost(id)
  }

  /** Notifications may be lost. */
  async function look(): Promise<void> {
    if (listeners.size === 0 || epochs.size === 0) return
    const waiting = await database.query<{ id: string }>(SIGNALLED, [key], 'signalled runs')
    for (const { id } of waiting) tellSignalled(id)
  }

  /** The payload is the id of a run with a new signal; if it is empty, some run is due. */
  function tell(payload: string): void {
    if (payload === '') for (const called of dueListeners) called()
    else tellSignalled(payload)
  }

  function tellSignalled(run: string): void {
    for (const listener of listeners) listener.signalled(run)
  }

  function every(ms: number, action: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => void action().catch(() => {}), ms).unref()
  }

  return {
    key,
    name,
    epochs,
    version: undefined,
    onDue(called) {
      dueListeners.add(called)
      return () => void dueListeners.delete(called)
    },
    async hold() {
      if (timers.length === 0) timers = [every(BEAT_MS, renew), every(LOOK_MS, look)]
      held ??= lock()
      await held
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      const session = await held?.catch(() => null)
      held = null
      await session?.client.query(END_OWNER, [key]).catch(() => {})
      await session?.client.end().catch(() => {})
    },
  }
}

const SETTINGS = `
SET idle_session_timeout = 0;
SET tcp_keepalives_idle = ${KEEP_ALIVE_S};
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3`

const LOST = `
SELECT mine.id, mine.epoch FROM unnest($1::text[], $2::integer[]) AS mine (id, epoch) LEFT JOIN thinkon.runs ON runs.id = mine.id
WHERE runs.epoch IS DISTINCT FROM mine.epoch`

const SIGNALLED = `
SELECT id FROM thinkon.runs WHERE owner = $1 AND EXISTS (SELECT FROM thinkon.inbox WHERE inbox.run = no AND NOT taken)`

/** Whether the owner that is named is dead. Until the transaction ends, it can't come back. */
export const isDead = (owner: string) => `pg_try_advisory_xact_lock_shared(${owner})`
