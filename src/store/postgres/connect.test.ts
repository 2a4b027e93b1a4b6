import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { emptyDatabase, queryDatabase } from '../../../tests/postgres.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { connect } from './connect.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './schema.ts'

const SECRET = 'geheim'

async function failure(url: string): Promise<ThinkonError> {
  const thrown = await connect(url).then(
    () => expect.unreachable(),
    (error) => error,
  )
  expect(thrown).toBeInstanceOf(ThinkonError)
  expect(`${thrown.stack} ${JSON.stringify(thrown)} ${thrown.cause?.stack}`).not.toContain(SECRET)
  return thrown
}

function changed(url: string, changes: { port?: string; database?: string; user?: string }): string {
  const made = new URL(url)
  made.password = SECRET
  if (changes.port !== undefined) made.port = changes.port
  if (changes.database !== undefined) made.pathname = changes.database
  if (changes.user !== undefined) made.username = changes.user
  return made.href
}

describe('a connection to PostgreSQL', () => {
  it('says of a server that is not there that it can not be reached, without user and password', async () => {
    const { code, message } = await failure(`postgres://me:${SECRET}@127.0.0.1:${await freePort()}/runs`)
    expect(code).toBe('STORE_IO')
    expect(message).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/runs can't be reached/)
  })

  it('says of a password that is wrong, and of a database that is not there, what to do', async () => {
    const url = await emptyDatabase()
    expect((await failure(changed(url, {}))).message).toContain('check the user and the password')
    const absent = new URL(url)
    absent.pathname = '/absent'
    expect((await failure(absent.href)).message).toContain('createdb')
  })

  it('refuses what is no connection string, and does not repeat it', async () => {
    const unescaped = ['/', '?', '#'].map((sign) => `postgres://me:1${sign}${SECRET}@host/x`)
    for (const url of [
      SECRET,
      `mysql://${SECRET}@host/x`,
      `postgres://me:${SECRET}%@[/x`,
      '',
      ...unescaped,
    ]) {
      expect(await failure(url)).toMatchObject({ code: 'BAD_INPUT' })
    }
  })

  it('fails what was under way when it breaks, and nothing else', async () => {
    const database = await connect(await emptyDatabase())
    const [me] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const slow = database.query('SELECT pg_sleep(600)')
    const broken = expect(slow).rejects.toMatchObject({
      code: 'STORE_IO',
      message: expect.stringContaining('the connection'),
    })
    await database.query('SELECT pg_terminate_backend($1)', [me?.pid])
    await broken
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    await database.close()
  })

  it('does not hold what a transaction has locked for longer than a process may be stopped in it', async () => {
    const database = await connect(await emptyDatabase())
    const setting = 'SHOW idle_in_transaction_session_timeout'
    const [inside] = await database.transaction((query) => query<object>(setting))
    expect(inside).toEqual({ idle_in_transaction_session_timeout: '5s' })
    await database.close()
  })
})

describe('the tables', () => {
  it('are made once, by whichever of the processes that start at once is first', async () => {
    const url = await emptyDatabase()
    const databases = await Promise.all([1, 2, 3, 4, 5].map(() => connect(url)))
    await Promise.all(databases.map((database) => migrate(database)))
    expect(await queryDatabase(url, 'SELECT number FROM thinkon.migrations')).toHaveLength(MIGRATIONS.length)
    await Promise.all(databases.map((database) => database.close()))
  })

  it('are brought up to date with all that is new, or not at all', async () => {
    const url = await emptyDatabase()
    const database = await connect(url)
    await migrate(database)
    const next = ['CREATE TABLE thinkon.second ()', 'CREATE TABLE thinkon.second ()']
    await expect(migrate(database, [...MIGRATIONS, ...next])).rejects.toThrow('already exists')
    const isThere = `SELECT to_regclass('thinkon.second') IS NOT NULL AS made`
    expect(await queryDatabase(url, isThere)).toEqual([{ made: false }])
    await migrate(database, [...MIGRATIONS, next[0] as string])
    expect(await queryDatabase(url, isThere)).toEqual([{ made: true }])
    await expect(migrate(database)).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('update thinkon'),
    })
    await database.close()
  })

  it('from before the first release are refused', async () => {
    const database = await connect(await emptyDatabase())
    await database.query('CREATE SCHEMA thinkon')
    await database.query('CREATE TABLE thinkon.blobs ()')
    await expect(migrate(database)).rejects.toMatchObject({ code: 'STORE_OLDER' })
    await database.close()
  })

  it('need no right to make tables once they are there', async () => {
    const url = await emptyDatabase()
    const owner = await connect(url)
    await migrate(owner)
    await owner.query(`CREATE ROLE reader LOGIN PASSWORD '${SECRET}'`)
    await owner.query('GRANT USAGE ON SCHEMA thinkon TO reader')
    await owner.query('GRANT SELECT ON thinkon.migrations TO reader')
    const reader = await connect(changed(url, { user: 'reader' }))
    await migrate(reader)
    await expect(reader.query('DELETE FROM thinkon.runs')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await Promise.all([owner.close(), reader.close()])
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
