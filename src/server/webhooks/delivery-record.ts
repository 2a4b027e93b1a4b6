/**
 * Webhook deliveries, their state, and the runs that are watched: in a file of SQLite, or in the PostgreSQL of a cluster.
 *
 * 1. An event is recorded once for each receiver, whichever process finds it.
 * 2. Of several processes one makes an attempt: whoever claims it. A claim lapses, so that a dead process holds nothing up.
 * 3. What was delivered or given up is kept for a while, without its body.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Executes a statement with parameters `$1`, `$2` …; resolves to the rows. */
export type RecordQuery = (text: string, values?: readonly (string | number | null)[]) => Promise<unknown[]>

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** A delivery as people see it. */
export interface WebhookDelivery {
  /** The `webhook-id`. */
  readonly id: string
  readonly type: string
  readonly run: string
  /** Where to, without path and query: they may hold a key. */
  readonly receiver: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: string
  /** When it is tried again. */
  readonly nextAt?: string
  /** When it was delivered or given up. */
  readonly doneAt?: string
  /** What the last attempt came to. */
  readonly lastStatus?: number
  readonly lastError?: string
}

export interface NewDelivery {
  readonly id: string
  /** Which receiver, and where it is for people. */
  readonly receiver: string
  readonly address: string
  readonly type: string
  readonly run: string
  readonly body: string
}

export interface PendingDelivery {
  readonly id: string
  readonly type: string
  readonly run: string
  readonly body: string
  /** So many have been made. */
  readonly attempts: number
  readonly nextMs: number
}

export interface Attempted {
  readonly state: DeliveryState
  /** Of one that is still pending. */
  readonly nextMs?: number
  readonly status?: number | undefined
  readonly error?: string | null
}

export interface DeliveryRecord {
  /** False if it is there already. */
  add(delivery: NewDelivery, nowMs: number): Promise<boolean>
  /** Those of a receiver that are due first, also in the future. */
  next(receiver: string, limit: number): Promise<PendingDelivery[]>
  /** Counts an attempt, and nobody else makes one before `untilMs`. False if somebody else was faster. */
  claim(receiver: string, delivery: PendingDelivery, untilMs: number): Promise<boolean>
  settle(receiver: string, id: string, attempted: Attempted, nowMs: number): Promise<void>
  /** Gives up all that is pending. */
  giveUp(receiver: string, error: string, nowMs: number): Promise<void>
  /** The newest first. */
  list(limit: number): Promise<WebhookDelivery[]>
  /** Runs of which something may be left to tell. */
  watched(): Promise<string[]>
  watch(run: string): Promise<void>
  unwatch(run: string): Promise<void>
  /** A time that is kept; made of `first` if there is none yet. */
  mark(name: string, first: number): Promise<number>
  setMark(name: string, value: number): Promise<void>
  /** Forgets what is older. */
  forget(beforeMs: number): Promise<void>
  close(): Promise<void>
}

export interface RecordPlace {
  readonly query: RecordQuery
  /** What stands before the names of tables, such as `thinkon.`. */
  readonly prefix: string
  close(): void | Promise<void>
}

