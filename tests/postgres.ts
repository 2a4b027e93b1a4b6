/**
 * The PostgreSQL of the tests: one for each process that runs tests, started when it is first asked for and ended with the process, however
 * that ends. Each caller gets a database of its own.
 */
import pg from 'pg'
import { type PostgresServer, startPostgresServer } from '../src/cluster/postgres-server.ts'
import { connect } from '../src/store/postgres/connect.ts'
import { migrate } from '../src/store/postgres/migrate.ts'

/** Files of tests share a process, but not necessarily its modules. */
const shared = globalThis as typeof globalThis & { thinkonPostgres?: Promise<Running> }

interface Running {
  readonly server: PostgresServer
  databases: number
  reused: Promise<string> | null
}

/** Nothing that tests write must survive a power cut. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' }
const TEMPLATE = 'migrated'

/** The connection string of a new database, with the tables of a store in it. */
export async function freshDatabase(): Promise<string> {
  return newDatabase(TEMPLATE)
}

/** A database that is used again and again, with nothing in its tables: faster than a new one. For one test at a time. */
export async function emptiedDatabase(): Promise<string> {
  const postgres = await running()
  postgres.reused ??= freshDatabase()
  const url = await postgres.reused
  await queryDatabase(url, EMPTY)
  return url
}

/** Whoever is still connected, such as an owner that a test has left, is told to go. */
const EMPTY = `
DO $$ BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
  EXECUTE (
    SELECT 'TRUNCATE ' || string_agg(format('thinkon.%I', tablename), ', ') || ' RESTART IDENTITY'
    FROM pg_tables WHERE schemaname = 'thinkon' AND tablename <> 'migrations'
  );
END $$`

/** The same as a fresh one without any tables. */
export async function emptyDatabase(): Promise<string> {
  return newDatabase('template0')
}

/** Stops the server of this process, with kill -9 if told so, and starts it again with the same data. */
export async function restartPostgres(signal?: 'KILL'): Promise<void> {
  const { server } = await running()
  if (signal !== 'KILL') return server.restart()
  await server.kill()
  // The processes that served connections need a moment to notice.
  for (let tries = 1; ; tries++) {
    try {
      return await server.restart()
    } catch (thrown) {
      if (tries === 10) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

/** One statement, on a connection of its own. */
export async function queryDatabase<Row>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows as Row[]
  } finally {
    await client.end()
  }
}

async function newDatabase(template: string): Promise<string> {
  const postgres = await running()
  const name = `test_${++postgres.databases}`
  // Without a log of its pages: a new database is a copy of a few files.
  const strategy = 'STRATEGY file_copy'
  await queryDatabase(postgres.server.url, `CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`)
  return postgres.server.urlOf(name)
}

function running(): Promise<Running> {
  shared.thinkonPostgres ??= start()
  return shared.thinkonPostgres
}

async function start(): Promise<Running> {
  const server = await startPostgresServer({ settings: SETTINGS })
  await queryDatabase(server.url, `CREATE DATABASE ${TEMPLATE}`)
  const database = await connect(server.urlOf(TEMPLATE))
  await migrate(database)
  await database.close()
  return { server, databases: 0, reused: null }
}
