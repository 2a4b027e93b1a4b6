/**
 * A PostgreSQL that runs are kept in: a pool of connections, and transactions on one of them.
 *
 * 1. Errors are ours (errors.ts); a connection string or its password is in none of them.
 * 2. A connection that breaks fails what was under way on it, and nothing else: the next call gets another one.
 * 3. 64-bit integers are read as numbers: none of ours is larger than a number can be exactly.
 */
import type { Client, Pool, PoolClient, QueryConfig } from 'pg'
import { optionalPackage } from '../../kernel/optional-package.ts'
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { asBusy, isBroken, postgresError } from './errors.ts'

/** The rows. `name`: the statement is prepared once on each connection. */
export type Query = <Row = unknown>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<Row[]>

export interface Database {
  /** For people: where it is, without user and password. */
  readonly name: string
  /** One statement, a transaction of its own. */
  readonly query: Query
  /** The same for one that changes nothing: it is asked again if the connection breaks. */
  readonly read: Query
  /** All or nothing. */
  transaction<T>(action: (query: Query) => Promise<T>): Promise<T>
  /** A connection of its own, outside of the pool, for session locks and LISTEN. The caller ends it and handles its 'error' event. */
  dedicated(): Promise<Client>
  /** What the driver threw, as one of our errors. */
  error(thrown: unknown): unknown
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Connections at most. Default: 10. */
  maxConnections?: number
}

const MAX_CONNECTIONS = 10
/** To connect, or to get a connection of a pool that is in use. */
const CONNECT_MS = 10_000
const INT8 = 20

/** Throws if the server can't be reached, does not let us in or is too old. */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Database> {
  const name = nameOf(url)
  const { default: pg } = await optionalPackage(
    'pg',
    (advice, data) => new ThinkonError('BAD_INPUT', `a store in PostgreSQL ${advice}`, { data }),
  )
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'thinkon',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  }
  let wasReached = false
  const error = (thrown: unknown) => postgresError(thrown, name, wasReached)
  const pool = made(() => new pg.Pool({ ...settings, max: options.maxConnections ?? MAX_CONNECTIONS }))
  // An idle connection that breaks is replaced when it is needed.
  pool.on('error', () => {})

  const query = queryOn(pool, error)
  const database: Database = {
    name,
    query,
    read: (text, values, name) => repeated(() => query(text, values, name)),
    transaction: (action) => inTransaction(pool, action, error),
    async dedicated() {
      const client = new pg.Client(settings)
      try {
        await client.connect()
        return client
      } catch (thrown) {
        throw asBusy(error(thrown))
      }
    },
    error,
    close: () => (pool.ended ? Promise.resolve() : pool.end()),
  }
  try {
    const [server] = await database.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    )
    assertRecent(server?.version ?? 0, name)
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  wasReached = true
  return database
}

/** `postgres://host:port/database`: never with user, password or options, some of which are secret. */
function nameOf(url: string): string {
  const { host, address } = postgresPlace(url)
  if (host === '') throw badUrl()
  return address
}

/** Without the cause: it has the connection string in it. */
function badUrl(): ThinkonError {
  return new ThinkonError(
    'BAD_INPUT',
    'this is no connection string of PostgreSQL: write postgres://user:password@host:5432/database, with special characters of the password percent-encoded',
  )
}

function made(make: () => Pool): Pool {
  try {
    return make()
  } catch {
    throw badUrl()
  }
}

const OLDEST = 140_000

function assertRecent(version: number, name: string): void {
  if (version >= OLDEST) return
  throw new ThinkonError(
    'STORE_IO',
    `${name} is PostgreSQL ${Math.floor(version / 10_000)}: Thinkon needs 14 or newer`,
    { data: { store: name } },
  )
}

/** Of what may be repeated, while connections break: a pool may have several that did. */
const MAX_TRIES = 4

/** Calls `action` again when the connection breaks. It must do no harm if it had succeeded. */
export async function repeated<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await action()
    } catch (thrown) {
      if (tries === MAX_TRIES || !isBroken(thrown)) throw asBusy(thrown)
    }
  }
}

function queryOn(on: Pool | PoolClient, error: (thrown: unknown) => unknown): Query {
  return async <Row>(text: string, values: readonly unknown[] = [], name?: string) => {
    const config: QueryConfig = { text, values: values as unknown[], ...(name !== undefined && { name }) }
    try {
      const { rows } = await on.query(config)
      return rows as Row[]
    } catch (thrown) {
      throw error(thrown)
    }
  }
}

/** Of a process that is stopped in the middle of it, nobody waits for what it has locked: PostgreSQL ends its transaction. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'`

async function inTransaction<T>(
  pool: Pool,
  action: (query: Query) => Promise<T>,
  error: (thrown: unknown) => unknown,
): Promise<T> {
  const client = await pool.connect().catch((thrown) => Promise.reject(error(thrown)))
  const broken = () => {}
  client.on('error', broken)
  let failed = true
  try {
    const query = queryOn(client, error)
    await query(BEGIN)
    const value = await action(query)
    await query('COMMIT')
    failed = false
    return value
  } finally {
    if (failed) await client.query('ROLLBACK').catch(() => {})
    client.off('error', broken)
    client.release(failed)
  }
}