export async function openDeliveryRecord({ query, prefix, close }: RecordPlace): Promise<DeliveryRecord> {
  const [deliveries, runs, marks] = [
    `${prefix}webhook_deliveries`,
    `${prefix}webhook_runs`,
    `${prefix}webhook_marks`,
  ]
  await makeTables(query, { deliveries, runs, marks })
  return {
    async add({ id, receiver, address, type, run, body }, nowMs) {
      const added = await query(
        `INSERT INTO ${deliveries} (id, receiver, address, type, run, body, state, attempts, created_ms, next_ms)
         VALUES ($1, $2, $3, $4, $5, $6, 'pending', 0, $7, $7) ON CONFLICT DO NOTHING RETURNING id`,
        [id, receiver, address, type, run, body, nowMs],
      )
      return added.length > 0
    },
    async next(receiver, limit) {
      const rows = await query(
        `SELECT id, type, run, body, attempts, next_ms FROM ${deliveries}
         WHERE receiver = $1 AND state = 'pending' ORDER BY next_ms, created_ms LIMIT $2`,
        [receiver, limit],
      )
      return (rows as Row[]).map(pendingOf)
    },
    async claim(receiver, { id, attempts, nextMs }, untilMs) {
      const claimed = await query(
        `UPDATE ${deliveries} SET attempts = attempts + 1, next_ms = $1
         WHERE id = $2 AND receiver = $3 AND state = 'pending' AND attempts = $4 AND next_ms = $5 RETURNING id`,
        [untilMs, id, receiver, attempts, nextMs],
      )
      return claimed.length > 0
    },
    async settle(receiver, id, { state, nextMs, status, error }, nowMs) {
      const isDone = state !== 'pending'
      await query(
        `UPDATE ${deliveries} SET state = $1, next_ms = $2, done_ms = $3, last_status = $4, last_error = $5
         ${isDone ? ', body = NULL' : ''} WHERE id = $6 AND receiver = $7 AND state = 'pending'`,
        [state, nextMs ?? null, isDone ? nowMs : null, status ?? null, error ?? null, id, receiver],
      )
    },
    async giveUp(receiver, error, nowMs) {
      await query(
        `UPDATE ${deliveries} SET state = 'failed', next_ms = NULL, done_ms = $1, last_error = $2, body = NULL
         WHERE receiver = $3 AND state = 'pending'`,
        [nowMs, error, receiver],
      )
    },
    async list(limit) {
      const rows = await query(
        `SELECT id, type, run, address, state, attempts, created_ms, next_ms, done_ms, last_status, last_error
         FROM ${deliveries} ORDER BY created_ms DESC, id LIMIT $1`,
        [limit],
      )
      return (rows as Row[]).map(deliveryOf)
    },
    async watched() {
      return ((await query(`SELECT run FROM ${runs}`)) as Row[]).map(({ run }) => String(run))
    },
    async watch(run) {
      await query(`INSERT INTO ${runs} (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
    },
    async unwatch(run) {
      await query(`DELETE FROM ${runs} WHERE run = $1`, [run])
    },
    async mark(name, first) {
      await query(`INSERT INTO ${marks} (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [name, first])
      const [row] = (await query(`SELECT value FROM ${marks} WHERE name = $1`, [name])) as Row[]
      return Number(row?.value)
    },
    async setMark(name, value) {
      await query(`UPDATE ${marks} SET value = $1 WHERE name = $2`, [value, name])
    },
    async forget(beforeMs) {
      await query(`DELETE FROM ${deliveries} WHERE created_ms < $1 AND (next_ms IS NULL OR next_ms < $1)`, [
        beforeMs,
      ])
    },
    close: async () => close(),
  }
}

type Row = Readonly<Record<string, string | number | null>>

function pendingOf({ id, type, run, body, attempts, next_ms }: Row): PendingDelivery {
  return {
    id: String(id),
    type: String(type),
    run: String(run),
    body: String(body),
    attempts: Number(attempts),
    nextMs: Number(next_ms),
  }
}

function deliveryOf(row: Row): WebhookDelivery {
  const { next_ms, done_ms, last_status, last_error } = row
  return {
    id: String(row.id),
    type: String(row.type),
    run: String(row.run),
    receiver: String(row.address),
    state: row.state as DeliveryState,
    attempts: Number(row.attempts),
    createdAt: isoOf(row.created_ms),
    ...(next_ms !== null && { nextAt: isoOf(next_ms) }),
    ...(done_ms !== null && { doneAt: isoOf(done_ms) }),
    ...(last_status !== null && { lastStatus: Number(last_status) }),
    ...(last_error !== null && { lastError: String(last_error) }),
  }
}

function isoOf(ms: string | number | null | undefined): string {
  return new Date(Number(ms)).toISOString()
}

type Tables = Readonly<Record<'deliveries' | 'runs' | 'marks', string>>

const MOST_TRIES = 5
const TRY_AGAIN_MS = 100

/**
 * Once they are there, no right to make tables is needed. Of processes that make them at the same time PostgreSQL fails all but one, whatever
 * `IF NOT EXISTS` says: they look again.
 */
async function makeTables(query: RecordQuery, tables: Tables): Promise<void> {
  for (let tries = 1; !(await areThere(query, tables)); tries++) {
    try {
      for (const statement of statementsFor(tables)) await query(statement)
    } catch (thrown) {
      if (tries === MOST_TRIES) throw thrown
      await pause(TRY_AGAIN_MS * tries)
    }
  }
}

async function areThere(query: RecordQuery, { deliveries, runs, marks }: Tables): Promise<boolean> {
  try {
    for (const table of [marks, runs, deliveries]) await query(`SELECT 1 FROM ${table} LIMIT 0`)
    return true
  } catch {
    // There is no such table; whatever else is wrong shows when it is made.
    return false
  }
}

function statementsFor({ deliveries, runs, marks }: Tables): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${marks} (name TEXT PRIMARY KEY, value BIGINT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${runs} (run TEXT PRIMARY KEY)`,
    `CREATE TABLE IF NOT EXISTS ${deliveries} (
       id TEXT NOT NULL, receiver TEXT NOT NULL, address TEXT NOT NULL, type TEXT NOT NULL, run TEXT NOT NULL, body TEXT,
       state TEXT NOT NULL, attempts INTEGER NOT NULL, created_ms BIGINT NOT NULL, next_ms BIGINT, done_ms BIGINT,
       last_status INTEGER, last_error TEXT, PRIMARY KEY (receiver, id))`,
    `CREATE INDEX IF NOT EXISTS webhook_deliveries_due ON ${deliveries} (receiver, state, next_ms)`,
    `CREATE INDEX IF NOT EXISTS webhook_deliveries_created ON ${deliveries} (created_ms)`,
  ]
}
