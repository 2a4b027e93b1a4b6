// A private Restate server from the npm package: on free ports, with a data folder of its own, and gone when this process
// is, however that ends.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const READY_MS = 30_000

export interface RestateServer {
  readonly ingress: string
  readonly admin: string
  /** kill -9 */
  kill(): Promise<void>
  /** Starts it again, with the same data and ports. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  end(): Promise<void>
}

export async function startServer(): Promise<RestateServer> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-restate-'))
  const [ingressPort, adminPort, nodePort] = await freePorts(3)
  const ingress = `http://127.0.0.1:${ingressPort}`
  const admin = `http://127.0.0.1:${adminPort}`
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    DO_NOT_TRACK: '1',
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: 'one', // the default is the machine's name: the data would not open on another
    RESTATE_LISTEN_MODE: 'tcp', // unix sockets fail where the path is over 108 characters
    RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}`,
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
  }
  let running = await up()

  async function up() {
    const guarded = await startGuarded(folder, environment)
    const start = Date.now()
    while (!(await answers(`${admin}/health`)) || !(await answers(`${ingress}/restate/health`))) {
      if (Date.now() - start > READY_MS) {
        await guarded.kill()
        throw new Error(`restate-server was not ready in time: see ${folder}/server.log`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return guarded
  }

  return {
    ingress,
    admin,
    kill: () => running.kill(),
    async restart() {
      running = await up()
    },
    async end() {
      await running.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A shell that reads a pipe from us: when the pipe breaks, because we closed it or died, it kills the server. */
async function startGuarded(cwd: string, env: NodeJS.ProcessEnv) {
  const script = '"$0" --no-logo </dev/null >>server.log 2>&1 & cat >/dev/null; kill -9 $!; wait $!'
  const guard = spawn('/bin/sh', ['-c', script, serverBinary()], {
    cwd,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => guard.once('exit', () => resolve()))
  return {
    async kill() {
      guard.stdin?.end()
      await gone
    },
  }
}

/** The binary itself, not the JavaScript launcher: kill -9 must reach the server. */
function serverBinary(): string {
  const launcher = createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json')
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`
  return createRequire(launcher).resolve(name)
}

/** Ports that are free, all held until all are known, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, '127.0.0.1', resolve)
      })
      return server
    }),
  )
  const ports = held.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
}
