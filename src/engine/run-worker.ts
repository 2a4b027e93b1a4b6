/** Processes that execute runs of a cluster, from what a program or a configuration gives them: store, kernel, host. */
import { createHash } from 'node:crypto'
import type { CapacityOptions } from '../hosts/cluster/capacity.ts'
import { dbosAssigner } from '../hosts/cluster/dbos-assigner.ts'
import { type PerformRun, runPerformer } from '../hosts/cluster/perform-run.ts'
import { Worker } from '../hosts/cluster/worker.ts'
import { type LocalHost, localHost } from '../hosts/local/host.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import type { AssignableStore, WorkerOffer } from '../kernel/run-assignment.ts'
import type { WorkerObserver } from '../kernel/worker-observer.ts'
import { defined } from '../protocol/index.ts'
import { postgresStore } from '../store/postgres/postgres.ts'
import { VERSION } from '../version.ts'
import type { EngineOptions } from './api.ts'
import { closeParts, type EngineParts, openParts } from './parts.ts'

export interface RunPerformerOptions
  extends Pick<
    EngineOptions,
    'model' | 'models' | 'promptTokens' | 'onOutage' | 'tools' | 'strategies' | 'key' | 'clock'
  > {
  /** The connection string of the PostgreSQL that workers and clients share. */
  postgres: string
  /** A run that only waits for a person or a time leaves the process after this time. Default: 1,000. */
  restAfterMs?: number
  /** The telemetry of createTelemetry: runs that end here are traced. */
  observer?: WorkerObserver
}

export interface RunPerformer {
  /** Resolves when the run has ended, rests, or was handed over; see PerformRunOptions. */
  performRun: PerformRun
  /** Runs that are still executed are left as they are. */
  close(): Promise<void>
}

export interface ClusterWorkerOptions extends RunPerformerOptions {
  /** Change it if your code can no longer resume runs that are under way. */
  version?: string
  /** How many runs it executes at most, and when it takes no more. */
  capacity?: CapacityOptions
  /** Hears of problems that pass. Default: they are dropped. */
  onProblem?: (problem: string) => void
}

export interface ClusterWorker {
  /** Runs that it executes now. */
  readonly runs: number
  /** Takes nothing new and hands its runs over; calls under way are waited for until `late` aborts. */
  drain(late: AbortSignal): Promise<void>
  close(): Promise<void>
}

const REST_AFTER_MS = 1_000

/** For an engine of your own: it calls `performRun` for every run that is due. */
export async function openPerformer(options: RunPerformerOptions): Promise<RunPerformer> {
  const { observer, ...rest } = options
  const { store, host, close } = await openHost(rest)
  return { performRun: runPerformer(store, host, observer), close }
}

/** Resolves when runs are assigned to it. */
export async function openWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  const { version = '', capacity, onProblem, observer, ...rest } = options
  const { parts, store, host, close } = await openHost(rest)
  try {
    const worker = await Worker.open({
      ...{ store, host, postgres: rest.postgres, openAssigner: dbosAssigner },
      offer: offerOf(parts, version),
      ...defined({ capacity, warn: onProblem, observer }),
    })
    return {
      get runs() {
        return worker.owned
      },
      drain: (late) => worker.drain(late),
      async close() {
        await worker.close()
        await close()
      },
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** What other processes know of this worker. Workers that have the same are of one kind. */
function offerOf({ strategies }: EngineParts, version: string): WorkerOffer {
  const has = [...strategies].map(([name, { version }]) => `${name}@${version}`).sort()
  if (version !== '') has.push(`version ${version}`)
  const kind = createHash('sha256')
    .update(JSON.stringify([VERSION, has]))
    .digest('hex')
    .slice(0, 16)
  return { has, kind, ...(version !== '' && { version: `version ${version}` }) }
}

async function openHost(options: Omit<RunPerformerOptions, 'observer'>) {
  const { postgres, restAfterMs = REST_AFTER_MS, key, clock = systemClock, ...work } = options
  const store = await postgresStore(postgres, defined({ key }))
  try {
    let host: LocalHost | null = null
    const hostOf = (kernel: EngineParts['kernel']) => {
      host = leavingHost(store, kernel, clock, restAfterMs)
      return host
    }
    const parts = await openParts({ ...work, clock, host: async () => ({ store, hostOf }) })
    return { parts, store, host: host as unknown as LocalHost, close: () => closeParts(parts) }
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}

function leavingHost(
  store: AssignableStore,
  kernel: EngineParts['kernel'],
  clock: Clock,
  restAfterMs: number,
): LocalHost {
  return localHost(store, kernel, clock, { store, restAfterMs })
}
