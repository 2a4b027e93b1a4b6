/** The list of runs in SQLite: asking for some of them, and deleting one. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { hasText, type RunQuery, type RunRow, statusesOf } from '../kernel/run-query.ts'
import { runLocked, unknownRun } from '../kernel/store.ts'
import { ThinkonError } from '../protocol/index.ts'
import { requireIntactRun } from './checksums.ts'
import { DamagedEvent } from './damage.ts'
import { bury, isAlive, pidOf } from './owner-lock.ts'
import { withReadErrors, withStoreErrors } from './sqlite-errors.ts'
import { DAMAGED } from './sqlite-questions.ts'
import { RUNS } from './sqlite-statements.ts'
import { rowOf, type StoredRun } from './stored-run.ts'

export interface StoreFile {
  readonly path: string
  /** The real path. */
  readonly place: string
  readonly database: DatabaseSync
  transaction<T>(action: () => T): T
}

/** `row`, `list` and `count` of the store. */
export function runLists({ path, place, database }: StoreFile) {
  database.function('has_text', { deterministic: true }, (id, goal, search) =>
    hasText({ id: String(id), goal: JSON.parse(String(goal)) }, String(search)) ? 1 : 0,
  )

  function select(what: string, query: RunQuery, living: readonly string[]): unknown[] {
    const { where, values } = conditionsOf(query, living)
    return database
      .prepare(`SELECT ${what} FROM ${RUNS} ${where} LIMIT ? OFFSET ?`)
      .all(...values, query.limit ?? -1, query.offset ?? 0)
  }

  return {
    row(id: string): RunRow {
      return withReadErrors(path, () => {
        const row = database.prepare(`SELECT * FROM ${RUNS} WHERE id = ?`).get(id) as
          | (StoredRun & { crc: number })
          | undefined
        if (row === undefined) throw unknownRun(id)
        return intactRow(row, row.owner !== null && isAlive(place, row.owner))
      })
    },
    list(query: RunQuery = {}): RunRow[] {
      return withReadErrors(path, () => {
        const living = livingOwners(place, database)
        const rows = select('*', query, living) as (StoredRun & { crc: number })[]
        return rows.map((row) => intactRow(row, row.owner !== null && living.includes(row.owner)))
      })
    },
    count(query: RunQuery = {}): number {
      return withStoreErrors(path, () => {
        const { limit: _, offset: __, ...all } = query
        const [row] = select('count(*) AS count', all, livingOwners(place, database))
        return (row as { count: number }).count
      })
    },
  }
}

function intactRow(row: StoredRun & { crc: number }, owned: boolean): RunRow {
  requireIntactRun(row)
  if ((row.asks as string | null) === DAMAGED)
    throw new DamagedEvent(row.id, `a question of run ${row.id} does not match its checksum`)
  return rowOf(row, owned)
}

/** The processes that work on runs, or import some. */
export function livingOwners(place: string, database: DatabaseSync): string[] {
  const rows = database.prepare('SELECT owner FROM runs UNION SELECT owner FROM unlisted').all()
  const owners = (rows as { owner: string | null }[]).flatMap(({ owner }) => owner ?? [])
  return owners.filter((owner) => isAlive(place, owner))
}

function conditionsOf(query: RunQuery, living: readonly string[]): { where: string; values: string[] } {
  const conditions: string[] = []
  const values: string[] = []
  const add = (condition: string, ...bound: string[]) => {
    conditions.push(condition)
    values.push(...bound)
  }
  const statuses = statusesOf(query)
  if (statuses !== null) {
    const listed = `CASE WHEN status NOT IN ('running', 'waiting') THEN status
      WHEN status = 'waiting' OR asks IS NOT NULL THEN 'waiting'
      WHEN owner IN (SELECT value FROM json_each(?)) THEN 'running' ELSE 'stopped' END`
    add(`${listed} IN (SELECT value FROM json_each(?))`, JSON.stringify(living), JSON.stringify(statuses))
  }
  if (query.search !== undefined) add('has_text(id, goal, ?)', query.search)
  if (query.strategy !== undefined) add('strategy = ?', query.strategy)
  if (query.forkOf !== undefined) add('fork_of = ?', query.forkOf)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return { where: `${where} ORDER BY no DESC`, values }
}

/**
 * Deletes a run. It is gone with this one small commit; its events, however many, are `unlisted` and left to the sweep. Its number
 * is never used again, so that nobody who still remembers the number reads, or writes to, another run.
 */
export function deleteRun(file: StoreFile, id: string): void {
  const { path, place, database, transaction } = file
  const run = database.prepare('SELECT no, owner, epoch FROM runs WHERE id = ?').get(id) as
    | { no: number; owner: string | null; epoch: number }
    | undefined
  if (run === undefined) throw unknownRun(id)
  const { no, owner, epoch } = run
  const isFree =
    owner === null || withStoreErrors(path, () => bury(place, owner, (dead) => forgetOwner(file, dead)))
  if (!isFree) throw runLocked(id, `process ${pidOf(owner)}`)
  transaction(() => {
    const { changes } = database
      .prepare('DELETE FROM runs WHERE no = ? AND epoch = ? AND owner IS NULL')
      .run(no, epoch)
    if (Number(changes) !== 1) throw runLocked(id, 'another process')
    for (const table of ['inbox', 'questions']) database.prepare(`DELETE FROM ${table} WHERE run = ?`).run(no)
    database.prepare('INSERT INTO unlisted (run) VALUES (?)').run(no)
    database.prepare('UPDATE housekeeping SET last_run = max(last_run, ?)').run(no)
  })
}

/** The owner is dead: nobody owns its runs, and nobody finishes its imports. */
export function forgetOwner({ database, transaction }: StoreFile, owner: string): void {
  transaction(() => {
    for (const table of ['runs', 'unlisted'])
      database.prepare(`UPDATE ${table} SET owner = NULL WHERE owner = ?`).run(owner)
  })
}

/** Whether a row names the owner. */
export function isOwner(database: DatabaseSync, owner: string): boolean {
  const named = 'SELECT 1 FROM runs WHERE owner = ? UNION SELECT 1 FROM unlisted WHERE owner = ?'
  return database.prepare(named).get(owner, owner) !== undefined
}

/** The other processes can read meanwhile, but not write: those that work on runs would fail. */
export function compactStore({ path, place, database }: StoreFile): number {
  return withStoreErrors(path, () => {
    const [owner] = livingOwners(place, database)
    if (owner !== undefined) {
      throw new ThinkonError(
        'RUN_LOCKED',
        `the store can't be made smaller while process ${pidOf(owner)} works on a run in it: wait until it ends`,
        { data: { store: path, by: pidOf(owner) } },
      )
    }
    const before = statSync(path).size
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
    return Math.max(0, before - statSync(path).size)
  })
}
