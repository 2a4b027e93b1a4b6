/**
 * `thinkon/restate`: runs on a Restate server. Workers execute blocks and steps, engines start runs and follow them; all of them share
 * a PostgreSQL. Give both the same models, tools and strategies. Packages are loaded when they are used.
 */
import type { HostOpener } from './engine/api.ts'
import type { ClusterWorker, ClusterWorkerOptions } from './engine/cluster-worker.ts'
import { engineFields } from './engine/entrances.ts'
import { workerClass } from './engine/tools/given-tools.ts'
import { orMissing } from './kernel/optional-package.ts'
import { type RunKey, runKey } from './kernel/run-key.ts'
import {
  type Arguments,
  abortSignal,
  anyText,
  checkArguments,
  type Fields,
  fields,
  func,
  list,
  must,
  text,
  whole,
} from './protocol/check-arguments.ts'
import { ThinkonError } from './protocol/errors.ts'
import { isObject } from './protocol/index.ts'

export type {
  ClusterWorker as RestateWorker,
  ClusterWorkerOptions as RestateWorkerOptions,
} from './engine/cluster-worker.ts'

export type { WorkerObserver } from './kernel/worker-observer.ts'

/** Serves blocks and steps. Resolves when the server knows where it is. */
export async function restateWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  checkArguments('restateWorker', WORKER, [options])
  requireAddress(options)
  const { clusterWorker } = await orMissing(
    '@restatedev/restate-sdk',
    () => import('./engine/cluster-worker.ts'),
    missing,
  )
  return clusterWorker(options)
}

/** Who listens everywhere can't be found by that address. */
function requireAddress({ host, address }: ClusterWorkerOptions): void {
  if (address !== undefined || (host !== '0.0.0.0' && host !== '::')) return
  const message = `restateWorker: a worker that listens on ${host} must say where the server finds it: give address`
  throw new ThinkonError('BAD_INPUT', message)
}

export interface RestateHostOptions {
  /** Address of the server's ingress, such as `http://127.0.0.1:8080`. */
  ingress: string
  /** The connection string of the PostgreSQL that workers and engines share. */
  postgres: string
  /** Signs the forks that are made of runs, as in EngineOptions. The runs of the cluster itself have no signatures. */
  key?: RunKey
}

/** The `host` of an engine whose runs are executed by workers. They go on without the engine. */
export function restate(options: RestateHostOptions): HostOpener {
  checkArguments('restate', HOST, [options])
  const { ingress, postgres, key } = options
  return async () => {
    const { restateHost } = await orMissing(
      '@restatedev/restate-sdk-clients',
      () => import('./hosts/restate/host.ts'),
      missing,
    )
    const { clusterHost } = await import('./engine/cluster-host.ts')
    const { openShared } = await import('./store/open-shared.ts')
    const { store } = await openShared(postgres, key)
    return { store, hostOf: (kernel) => clusterHost(restateHost({ store, kernel, ingress }), store, kernel) }
  }
}

function missing(advice: string, data: object): ThinkonError {
  return new ThinkonError('BAD_INPUT', `thinkon/restate ${advice}`, { data: { ...data } })
}

// --- what may be given

const { model, models, promptTokens, onOutage, tools, strategies } = engineFields
const POSTGRES = 'the connection string of the PostgreSQL that workers and engines share'
const address = must(
  'an address, such as "http://127.0.0.1:8080"',
  (value) => typeof value === 'string' && URL.canParse(value),
)

function isObserver(value: unknown): boolean {
  return isObject(value) && typeof value.runEnded === 'function' && typeof value.retried === 'function'
}

const WORKER: Arguments = {
  checks: {
    options: fields(
      {
        ...{ model, models, promptTokens, onOutage, tools, strategies },
        postgres: text,
        admin: address,
        ingress: address,
        host: text,
        port: whole(0, 65_535),
        address,
        version: anyText,
        workers: workerClass,
        identityKeys: list(text, 'a list of texts'),
        tls: fields({ cert: text, key: text }),
        observer: must('the telemetry of createTelemetry', isObserver),
        onLost: func(),
        onWait: func(),
        signal: abortSignal,
      } satisfies Fields<ClusterWorkerOptions>,
      { needs: { postgres: POSTGRES, admin: "the address of the server's admin API" } },
    ),
  },
  needs: { options: 'postgres and admin' },
}

const HOST: Arguments = {
  checks: {
    options: fields({ ingress: address, postgres: text, key: runKey } satisfies Fields<RestateHostOptions>, {
      needs: { postgres: POSTGRES, ingress: "the address of the server's ingress" },
    }),
  },
  needs: { options: 'ingress and postgres' },
}
