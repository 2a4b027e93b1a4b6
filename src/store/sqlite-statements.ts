/** What the store asks of its database. */
import type { DatabaseSync } from 'node:sqlite'
import { ASKS } from './sqlite-questions.ts'

/** The key of a row combines its run's number and the seq of its last event in one integer: the table is in journal order. */
export const SEQ_RANGE = 2 ** 31

/**
 * The number of a new run: one that no run had, and that nothing in the store is about. A store that came from elsewhere may have answers
 * for the run that comes next, or the beginning of its journal.
 */
export const NEXT_RUN = `(
  SELECT 1 + max(
    last_run,
    (SELECT coalesce(max(no), 0) FROM runs),
    (SELECT coalesce(max(run), 0) FROM inbox),
    (SELECT coalesce(max(run), 0) FROM questions),
    (SELECT coalesce(max(id), 0) / ${SEQ_RANGE} FROM events)
  ) FROM housekeeping
)`

/** The key and the signature of a run's last row. */
export const LAST_KEY = 'SELECT max(id) AS id, signature FROM events WHERE id > ? AND id < ?'

/** The largest key of the run whose number is `no`. */
export const LAST_ID = `(SELECT max(id) FROM events WHERE id > no * ${SEQ_RANGE} AND id < (no + 1) * ${SEQ_RANGE})`

/** In place of the table: how far a run has come is read from its last row. */
export const RUNS = `(
  SELECT no, runs.id, goal, strategy, status, epoch, owner, created, fork_of, crc,
    ${ASKS} AS asks, coalesce(last.id - no * ${SEQ_RANGE}, 0) AS seq, coalesce(last.at, created) AS changed
  FROM runs LEFT JOIN (SELECT id, at FROM events) AS last ON last.id = ${LAST_ID}
) AS runs`

export const READ_EVENTS =
  'SELECT id, at, type, path, crc, body FROM events WHERE id BETWEEN ? AND ? ORDER BY id'

/** With signatures. */
export const READ_SIGNED =
  'SELECT id, at, type, path, signature, body FROM events WHERE id BETWEEN ? AND ? ORDER BY id'

/** The row that has the event with this key, if its run has it. */
export const ROW_FROM =
  'SELECT id, at, type, path, crc, body FROM events WHERE id >= ? AND id < ? ORDER BY id LIMIT 1'

export function prepare(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  return {
    begin: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    rollback: statement('ROLLBACK'),
    lastKey: statement(LAST_KEY),
    insertRow: statement(
      'INSERT INTO events (id, at, type, path, signature, crc, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    /** Nothing, if the run has another epoch. */
    insertOwned: statement(
      `INSERT INTO events (id, at, type, path, signature, crc, body) SELECT ?, ?, ?, ?, ?, ?, ?
       FROM runs WHERE no = ? AND epoch = ?`,
    ),
    rowFrom: statement(ROW_FROM),
    copyEvents: statement(
      `INSERT INTO events (id, at, type, path, crc, body)
       SELECT id + ?, at, type, path, crc, body FROM events WHERE id BETWEEN ? AND ?`,
    ),
    readSigned: statement(READ_SIGNED),
    sign: statement('UPDATE events SET signature = ? WHERE id = ?'),
    runById: statement('SELECT no, id, goal, strategy, created, fork_of, crc FROM runs WHERE id = ?'),
    leastSeq: statement('SELECT least_seq AS seq FROM runs WHERE no = ?'),
    raiseLeastSeq: statement('UPDATE runs SET least_seq = max(least_seq, ?) WHERE no = ?'),
    run: statement(`SELECT * FROM ${RUNS} WHERE no = ?`),
    createRun: statement(
      `INSERT INTO runs (no, id, goal, strategy, status, epoch, owner, created, fork_of, crc)
       VALUES (${NEXT_RUN}, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
    ),
    setStatus: statement('UPDATE runs SET status = ?, least_seq = max(least_seq, ?) WHERE no = ?'),
    owner: statement('SELECT owner, epoch FROM runs WHERE no = ?'),
    takeOver: statement('UPDATE runs SET owner = ?, epoch = epoch + 1 WHERE no = ? AND epoch = ?'),
    release: statement(
      'UPDATE runs SET owner = NULL, least_seq = max(least_seq, ?) WHERE no = ? AND epoch = ?',
    ),
    nextNumber: statement(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM inbox WHERE run = ? AND path = ? AND name = ?',
    ),
    send: statement(
      'INSERT INTO inbox (run, path, name, number, value, at, signature, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    pending: statement(
      'SELECT path, name, number, value, signature, crc FROM inbox WHERE run = ? AND taken = 0 ORDER BY id',
    ),
    takeSignal: statement(
      'UPDATE inbox SET taken = 1, crc = -1 - crc WHERE run = ? AND path = ? AND name = ? AND number = ?',
    ),
    version: statement('PRAGMA data_version'),
  }
}

export type Statements = ReturnType<typeof prepare>
