/**
 * The store on `node:sqlite`: one file, WAL, many readers, one owner for each run.
 *
 * With `synchronous: 'full'` (the default) replies are on disk before anyone sees them, so that they survive a power cut;
 * everything else survives `kill -9`. With `'normal'` replies do, too, and no more.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type Draft,
  editEvent,
  type NewRun,
  type RowStatus,
  type RunRow,
  runExists,
  type Store,
  seqOutOfRange,
  statusAfter,
  unknownRun,
} from '../kernel/store.ts'
import { type Event, type Signal, ThinkonError } from '../protocol/index.ts'
import { EventCodec, type EventRow } from './event-codec.ts'
import { holdOwnerLock, isAlive, type OwnerLock, pidOf, whileDead } from './owner-lock.ts'
import { readError, storeError, withStoreErrors } from './sqlite-errors.ts'

export interface SqliteOptions {
  synchronous?: 'full' | 'normal'
}

/** Written into the file's header: distinguishes a Thinkon store from any other SQLite file. */
const APPLICATION_ID = 0x7448_4e4b
/** 2: messages and texts are stored once (event-codec.ts). What version 1 wrote is read as it is. */
const STORE_VERSION = 2
/** An event's key combines its run's number and its seq in one integer, so that the table is in journal order. */
export const SEQ_RANGE = 2 ** 31
export const BUSY_TIMEOUT_MS = 5_000

const SCHEMA = `
CREATE TABLE runs (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, goal TEXT NOT NULL, strategy TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', seq INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0, owner TEXT, created INTEGER NOT NULL, changed INTEGER NOT NULL, fork_of TEXT
);
CREATE TABLE events (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, path TEXT NOT NULL, body TEXT, blob TEXT
);
CREATE TABLE blobs (hash TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
  value TEXT, at INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0, UNIQUE (run, path, name, number)
);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${STORE_VERSION};
`

