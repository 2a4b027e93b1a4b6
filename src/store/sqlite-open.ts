/** Opens the file of a store: creates it, or checks that it is one that this version can read. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDatabaseFile, makeFolder, tightenDatabase } from '../files/private-files.ts'
import { type DatabaseSync, openDatabaseSync } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/index.ts'
import { requireWal } from './checkpoints.ts'
import { QUESTIONS } from './sqlite-questions.ts'
import { openToRead } from './sqlite-read-only.ts'

/** Written into the file's header: distinguishes a Thinkon store from any other SQLite file. */
const APPLICATION_ID = 0x5468_4e4b
/** That of stores from before the first release. */
const EARLIER_ID = 0x7448_4e4b
export const STORE_VERSION = 1
/** From the creation of a file until its tables are there, on a busy machine. */
const CREATION_MS = 2_000
const LOOK_MS = 20
/** How long SQLite waits for another connection, which stops this whole process. */
export const BUSY_TIMEOUT_MS = 5_000
/** The same where callers try again later (kernel/when-free.ts): other processes of ours are long done by then. */
export const SHORT_TIMEOUT_MS = 1_000
/** The same when they do try again. */
export const LOCKED_TIMEOUT_MS = 25

/**
 * `least_seq`: the run has at least this many events. `last_run`: no run number up to this one is
 * used again. `mark`: see checkpoints.ts. `unlisted`: runs with events and without a row; `owner` is the process that imports one, or null for what was deleted.
 */
const SCHEMA = `
CREATE TABLE runs (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, goal TEXT NOT NULL, strategy TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', epoch INTEGER NOT NULL DEFAULT 0, owner TEXT, created INTEGER NOT NULL, fork_of TEXT,
  least_seq INTEGER NOT NULL DEFAULT 0, crc INTEGER NOT NULL
);
CREATE TABLE events (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, path TEXT NOT NULL, signature TEXT, crc INTEGER NOT NULL,
  body NOT NULL
);
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
  value TEXT, at INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0, signature TEXT, crc INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run, path, name, number)
);
CREATE TABLE outlines (run INTEGER PRIMARY KEY, outline TEXT NOT NULL, crc INTEGER NOT NULL);
${QUESTIONS}
CREATE TABLE housekeeping (last_run INTEGER NOT NULL, mark TEXT);
INSERT INTO housekeeping VALUES (0, NULL);
CREATE TABLE unlisted (run INTEGER PRIMARY KEY, owner TEXT);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${STORE_VERSION};
`

export function openDatabase(path: string): { database: DatabaseSync; writable: boolean } {
  if (isFolder(path)) {
    const message = `the store ${path} is a folder: name a file in it, such as ${join(path, 'runs.db')}`
    throw new ThinkonError('STORE_IO', message, { data: { store: path } })
  }
  const { nlink = 1 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (nlink > 1) {
    const message = `the store ${path} has ${nlink} names (hard links), and SQLite keeps a log for each, which damages the file: remove the others, or use a copy`
    throw new ThinkonError('STORE_IO', message, { data: { store: path } })
  }
  refuseEmpty(path)
  try {
    makeStoreFolder(dirname(path))
    makeDatabaseFile(path)
    const database = checked(openDatabaseSync(path, BUSY_TIMEOUT_MS), path, create)
    tightenDatabase(path)
    return { database, writable: isWritable(path) }
  } catch (error) {
    // A store on a read-only disk can still be read; attempts to write fail later.
    const code = (error as { errcode?: number }).errcode
    if ((code !== SQLITE_READONLY && code !== SQLITE_CANTOPEN) || !existsSync(path)) throw error
    return { database: openToRead(path, (database) => checked(database, path)), writable: false }
  }
}

/**
 * An empty file was a store that lost everything, unless another process is creating it at this moment: a new store would hide the loss.
 */
function refuseEmpty(path: string): void {
  const isEmpty = () => statSync(path, { throwIfNoEntry: false })?.size === 0
  for (const endMs = performance.now() + CREATION_MS; isEmpty(); ) {
    if (performance.now() > endMs) {
      const message = `the store ${path} is an empty file: restore it from a backup, or remove it to begin a new store`
      throw new ThinkonError('STORE_CORRUPT', message, { data: { store: path } })
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** SQLite opens a file that it can't write to without a word. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** One level: more is probably a mistyped path. (And up to Node 24, `recursive` never returns below /proc.) */
function makeStoreFolder(folder: string): void {
  try {
    makeFolder(folder)
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

export const SQLITE_READONLY = 8
const SQLITE_CANTOPEN = 14

/** Makes the tables in a new file. */
function create(database: DatabaseSync): void {
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
    const application = pragma(database, 'application_id')
    if (application === EARLIER_ID) throw olderStore(path)
    if (application !== APPLICATION_ID) {
      throw new ThinkonError('STORE_CORRUPT', `${path} is not a Thinkon store: choose another with --store`)
    }
    if (hasPrograms(database)) {
      throw new ThinkonError(
        'STORE_CORRUPT',
        `${path} has triggers or views, which Thinkon never makes: do not use it unless you know who did; choose another with --store`,
      )
    }
    const version = pragma(database, 'user_version')
    if (version > STORE_VERSION) {
      throw new ThinkonError(
        'STORE_NEWER',
        `${path} was written by a newer Thinkon (store version ${version}, this one reads ${STORE_VERSION}): update thinkon`,
        { data: { version, supported: STORE_VERSION } },
      )
    }
    requireWal(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function olderStore(path: string): ThinkonError {
  return new ThinkonError(
    'STORE_OLDER',
    `${path} was written by a Thinkon from before the first release, and can't be read: choose a new store with --store`,
    { data: { store: path, supported: STORE_VERSION } },
  )
}

/** They act whenever we read or write: one that came with a folder could answer the questions of its runs. */
function hasPrograms(database: DatabaseSync): boolean {
  const found = database.prepare(`SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1`)
  return found.get() !== undefined
}

function pragma(database: DatabaseSync, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}
