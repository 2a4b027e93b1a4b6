/**
 * A private Restate server from the npm package: on loopback, with a data folder of its own, and gone when this process is, however that
 * ends.
 */
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { ThinkonError } from '../protocol/errors.ts'
import { freePorts } from './free-ports.ts'
import { type Guarded, startGuarded } from './guarded.ts'
import { lastLines, openFolder } from './server-folder.ts'

const READY_MS = 30_000

export interface RestateServerOptions {
  /** Kept, with what the server has stored; without one it is a temporary folder. */
  readonly folder?: string
  /** Environment variables of the server, such as `RESTATE_LOG_FILTER`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Free ones by default. */
  readonly ports?: { readonly ingress: number; readonly admin: number; readonly node: number }
}

export interface RestateServer {
  readonly ingress: string
  readonly admin: string
  pid(): number | undefined
  /** Resolves when it has ended, from this start on. */
  ended(): Promise<unknown>
  /** kill -9 */
  kill(): Promise<void>
  /** Starts it again, with the same data and ports. */
  restart(): Promise<void>
  /** Ends it, and removes its data if its folder is a temporary one. */
  end(): Promise<void>
}

export async function startRestateServer(options: RestateServerOptions = {}): Promise<RestateServer> {
  const binary = serverBinary()
  const { folder, remove } = openFolder('thinkon-restate-', options.folder)
  const ports = options.ports ?? (await choosePorts())
  const ingress = `http://127.0.0.1:${ports.ingress}`
  const admin = `http://127.0.0.1:${ports.admin}`
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    DO_NOT_TRACK: '1',
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: 'one', // the default is the machine's name: the data would not open on another
    RESTATE_LISTEN_MODE: 'tcp', // unix sockets fail where the path is over 108 characters
    RESTATE_BIND_ADDRESS: `127.0.0.1:${ports.node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ports.ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${ports.admin}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${ports.node}`,
    RESTATE_DEFAULT_NUM_PARTITIONS: '1',
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128 MiB',
    RESTATE_ADMIN__QUERY_ENGINE__MEMORY_SIZE: '64 MiB',
    RESTATE_BIFROST__RECORD_CACHE_MEMORY_SIZE: '16 MiB',
    RESTATE_WORKER__INVOKER__MEMORY_LIMIT: '256 MiB',
    RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: process.env.RESTATE_LOG ?? 'error,octocrab=off',
    RESTATE_LOG_FORMAT: 'compact',
    RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    ...options.settings,
  }
  let running: Guarded | undefined = await up()

  async function up() {
    const server = await startGuarded({ command: [binary, '--no-logo'], folder, env: environment })
    const start = Date.now()
    while (!(await answers(`${admin}/health`)) || !(await answers(`${ingress}/restate/health`))) {
      if (server.hasEnded() || Date.now() - start > READY_MS) {
        await server.end('KILL')
        throw notStarted(folder)
      }
      await pause(20)
    }
    return server
  }

  async function down(signal: 'TERM' | 'KILL') {
    const ending = running
    running = undefined
    await ending?.end(signal)
  }

  return {
    ingress,
    admin,
    pid: () => running?.pid(),
    ended: () => running?.ended ?? Promise.resolve(),
    kill: () => down('KILL'),
    async restart() {
      await down('KILL')
      running = await up()
    },
    async end() {
      await down(options.folder === undefined ? 'KILL' : 'TERM')
      remove()
    },
  }
}

async function choosePorts() {
  const [ingress, admin, node] = await freePorts(3)
  return { ingress, admin, node } as { ingress: number; admin: number; node: number }
}

/** The binary itself, not the JavaScript launcher: kill -9 must reach the server. */
function serverBinary(): string {
  try {
    const launcher = createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json')
    const name = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
    return createRequire(launcher).resolve(name)
  } catch (cause) {
    const install = 'npm install @restatedev/restate-server'
    throw new ThinkonError(
      'BAD_INPUT',
      `a Restate server needs the package @restatedev/restate-server for ${process.platform} on ${process.arch}: ${install}`,
      { cause, data: { package: '@restatedev/restate-server', install } },
    )
  }
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
}

function notStarted(folder: string): ThinkonError {
  return new ThinkonError('STORE_IO', `the Restate server does not start:\n${lastLines(folder)}`)
}