export function sqliteStore(path: string, options: SqliteOptions = {}): Store {
  const { database, writable } = withStoreErrors(path, () => open(path))
  const full = options.synchronous !== 'normal'
  const sql = withStoreErrors(path, () => prepare(database))
  const codec = new EventCodec({
    put: (hash, body) => void sql.putBlob.run(hash, body),
    get: (hash) => (sql.getBlob.get(hash) as { body: string | Uint8Array }).body,
  })
  const numbers = new Map<string, number>()
  let lock: OwnerLock | null = null
  let synchronous = ''

  function numberOf(id: string): number {
    const known = numbers.get(id)
    if (known !== undefined) return known
    const row = sql.runNumber.get(id) as { no: number } | undefined
    if (row === undefined) throw unknownRun(id)
    numbers.set(id, row.no)
    return row.no
  }

  function setSynchronous(wanted: 'FULL' | 'NORMAL'): void {
    if (synchronous === wanted) return
    database.exec(`PRAGMA synchronous = ${wanted}`)
    synchronous = wanted
  }

  /** All or nothing. */
  function transaction<T>(action: () => T): T {
    return withStoreErrors(path, () => {
      sql.begin.run()
      try {
        const value = action()
        sql.commit.run()
        return value
      } catch (error) {
        codec.forget()
        numbers.clear()
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    })
  }

  function insert(no: number, seq: number, draft: Draft): void {
    const { body, blob } = codec.encode(no, draft)
    sql.insertEvent.run(no * SEQ_RANGE + seq, draft.atMs, draft.type, draft.path, body, blob)
    const status = statusAfter(draft)
    if (status !== null) sql.setStatus.run(status, no)
    else if (draft.type === 'signal-taken') sql.takeSignal.run(no, draft.to, draft.name, draft.number)
    else if (draft.type === 'signal-answered') sql.takeSignal.run(no, draft.path, draft.name, draft.number)
  }

  function* read(id: string, from = 1, to = SEQ_RANGE - 1): Generator<Event> {
    const no = numberOf(id)
    const first = no * SEQ_RANGE
    try {
      for (const row of database.prepare(READ_EVENTS).iterate(first + from, first + to)) {
        const event = row as unknown as EventRow
        yield codec.decode(id, event, event.id - first)
      }
    } catch (thrown) {
      throw readError(thrown, path)
    }
  }

  function assertNew(id: string): void {
    if (sql.runNumber.get(id) !== undefined) throw runExists(id)
  }

  function ownLock(): OwnerLock {
    if (lock !== null) return lock
    if (!writable) throw storeError({ errcode: SQLITE_READONLY }, path)
    lock = withStoreErrors(path, () => holdOwnerLock(path))
    return lock
  }

  return {
    instant: false,
    create({ id, goal, strategy }: NewRun, first) {
      const { owner } = ownLock()
      transaction(() => {
        assertNew(id)
        sql.createRun.run(id, JSON.stringify(goal), strategy, 1, owner, first.atMs, first.atMs, null)
        const no = numberOf(id)
        sql.advance.get(1, first.atMs, no, 1)
        insert(no, 1, first)
      })
      return 1
    },
    acquire(id) {
      const { owner } = ownLock()
      const no = numberOf(id)
      const was = sql.owner.get(no) as { owner: string | null; epoch: number }
      const takeOver = () => {
        const taken = transaction(() => sql.takeOver.run(owner, no, was.epoch).changes)
        if (Number(taken) !== 1) throw locked(id, 'another process')
      }
      if (was.owner === null || was.owner === owner) takeOver()
      else if (!withStoreErrors(path, () => whileDead(path, was.owner as string, takeOver))) {
        throw locked(id, `process ${pidOf(was.owner)}`)
      }
      return was.epoch + 1
    },
    release(id, epoch) {
      withStoreErrors(path, () => sql.release.run(numberOf(id), epoch))
    },
    append(id, epoch, drafts, flush) {
      const no = numberOf(id)
      withStoreErrors(path, () => setSynchronous(full && flush ? 'FULL' : 'NORMAL'))
      return transaction(() => {
        const count = drafts.length
        const row = sql.advance.get(count, (drafts[count - 1] as Draft).atMs, no, epoch) as
          | { seq: number }
          | undefined
        if (row === undefined) {
          throw new ThinkonError(
            'OWNERSHIP_LOST',
            `run ${id} was taken over by another process; this one has stopped`,
          )
        }
        const first = row.seq - count + 1
        for (let i = 0; i < count; i++) insert(no, first + i, drafts[i] as Draft)
        return first
      })
    },
    has: (id) => withStoreErrors(path, () => sql.runNumber.get(id) !== undefined),
    read,
    list() {
      return withStoreErrors(path, () =>
        sql.list.all().map((row) => rowOf(row as unknown as StoredRun, path)),
      )
    },
    fork(id, at, newId, edit) {
      const no = numberOf(id)
      const run = sql.run.get(no) as unknown as StoredRun
      if (!Number.isInteger(at) || at < 1 || at > run.seq) throw seqOutOfRange(id, at, run.seq)
      const now = Date.now()
      transaction(() => {
        assertNew(newId)
        sql.createRun.run(newId, run.goal, run.strategy, 0, null, now, now, id)
        const made = numberOf(newId)
        const last = edit === undefined ? at : at - 1
        sql.copyEvents.run((made - no) * SEQ_RANGE, no * SEQ_RANGE + 1, no * SEQ_RANGE + last)
        if (edit !== undefined) {
          const [event] = read(id, at, at)
          insert(made, at, draftOf(editEvent(event as Event, edit)))
        }
        sql.advance.get(at + 1, now, made, 0)
        insert(made, at + 1, {
          type: 'run-fork',
          from: id,
          at,
          edited: edit !== undefined,
          path: '1',
          atMs: now,
        })
        sql.setStatus.run('running', made)
      })
    },
    send(id, to, name, value) {
      const no = numberOf(id)
      return transaction(() => {
        const { number } = sql.nextNumber.get(no, to, name) as { number: number }
        sql.send.run(no, to, name, number, JSON.stringify(value ?? null), Date.now())
        return { path: to, name, number, value: value ?? null }
      })
    },
    pending(id) {
      return withStoreErrors(path, () => sql.pending.all(numberOf(id)).map((row) => signalOf(row as never)))
    },
    version() {
      return withStoreErrors(path, () => (sql.version.get() as { data_version: number }).data_version)
    },
    close() {
      lock?.release()
      lock = null
      if (database.isOpen) database.close()
    },
  }
}

function open(path: string): { database: DatabaseSync; writable: boolean } {
  try {
    makeFolder(dirname(path))
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    return { database: checked(database, path, create), writable: true }
  } catch (error) {
    // A store on a read-only disk can still be read; attempts to write fail later.
    const code = (error as { errcode?: number }).errcode
    if ((code !== SQLITE_READONLY && code !== SQLITE_CANTOPEN) || !existsSync(path)) throw error
    return { database: checked(openToRead(path), path), writable: false }
  }
}

/** One level: more is probably a mistyped path. (And up to Node 24, `recursive` never returns below /proc.) */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  try {
    mkdirSync(folder)
  } catch (cause) {
    throw new ThinkonError(
      'STORE_IO',
      `the store's folder ${folder} can't be created: check the path, or create it yourself`,
      {
        cause,
        data: { folder },
      },
    )
  }
}

