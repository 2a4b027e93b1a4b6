import { ThinkonError } from '../../protocol/index.ts'
import type { Database, Query } from './connect.ts'
import { MIGRATION_LOCK, MIGRATIONS } from './schema.ts'

/**
 * Brings the tables up to date, all of it or nothing; processes that start at once wait for each other. Throws STORE_NEWER if they are those of a newer
 * Thinkon, STORE_OLDER if they are from before the first release. If they are up to date, nothing is written, and no right to write is needed.
 */
export async function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  const isCurrent = async (query: Query) => {
    const version = await versionOf(query)
    if (version > migrations.length) throw newer(database.name, version, migrations.length)
    return version === migrations.length
  }
  if (await isEarlier(database.query)) throw older(database.name)
  if (await isCurrent(database.query)) return
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    // Another process may have been faster.
    if (await isCurrent(query)) return
    await query('CREATE SCHEMA IF NOT EXISTS thinkon')
    await query(TABLE)
    for (let number = (await versionOf(query)) + 1; number <= migrations.length; number++) {
      await query(migrations[number - 1] as string)
      await query('INSERT INTO thinkon.migrations (number) VALUES ($1)', [number])
    }
  })
}

const TABLE = `
CREATE TABLE IF NOT EXISTS thinkon.migrations (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`

/** Whether the tables are from before the first release. */
async function isEarlier(query: Query): Promise<boolean> {
  const [found] = await query<{ earlier: boolean }>(
    `SELECT to_regclass('thinkon.blobs') IS NOT NULL AS earlier`,
  )
  return found?.earlier === true
}

/** The number of the last migration; 0 if there was none. */
async function versionOf(query: Query): Promise<number> {
  const [made] = await query<{ made: boolean }>(
    `SELECT to_regclass('thinkon.migrations') IS NOT NULL AS made`,
  )
  if (!made?.made) return 0
  const [last] = await query<{ version: number }>(
    'SELECT coalesce(max(number), 0) AS version FROM thinkon.migrations',
  )
  return last?.version ?? 0
}

function older(name: string): ThinkonError {
  return new ThinkonError(
    'STORE_OLDER',
    `${name} was written by a Thinkon from before the first release, and can't be read: choose another database, or drop its schema "thinkon"`,
    { data: { store: name } },
  )
}

function newer(name: string, version: number, supported: number): ThinkonError {
  return new ThinkonError(
    'STORE_NEWER',
    `${name} was written by a newer Thinkon (tables of version ${version}, this one knows ${supported}): update thinkon`,
    { data: { store: name, version, supported } },
  )
}
