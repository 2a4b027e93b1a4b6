/**
 * The SQLite store, shared by the processes of one machine (see SharedStore): the same events table as everywhere, one event a row, plus an
 * index of records and the host's notes. Those tables are created here, so that a local host does not pay for them.
 *
 * 1. A transaction takes the write lock first: no other process can write what it has looked for before it ends.
 * 2. `seq` follows the run's last row inside the transaction: no gaps, in order, whoever writes.
 * 3. The run's epoch must be the one it was shared with: a local host that takes the run over raises it.
 */
import { DatabaseSync } from 'node:sqlite'
import {
  type Draft,
  type NewRun,
  type RecordKind,
  type SharedStore,
  type SharedTransaction,
  statusAfter,
  unknownRun,
} from '../kernel/store.ts'
import { type Event, ThinkonError } from '../protocol/index.ts'
import { EventCodec, type EventRow } from './event-codec.ts'
import { type SqliteOptions, sqliteStore } from './sqlite.ts'
import { withStoreErrors } from './sqlite-errors.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-open.ts'
import { LAST_SEQ, NEXT_RUN, ROW_FROM, SEQ_RANGE, signalOf } from './sqlite-statements.ts'

const TABLES = `
CREATE TABLE IF NOT EXISTS shared_runs (run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS shared_records (
  run INTEGER NOT NULL, path TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (run, path, n, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shared_notes (
  run INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, key)
) WITHOUT ROWID;
`

export function sqliteSharedStore(path: string, options: Omit<SqliteOptions, 'readOnly'> = {}): SharedStore {
  const store = sqliteStore(path, options)
  const full = options.synchronous !== 'normal'
  const database = withStoreErrors(path, () => open(path))
  const sql = withStoreErrors(path, () => prepare(database))
  const codec = new EventCodec({
    put: (hash, body) => void sql.putBlob.run(hash, body),
    get: (hash) => (sql.getBlob.get(hash) as { body: string | Uint8Array }).body,
    row: (key) => sql.rowFrom.get(key) as unknown as EventRow,
  })

  let sweeps = 0

  function viewOf(id: string, no: number): SharedTransaction {
    const eventAt = (seq: number): Event => {
      const row = sql.rowFrom.get(no * SEQ_RANGE + seq) as unknown as EventRow
      return codec.decode(id, row, seq)[0] as Event
    }
    const last = () =>
      sql.lastSeq.get(no * SEQ_RANGE, (no + 1) * SEQ_RANGE) as { seq: number; sweeps: number }
    return {
      get seq() {
        return last().seq
      },
      find(at, n, kind) {
        const row = sql.record.get(no, at, n, kind) as { seq: number } | undefined
        return row === undefined ? null : eventAt(row.seq)
      },
      note<T>(key: string) {
        const row = sql.note.get(no, key) as { value: string } | undefined
        return row === undefined ? null : (JSON.parse(row.value) as T)
      },
      setNote: (key, value) => void sql.setNote.run(no, key, JSON.stringify(value)),
      pending: () => sql.pending.all(no).map((row) => signalOf(row as never)),
      nextNumber: (to, name) => (sql.nextNumber.get(no, to, name) as { number: number }).number,
      append(draft, at) {
        const { seq: before, sweeps: now } = last()
        // Texts that this process has stored may have been deleted since (see sweep-store.ts).
        if (now !== sweeps) codec.forget()
        sweeps = now
        insert(no, before + 1, draft, at)
        return eventAt(before + 1)
      },
    }
  }

  function insert(
    no: number,
    seq: number,
    draft: Draft,
    at?: { path: string; n: number; kind: RecordKind },
  ): void {
    for (const { at, type, path, body, blob } of codec.encode(no, seq, [draft])) {
      sql.insertEvent.run(no * SEQ_RANGE + seq, at, type, path, body, blob)
    }
    if (at !== undefined) sql.insertRecord.run(no, at.path, at.n, at.kind, seq)
    const status = statusAfter(draft)
    if (status !== null) sql.setStatus.run(status, no)
    else if (draft.type === 'signal-taken') sql.takeSignal.run(no, draft.to, draft.name, draft.number)
    else if (draft.type === 'signal-answered') sql.takeSignal.run(no, draft.path, draft.name, draft.number)
  }

  /** The run's number, if it is shared and nobody has taken it over. */
  function numberOf(id: string): number {
    const row = sql.shared.get(id) as { no: number; epoch: number; shared: number | null } | undefined
    if (row === undefined) throw unknownRun(id)
    if (row.shared === null) {
      throw new ThinkonError('BAD_INPUT', `run ${id} was started by a local host: continue it there`)
    }
    if (row.epoch === row.shared) return row.no
    throw new ThinkonError(
      'OWNERSHIP_LOST',
      `run ${id} was taken over by a local host; the cluster has stopped`,
    )
  }

  function create({ id, goal, strategy }: NewRun): string {
    const now = Date.now()
    const made = sql.createRun.run(id, JSON.stringify(goal), strategy, now)
    if (Number(made.changes) === 1) sql.share.run(id)
    return id
  }

  return {
    ...store,
    peek: (id, action) => withStoreErrors(path, () => action(viewOf(id, numberOf(id)))),
    transact(run, action, flush = false) {
      return withStoreErrors(path, () => {
        database.exec(`PRAGMA synchronous = ${full && flush ? 'FULL' : 'NORMAL'}`)
        sql.begin.run()
        try {
          const id = typeof run === 'string' ? run : create(run)
          const value = action(viewOf(id, numberOf(id)))
          sql.commit.run()
          return value
        } catch (error) {
          codec.forget()
          if (database.isTransaction) database.exec('ROLLBACK')
          throw error
        }
      })
    },
    close() {
      if (database.isOpen) database.close()
      store.close()
    },
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`)
  return database
}

function prepare(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  return {
    begin: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    shared: statement(
      'SELECT no, runs.epoch, shared_runs.epoch AS shared FROM runs LEFT JOIN shared_runs ON run = no WHERE id = ?',
    ),
    createRun: statement(
      `INSERT OR IGNORE INTO runs (no, id, goal, strategy, created) VALUES (${NEXT_RUN}, ?, ?, ?, ?)`,
    ),
    share: statement('INSERT INTO shared_runs SELECT no, epoch FROM runs WHERE id = ?'),
    lastSeq: statement(LAST_SEQ),
    setStatus: statement('UPDATE runs SET status = ? WHERE no = ?'),
    rowFrom: statement(ROW_FROM),
    insertEvent: statement('INSERT INTO events (id, at, type, path, body, blob) VALUES (?, ?, ?, ?, ?, ?)'),
    putBlob: statement('INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)'),
    getBlob: statement('SELECT body FROM blobs WHERE hash = ?'),
    record: statement('SELECT seq FROM shared_records WHERE run = ? AND path = ? AND n = ? AND kind = ?'),
    insertRecord: statement('INSERT INTO shared_records (run, path, n, kind, seq) VALUES (?, ?, ?, ?, ?)'),
    note: statement('SELECT value FROM shared_notes WHERE run = ? AND key = ?'),
    setNote: statement('INSERT OR REPLACE INTO shared_notes (run, key, value) VALUES (?, ?, ?)'),
    nextNumber: statement(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM inbox WHERE run = ? AND path = ? AND name = ?',
    ),
    pending: statement('SELECT path, name, number, value FROM inbox WHERE run = ? AND taken = 0 ORDER BY id'),
    takeSignal: statement(
      'UPDATE inbox SET taken = 1 WHERE run = ? AND path = ? AND name = ? AND number = ?',
    ),
  }
}