const SQLITE_READONLY = 8
const SQLITE_CANTOPEN = 14

/** Without the extra files that a WAL needs, which a read-only disk can't have. */
function openToRead(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** A new store, or one of an earlier version, which earlier versions can't read once this one has written to it. */
function create(database: DatabaseSync): void {
  const isStore = pragma(database, 'application_id') === APPLICATION_ID
  if (isStore && pragma(database, 'user_version') < STORE_VERSION)
    database.exec(`PRAGMA user_version = ${STORE_VERSION}`)
  if (pragma(database, 'application_id') !== 0 || pragma(database, 'schema_version') !== 0) return
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('BEGIN IMMEDIATE')
  // Another process may have been faster.
  if (pragma(database, 'schema_version') === 0) database.exec(SCHEMA)
  database.exec('COMMIT')
}

/** The database, if it is a store that this version can read. */
function checked(
  database: DatabaseSync,
  path: string,
  prepare: (database: DatabaseSync) => void = () => {},
): DatabaseSync {
  try {
    prepare(database)
    if (pragma(database, 'application_id') !== APPLICATION_ID) {
      throw new ThinkonError('STORE_CORRUPT', `${path} is not a Thinkon store: choose another with --store`)
    }
    const version = pragma(database, 'user_version')
    if (version > STORE_VERSION) {
      throw new ThinkonError(
        'STORE_NEWER',
        `${path} was written by a newer Thinkon (store version ${version}, this one reads ${STORE_VERSION}): update thinkon`,
        { data: { version, supported: STORE_VERSION } },
      )
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}

const READ_EVENTS = 'SELECT id, at, type, path, body, blob FROM events WHERE id BETWEEN ? AND ? ORDER BY id'

function prepare(database: DatabaseSync) {
  const statement = (text: string) => database.prepare(text)
  return {
    begin: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    advance: statement('UPDATE runs SET seq = seq + ?, changed = ? WHERE no = ? AND epoch = ? RETURNING seq'),
    insertEvent: statement('INSERT INTO events (id, at, type, path, body, blob) VALUES (?, ?, ?, ?, ?, ?)'),
    copyEvents: statement(
      'INSERT INTO events SELECT id + ?, at, type, path, body, blob FROM events WHERE id BETWEEN ? AND ?',
    ),
    putBlob: statement('INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)'),
    getBlob: statement('SELECT body FROM blobs WHERE hash = ?'),
    runNumber: statement('SELECT no FROM runs WHERE id = ?'),
    run: statement('SELECT * FROM runs WHERE no = ?'),
    list: statement('SELECT * FROM runs ORDER BY no DESC'),
    createRun: statement(
      'INSERT INTO runs (id, goal, strategy, epoch, owner, created, changed, fork_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
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

interface StoredRun {
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

function rowOf(row: StoredRun, path: string): RunRow {
  return {
    id: row.id,
    goal: JSON.parse(row.goal),
    strategy: row.strategy,
    status: row.status,
    seq: row.seq,
    createdAt: new Date(row.created).toISOString(),
    changedAt: new Date(row.changed).toISOString(),
    forkOf: row.fork_of,
    owned: row.owner !== null && isAlive(path, row.owner),
  }
}

function signalOf(row: { path: string; name: string; number: number; value: string }): Signal {
  return { path: row.path, name: row.name, number: row.number, value: JSON.parse(row.value) }
}

function draftOf(event: Event): Draft {
  const { seq: _seq, ts, run: _run, ...body } = event
  return { ...body, atMs: Date.parse(ts) } as Draft
}

function locked(run: string, by: string): ThinkonError {
  return new ThinkonError(
    'RUN_LOCKED',
    `run ${run} is being worked on by ${by}: steer it from here (skip, redo, answer, message, cancel), or wait until it ends`,
    { data: { run, by } },
  )
}
