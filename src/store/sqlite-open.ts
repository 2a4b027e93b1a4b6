/** Opens the file of a store: creates it, or checks that it is one that this version can read. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDatabaseFile, makeFolder, tightenDatabase } from '../files/private-files.ts'
import { type DatabaseSync, openDatabaseSync, rollBack } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/index.ts'
import { openToRead } from './sqlite-read-only.ts'

/** Written into the file's header: distinguishes a Thinkon store from any other SQLite file. */
const APPLICATION_ID = 0x7448_4e4b
/**
 * 2: messages and texts are stored once (event-codec.ts). What version 1 wrote is read as it is.
 * 3: what is committed together is one row (sqlite-writer.ts), and runs can be deleted (sweep-store.ts). What earlier versions wrote is
 *    read as it is, but a process that does not know of either must not write: it misses columns of `runs` and stops.
 * 4: events of steps and blocks are stored without their keys (packed-events.ts). What earlier versions wrote is read as it is.
 * 5: rows of events and signals have signatures (signatures.ts). Earlier rows have none.
 */
export const STORE_VERSION = 5
/** Of the write-ahead log, before it is copied into the file: 16 MB. */
const CHECKPOINT_PAGES = 4_000
/** How long SQLite waits for another connection, which stops this whole process. */
export const BUSY_TIMEOUT_MS = 5_000
/** The same where callers try again later (kernel/when-free.ts): other processes of ours are long done by then. */
export const SHORT_TIMEOUT_MS = 1_000
/** The same when they do try again. */
export const LOCKED_TIMEOUT_MS = 25

/**
 * `sweeps`: how often blobs were deleted. `last_run`: no run number up to this one is used again. `unlisted`: runs with events and
 * without a row; `owner` is the process that imports one, or null for what was deleted.
 */
const HOUSEKEEPING = `
CREATE TABLE housekeeping (sweeps INTEGER NOT NULL, last_run INTEGER NOT NULL);
INSERT INTO housekeeping VALUES (0, 0);
CREATE TABLE unlisted (run INTEGER PRIMARY KEY, owner TEXT);
`

const SCHEMA = `
CREATE TABLE runs (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, goal TEXT NOT NULL, strategy TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', epoch INTEGER NOT NULL DEFAULT 0, owner TEXT, created INTEGER NOT NULL, fork_of TEXT
);
CREATE TABLE events (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, path TEXT NOT NULL, body TEXT, blob TEXT,
  signature TEXT
);
CREATE TABLE blobs (hash TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
  value TEXT, at INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0, signature TEXT,
  UNIQUE (run, path, name, number)
);
${HOUSEKEEPING}
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${STORE_VERSION};
`

/** From versions 1 and 2, which have the same tables; version 3 has those of this one. */
const TO_VERSION_3 = `
ALTER TABLE runs DROP COLUMN seq;
ALTER TABLE runs DROP COLUMN changed;
${HOUSEKEEPING}
`

const TO_VERSION_5 = `
ALTER TABLE events ADD COLUMN signature TEXT;
ALTER TABLE inbox ADD COLUMN signature TEXT;
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
  try {
    makeStoreFolder(dirname(path))
    makeDatabaseFile(path)
    const database = checked(openDatabaseSync(path, BUSY_TIMEOUT_MS), path, create)
    tightenDatabase(path)
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    return { database, writable: isWritable(path) }
  } catch (error) {
    // A store on a read-only disk can still be read; attempts to write fail later.
    const code = (error as { errcode?: number }).errcode
    if ((code !== SQLITE_READONLY && code !== SQLITE_CANTOPEN) || !existsSync(path)) throw error
    return {
      database: openToRead(path, (database) => checked(database, path, requireCurrent(path))),
      writable: false,
    }
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

/** A store of an earlier version is brought up to date when it is opened, for which it must be written. */
function requireCurrent(path: string) {
  return (database: DatabaseSync): void => {
    const version = pragma(database, 'user_version')
    if (pragma(database, 'application_id') !== APPLICATION_ID || version >= STORE_VERSION) return
    throw new ThinkonError(
      'STORE_READ_ONLY',
      `${path} was written by an earlier Thinkon (store version ${version}), and can't be written: make it writable, or copy it, and open it once`,
      { data: { version, supported: STORE_VERSION } },
    )
  }
}

/** A new store, or one of an earlier version, which earlier versions can't read once this one has written to it. */
function create(database: DatabaseSync): void {
  const isStore = pragma(database, 'application_id') === APPLICATION_ID
  if (isStore && pragma(database, 'user_version') < STORE_VERSION) upgrade(database)
  if (pragma(database, 'application_id') !== 0 || pragma(database, 'schema_version') !== 0) return
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('BEGIN IMMEDIATE')
  // Another process may have been faster.
  if (pragma(database, 'schema_version') === 0) database.exec(SCHEMA)
  database.exec('COMMIT')
}

function upgrade(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have been faster.
    const version = pragma(database, 'user_version')
    if (version < 3) database.exec(TO_VERSION_3)
    if (version < 5) database.exec(TO_VERSION_5)
    if (version < STORE_VERSION) database.exec(`PRAGMA user_version = ${STORE_VERSION}`)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
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
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** They act whenever we read or write: one that came with a folder could answer the questions of its runs. */
function hasPrograms(database: DatabaseSync): boolean {
  const found = database.prepare(`SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1`)
  return found.get() !== undefined
}

function pragma(database: DatabaseSync, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}
