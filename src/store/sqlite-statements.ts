/** What the store asks of its database, and rows as the port has them. */
import type { DatabaseSync } from 'node:sqlite'
import type { RowStatus, RunRow } from '../kernel/store.ts'
import type { Signal } from '../protocol/index.ts'

/** An event's key combines its run's number and its seq in one integer, so that the table is in journal order. */
export const SEQ_RANGE = 2 ** 31

/** The number of a new run: one that no run had. */
export const NEXT_RUN =
  '(SELECT 1 + max(last_run, (SELECT coalesce(max(no), 0) FROM runs)) FROM housekeeping)'

/** Whether blobs were deleted since a process last looked: see sweep-store.ts. */
export const SWEEPS = '(SELECT sweeps FROM housekeeping) AS sweeps'

export const READ_EVENTS =
  'SELECT id, at, type, path, body, blob FROM events WHERE id BETWEEN ? AND ? ORDER BY id'

export function prepare(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  return {
    begin: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    advance: statement(
      `UPDATE runs SET seq = seq + ?, changed = ? WHERE no = ? AND epoch = ? RETURNING seq, ${SWEEPS}`,
    ),
    sweeps: statement(`SELECT ${SWEEPS}`),
    insertEvent: statement('INSERT INTO events (id, at, type, path, body, blob) VALUES (?, ?, ?, ?, ?, ?)'),
    copyEvents: statement(
      'INSERT INTO events SELECT id + ?, at, type, path, body, blob FROM events WHERE id BETWEEN ? AND ?',
    ),
    putBlob: statement('INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)'),
    getBlob: statement('SELECT body FROM blobs WHERE hash = ?'),
    runNumber: statement('SELECT no FROM runs WHERE id = ?'),
    run: statement('SELECT * FROM runs WHERE no = ?'),
    createRun: statement(
      `INSERT INTO runs (no, id, goal, strategy, epoch, owner, created, changed, fork_of)
       VALUES (${NEXT_RUN}, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    setStatus: statement('UPDATE runs SET status = ? WHERE no = ?'),
    owner: statement('SELECT owner, epoch FROM runs WHERE no = ?'),
    takeOver: statement('UPDATE runs SET owner = ?, epoch = epoch + 1 WHERE no = ? AND epoch = ?'),
    release: statement('UPDATE runs SET owner = NULL WHERE no = ? AND epoch = ?'),
    nextNumber: statement(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM inbox WHERE run = ? AND path = ? AND name = ?',
    ),
    send: statement('INSERT INTO inbox (run, path, name, number, value, at) VALUES (?, ?, ?, ?, ?, ?)'),
    pending: statement('SELECT path, name, number, value FROM inbox WHERE run = ? AND taken = 0 ORDER BY id'),
    takeSignal: statement(
      'UPDATE inbox SET taken = 1 WHERE run = ? AND path = ? AND name = ? AND number = ?',
    ),
    version: statement('PRAGMA data_version'),
  }
}

export interface StoredRun {
  id: string
  goal: string
  strategy: string
  status: RowStatus
  seq: number
  owner: string | null
  created: number
  changed: number
  fork_of: string | null
}

export function rowOf(row: StoredRun, owned: boolean): RunRow {
  return {
    id: row.id,
    goal: JSON.parse(row.goal),
    strategy: row.strategy,
    status: row.status,
    seq: row.seq,
    createdAt: new Date(row.created).toISOString(),
    changedAt: new Date(row.changed).toISOString(),
    forkOf: row.fork_of,
    owned,
  }
}

export function signalOf(row: { path: string; name: string; number: number; value: string }): Signal {
  return { path: row.path, name: row.name, number: row.number, value: JSON.parse(row.value) }
}
