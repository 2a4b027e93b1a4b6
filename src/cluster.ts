/**
 * `thinkon/cluster`: runs that any number of processes execute, each as a whole. Workers take them, engines start and follow them; they share
 * a PostgreSQL. Give all the same models, tools and strategies. Packages are loaded when they are used.
 */
import type { HostOpener } from './engine/api.ts'
import { engineFields } from './engine/entrances.ts'
import type {
  ClusterWorker,
  ClusterWorkerOptions,
  RunPerformer,
  RunPerformerOptions,
} from './engine/run-worker.ts'
import { type RunKey, runKey } from './kernel/run-key.ts'
import {
  type Arguments,
  anyText,
  checkArguments,
  type Fields,
  fields,
  func,
  must,
  text,
  whole,
} from './protocol/check-arguments.ts'
import { isObject } from './protocol/index.ts'

export type {
  ClusterWorker,
  ClusterWorkerOptions,
  RunPerformer,
  RunPerformerOptions,
} from './engine/run-worker.ts'
export type { CapacityOptions } from './hosts/cluster/capacity.ts'
export type { PerformedRun, PerformRun, PerformRunOptions } from './hosts/cluster/perform-run.ts'
export type { WorkerObserver } from './kernel/worker-observer.ts'

/** A worker: DBOS Transact assigns runs to it (the package `@dbos-inc/dbos-sdk`). One in a process. */
export async function clusterWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  checkArguments('clusterWorker', WORKER, [options])
  const { openWorker } = await import('./engine/run-worker.ts')
  return openWorker(options)
}

/** Executes runs that an engine of your own assigns, such as Restate, Temporal or Inngest. */
export async function runPerformer(options: RunPerformerOptions): Promise<RunPerformer> {
  checkArguments('runPerformer', PERFORMER, [options])
  const { openPerformer } = await import('./engine/run-worker.ts')
  return openPerformer(options)
}

export interface ClusterOptions {
  /** The connection string of the PostgreSQL that workers and engines share. */
  postgres: string
  /** Signs the runs that are written, as in EngineOptions. */
  key?: RunKey
}

/** The `host` of an engine whose runs are executed by workers. They continue without the engine. */
export function cluster(options: ClusterOptions): HostOpener {
  checkArguments('cluster', HOST, [options])
  const { postgres, key } = options
  return async () => {
    const { clusterHost } = await import('./hosts/cluster/host.ts')
    const { postgresStore } = await import('./store/postgres/postgres.ts')
    const store = await postgresStore(postgres, key === undefined ? {} : { key })
    return { store, hostOf: (kernel) => clusterHost(store, kernel) }
  }
}

// --- what may be given

const { model, models, promptTokens, onOutage, tools, strategies, clock } = engineFields
const NEEDS = {
  needs: { postgres: 'the connection string of the PostgreSQL that workers and engines share' },
}
function isObserver(value: unknown): boolean {
  return isObject(value) && typeof value.runEnded === 'function' && typeof value.retried === 'function'
}

const PERFORMER_FIELDS = {
  ...{ model, models, promptTokens, onOutage, tools, strategies, clock },
  postgres: text,
  key: runKey,
  restAfterMs: whole(0, 2 ** 31 - 1),
  observer: must('the telemetry of createTelemetry', isObserver),
} satisfies Fields<RunPerformerOptions>

const PERFORMER: Arguments = {
  checks: { options: fields(PERFORMER_FIELDS, NEEDS) },
  needs: { options: 'postgres' },
}

const share = must('a share between 0 and 1', (value) => typeof value === 'number' && value > 0 && value <= 1)

const WORKER: Arguments = {
  checks: {
    options: fields(
      {
        ...PERFORMER_FIELDS,
        version: anyText,
        capacity: fields({ runs: whole(1, 100_000), lagMs: whole(1, 3_600_000), heapShare: share }),
        onProblem: func(),
      } satisfies Fields<ClusterWorkerOptions>,
      NEEDS,
    ),
  },
  needs: { options: 'postgres' },
}

const HOST: Arguments = {
  checks: { options: fields({ postgres: text, key: runKey } satisfies Fields<ClusterOptions>, NEEDS) },
  needs: { options: 'postgres' },
}
