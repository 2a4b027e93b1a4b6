// A Restate server, PostgreSQL and three workers behind a balancer, supervised as `thinkon cluster dev` does it, and a client: what the
// tests drive, kill and count.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningCluster, startDevCluster } from '../../src/cluster/dev.ts'
import { postgresFolder } from '../../src/cluster/dev-folder.ts'
import { restateHost } from '../../src/hosts/restate/host.ts'
import type { Host } from '../../src/kernel/durable.ts'
import type { SharedStore } from '../../src/kernel/store.ts'
import { DEFAULT_LIMITS, type Event, type Limits } from '../../src/protocol/index.ts'
import { openShared } from '../../src/store/open-shared.ts'
import { journal } from '../conformance/port.ts'
import { type LogLine, programs, readLog } from './programs.ts'

export interface Workers {
  readonly cluster: RunningCluster
  readonly host: Host
  readonly store: SharedStore
  start(id: string, strategy: string, options?: object, limits?: Partial<Limits>): ReturnType<Host['start']>
  events(id: string): Promise<Event[]>
  log(): LogLine[]
  /** kill -9 of the part; it is started again by its supervisor. The processes that end of it. */
  kill(part: 'worker' | 'restate' | 'postgres', at?: number): ReadonlySet<number>
  end(): Promise<void>
}

export async function openWorkers(count = 3): Promise<Workers> {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-workers-'))
  const log = join(workspace, 'effects.log')
  const script = join(import.meta.dirname, 'cluster-worker.ts')
  const cluster = await startDevCluster({
    workspace,
    workers: count,
    worker: [process.execPath, script, log, workspace],
    postgres: { fsync: 'off' },
    ...(process.env.CLUSTER_LOG && { say: (part, line) => console.error(`${part} | ${line}`) }),
  })
  const { ingress, postgres } = cluster
  const { store } = await openShared(postgres)
  const host = restateHost({ store, kernel: programs(null), ingress })
  const { servers, workers } = cluster
  return {
    cluster,
    host,
    store,
    start(id, strategy, options = {}, own = {}) {
      const limits = { ...DEFAULT_LIMITS, ...own }
      const config = { thinkon: 'test' }
      return host.start({ id, goal: `the goal of ${id}`, strategy, options, limits, seed: id, config })
    },
    events: (id) => journal({ store }, id),
    log: () => readLog(log),
    kill(part, at = 0) {
      const killed = part === 'worker' ? workers[at] : servers[part]
      const ending = part === 'postgres' ? [servers.postgres, ...workers] : [killed]
      const pids = new Set(ending.map((one) => one?.pid() ?? 0))
      const pid = killed?.pid()
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      return pids
    },
    async end() {
      await host.close()
      await store.close()
      await cluster.end()
      rmSync(postgresFolder(cluster.folder), { recursive: true, force: true })
      rmSync(workspace, { recursive: true, force: true })
    },
  }
}
