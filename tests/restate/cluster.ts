// A Restate server, PostgreSQL, a worker process and a client: what the tests drive, kill and count.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../src/cluster/free-ports.ts'
import type { RestateServer } from '../../src/cluster/restate-server.ts'
import { restateHost } from '../../src/hosts/restate/host.ts'
import { registerVersion } from '../../src/hosts/restate/register.ts'
import type { Host, Listener } from '../../src/kernel/durable.ts'
import type { SharedStore } from '../../src/kernel/store.ts'
import { DEFAULT_LIMITS, type Event, type Limits } from '../../src/protocol/index.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { journal } from '../conformance/port.ts'
import { freshDatabase } from '../postgres.ts'
import { type LogLine, outFile, programs, readFile, readLog } from './programs.ts'

export interface Cluster {
  readonly host: Host
  readonly store: SharedStore
  readonly server: RestateServer
  start(
    id: string,
    strategy: string,
    options?: object,
    limits?: Partial<Limits>,
    listener?: Listener,
  ): ReturnType<Host['start']>
  events(id: string): Promise<Event[]>
  log(): LogLine[]
  /** Whether the model of the worker can be reached. */
  setOut(isOut: boolean): void
  /** Ends the replies of `writes`, unless `isRead` is false. */
  setRead(isRead?: boolean): void
  /** kill -9 */
  killWorker(): Promise<void>
  startWorker(): Promise<void>
  end(): Promise<void>
}

export async function openCluster(server: RestateServer): Promise<Cluster> {
  const postgres = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-cluster-'))
  const log = join(folder, 'effects.log')
  const [port] = await freePorts(1)
  const store = await postgresStore(postgres)
  const host = restateHost({ store, kernel: programs(null), ingress: server.ingress })
  let worker: ChildProcess

  async function startWorker(): Promise<void> {
    const script = join(import.meta.dirname, 'worker-process.ts')
    const args = [script, String(port), postgres, log, server.admin, server.ingress]
    worker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(worker.stdout as NodeJS.ReadableStream, 'data')
  }

  async function killWorker(): Promise<void> {
    if (worker.exitCode !== null || worker.signalCode !== null) return
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }

  await startWorker()
  await registerVersion(server.admin, `http://127.0.0.1:${port}`)
  return {
    host,
    store,
    server,
    start(id, strategy, options = {}, own = {}, listener) {
      const config = { thinkon: 'test' }
      const limits = { ...DEFAULT_LIMITS, ...own }
      const goal = `the goal of ${id}`
      return host.start({ id, goal, strategy, options, limits, seed: id, config }, listener)
    },
    events: (id) => journal({ store }, id),
    log: () => readLog(log),
    setOut: (isOut) => (isOut ? writeFileSync(outFile(log), '') : rmSync(outFile(log), { force: true })),
    setRead: (isRead = true) =>
      isRead ? writeFileSync(readFile(log), '') : rmSync(readFile(log), { force: true }),
    killWorker,
    startWorker,
    async end() {
      await host.close()
      await killWorker()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Steps that were begun though the journal has had their end by then: there must be none (K2). */
export function repeated(events: readonly Event[], log: readonly LogLine[]): string[] {
  const ends = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'tool-end') ends.set(`${event.run}/${event.path}/${event.n}`, Date.parse(event.ts))
  }
  return log
    .filter(({ what, step, atMs }) => what === 'begin' && atMs > (ends.get(step) ?? Number.POSITIVE_INFINITY))
    .map(({ step }) => step)
}
