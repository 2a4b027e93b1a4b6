/** The file of a memory: `node:sqlite`, WAL, a full-text index, and vectors. SQLite's errors are passed on unchanged. */
import { dirname } from 'node:path'
import { makeDatabaseFile, makeFolder, tightenDatabase } from '../../files/private-files.ts'
import { type DatabaseSync, openDatabaseSync, rollBack } from '../../files/sqlite.ts'
import type { Entity, Score, Source } from './entity.ts'
import type { Kept } from './triage.ts'
import { wordsOf } from './words.ts'

/** Distinguishes a memory from any other SQLite file. */
const APPLICATION_ID = 0x7448_4e4d
const VERSION = 1
/** How many keys of saves are kept: a save is repeated within its run, not thousands of saves later. */
const MAX_SAVES = 20_000

const SCHEMA = `
CREATE TABLE entities (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL,
  run TEXT NOT NULL, path TEXT NOT NULL, relevance REAL NOT NULL, importance REAL NOT NULL,
  created INTEGER NOT NULL, used INTEGER NOT NULL, uses INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE vectors (no INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL);
CREATE TABLE saves (no INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, counts TEXT NOT NULL);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};
`

const PROGRAMS = `SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1`

/** A row of the table: `no` is its key in the other tables. */
export interface StoredEntity {
  readonly no: number
  readonly entity: Entity
}

export type MemoryDatabase = ReturnType<typeof openDatabase>

/** Creates the file if `create`; otherwise it must exist. Waits for `waitMs` at most if another process holds it. */
export function openDatabase(file: string, create: boolean, waitMs: number) {
  if (create) {
    makeFolder(dirname(file))
    makeDatabaseFile(file)
  }
  const database = openDatabaseSync(file, waitMs)
  try {
    prepareFile(database, file, create)
    tightenDatabase(file)
    return statementsOf(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function prepareFile(database: DatabaseSync, file: string, create: boolean): void {
  if (create && pragma(database, 'schema_version') === 0) {
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('BEGIN IMMEDIATE')
    // Another process may have been faster.
    if (pragma(database, 'schema_version') === 0) database.exec(SCHEMA)
    database.exec('COMMIT')
  }
  database.exec('PRAGMA synchronous = NORMAL')
  if (pragma(database, 'application_id') !== APPLICATION_ID)
    throw new Error(`${file} is not a Thinkon memory`)
  // One that came with a folder could run without an end whenever it is read.
  if (database.prepare(PROGRAMS).get() !== undefined)
    throw new Error(`${file} has triggers or views, which Thinkon never makes`)
  if (pragma(database, 'user_version') > VERSION)
    throw new Error(`${file} was written by a newer Thinkon: update thinkon`)
}

function statementsOf(database: DatabaseSync) {
  const get = database.prepare('SELECT * FROM entities WHERE no = ?')
  const byId = database.prepare('SELECT * FROM entities WHERE id = ?')
  const match = database.prepare(
    'SELECT rowid AS no, -bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY score DESC LIMIT ?',
  )
  const insert = database.prepare(
    `INSERT INTO entities (id, text, kind, tags, run, path, relevance, importance, created, used, uses)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = database.prepare(
    `UPDATE entities SET text = ?, kind = ?, tags = ?, relevance = ?, importance = ?, used = ?, uses = uses + 1
     WHERE no = ?`,
  )
  const index = database.prepare('INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)')
  const putVector = database.prepare('INSERT OR REPLACE INTO vectors (no, model, vector) VALUES (?, ?, ?)')
  const dropVector = database.prepare('DELETE FROM vectors WHERE no = ?')
  const use = database.prepare('UPDATE entities SET used = ?, uses = uses + 1 WHERE id = ?')
  const count = database.prepare('SELECT count(*) AS count FROM entities')
  const forget = ['entities WHERE no', 'words WHERE rowid', 'vectors WHERE no'].map((place) =>
    database.prepare(`DELETE FROM ${place} = ?`),
  )

  return {
    close: () => database.close(),
    /** How long another process may hold it before a statement fails. Waiting blocks this process. */
    waitAtMost: (ms: number) => database.exec(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(ms))}`),
    transaction<T>(action: () => T): T {
      database.exec('BEGIN IMMEDIATE')
      try {
        const value = action()
        database.exec('COMMIT')
        return value
      } catch (error) {
        rollBack(database)
        throw error
      }
    },
    count: () => (count.get() as { count: number }).count,
    byId: (id: string) => stored(byId.get(id)),
    /** Best first; the score is above 0. */
    match(expression: string, limit: number): { found: StoredEntity; score: number }[] {
      if (expression === '') return []
      return match.all(expression, limit).flatMap((row) => {
        const { no, score } = row as { no: number; score: number }
        const found = stored(get.get(no))
        return found === undefined ? [] : [{ found, score }]
      })
    },
    all: () =>
      database
        .prepare('SELECT * FROM entities')
        .all()
        .flatMap((row) => stored(row) ?? []),
    insert({ id, text, kind, tags, source, score, createdMs, usedMs, uses }: Entity): void {
      const { run, path } = source
      const values = [run, path, score.relevance, score.importance, createdMs, usedMs, uses] as const
      const { lastInsertRowid } = insert.run(id, text, kind, JSON.stringify(tags), ...values)
      index.run(lastInsertRowid, indexText({ text, tags }))
    },
    /** Counts as a use. */
    change(no: number, { text, kind, tags, score }: Kept, nowMs: number): void {
      const before = stored(get.get(no))?.entity.text
      change.run(text, kind, JSON.stringify(tags), score.relevance, score.importance, nowMs, no)
      index.run(no, indexText({ text, tags }))
      if (before !== text) dropVector.run(no)
    },
    use: (id: string, nowMs: number) => void use.run(nowMs, id),
    forget(no: number): void {
      for (const statement of forget) statement.run(no)
    },
    /** Newest first. */
    withoutVector(model: string, limit: number): StoredEntity[] {
      const missing = database.prepare(
        `SELECT entities.* FROM entities LEFT JOIN vectors ON vectors.no = entities.no AND vectors.model = ?
         WHERE vectors.no IS NULL ORDER BY entities.no DESC LIMIT ?`,
      )
      return missing.all(model, limit).flatMap((row) => stored(row) ?? [])
    },
    putVector: (no: number, model: string, vector: Float32Array) =>
      void putVector.run(no, model, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
    *vectors(model: string): Generator<{ no: number; vector: Float32Array }> {
      for (const row of database.prepare('SELECT no, vector FROM vectors WHERE model = ?').iterate(model)) {
        const { no, vector } = row as { no: number; vector: Uint8Array }
        // A copy, because the bytes may not be aligned for a Float32Array.
        yield { no, vector: new Float32Array(Uint8Array.from(vector).buffer) }
      }
    },
    byNo: (no: number) => stored(get.get(no)),
    savedBefore(key: string): string | undefined {
      const row = database.prepare('SELECT counts FROM saves WHERE key = ?').get(key)
      return (row as { counts: string } | undefined)?.counts
    },
    rememberSave(key: string, counts: string): void {
      const { lastInsertRowid } = database
        .prepare('INSERT INTO saves (key, counts) VALUES (?, ?)')
        .run(key, counts)
      database.prepare('DELETE FROM saves WHERE no <= ?').run(Number(lastInsertRowid) - MAX_SAVES)
    },
  }
}

function indexText({ text, tags }: { text: string; tags: readonly string[] }): string {
  return wordsOf([text, ...tags].join('\n')).join(' ')
}

interface EntityRow extends Pick<Entity, 'id' | 'text' | 'kind' | 'uses'>, Source, Score {
  readonly no: number
  readonly tags: string
  readonly created: number
  readonly used: number
}

function stored(row: unknown): StoredEntity | undefined {
  if (row === undefined) return undefined
  const { no, id, text, kind, tags, uses, created, used, ...rest } = row as EntityRow
  const { run, path, relevance, importance } = rest
  const about = { id, text, kind, tags: JSON.parse(tags), source: { run, path } }
  const times = { createdMs: created, usedMs: used, uses }
  return { no, entity: { ...about, score: { relevance, importance }, ...times } }
}

function pragma(database: DatabaseSync, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}
