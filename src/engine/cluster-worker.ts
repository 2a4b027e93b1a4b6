/** A worker of a cluster, from what a program or a configuration gives it: store, kernel, claims, its server, and its registration. */

import { registerPatiently, registerVersion } from '../hosts/restate/register.ts'
import { startWorker } from '../hosts/restate/worker.ts'
import type { WorkerObserver } from '../kernel/worker-observer.ts'
import type { ThinkonError } from '../protocol/index.ts'
import { defined } from '../protocol/index.ts'
import { openShared } from '../store/open-shared.ts'
import { join } from '../store/postgres/claims.ts'
import { VERSION } from '../version.ts'
import type { EngineOptions } from './api.ts'
import { closeParts, openParts } from './parts.ts'

export interface ClusterWorkerOptions
  extends Pick<EngineOptions, 'model' | 'models' | 'promptTokens' | 'onOutage' | 'tools' | 'strategies'> {
  /** The connection string of the PostgreSQL that workers and clients share. */
  postgres: string
  /** Address of the server's admin API, such as `http://127.0.0.1:9070`. */
  admin: string
  /** Address of the server's ingress: a worker that knows it wakes runs for signals that came while the server was down. */
  ingress?: string
  /** Where it listens; loopback by default. */
  host?: string
  /** The same one after a restart, unless there is a balancer: the server looks for begun work where it gave it out. */
  port?: number
  /** Where the server finds the workers: their balancer, without a version. Without it, this is the only worker. */
  address?: string
  /** Changes whenever runs that are under way could not go on with your code as it is now. */
  version?: string
  /** The class of workers that it is of: it performs the calls of tools that say `workers`, and nothing else. */
  workers?: string
  /** Public keys of the server: requests that it has not signed are refused. */
  identityKeys?: readonly string[]
  /** PEM. */
  tls?: { readonly cert: string; readonly key: string }
  /** Hears of runs that end here and of failed attempts of models: the telemetry of `createTelemetry`. */
  observer?: WorkerObserver
  /** The connection to PostgreSQL was lost: others take over what this worker does, and it must end. */
  onLost?: (error: ThinkonError) => void
  /** Hears why it is not registered yet; without it, that is an error. */
  onWait?: (why: string) => void
  /** Gives up waiting for the server. */
  signal?: AbortSignal
}

export interface ClusterWorker {
  /** Where its version is registered. */
  readonly address: string
  /** Takes nothing new; resolves when nothing is under way any more, or when `signal` says that it has taken long enough. */
  drain(signal?: AbortSignal): Promise<void>
  /** Ends at once; what is under way goes on when a worker is there again. */
  close(): Promise<void>
}

/** Resolves when the server knows where it is. */
export async function clusterWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  const { postgres, admin, ingress, host, port, address, version = '', workers, ...rest } = options
  const { onLost = () => {}, onWait, signal, identityKeys, tls, observer, ...work } = rest
  const path = `/${VERSION}${version && `-${version}`}${workers ? `/${workers}` : ''}`
  const { store, database } = await openShared(postgres)
  const ends: (() => unknown)[] = [() => store.close()]
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    const parts = await openParts({ ...work, store })
    ends.push(() => closeParts(parts))
    const { claims, leave } = await join(database, { version, onLost, ...(workers && { class: workers }) })
    ends.push(leave)
    const worker = await startWorker({
      ...{ store, claims, kernel: parts.kernel, admin, path },
      ...defined({ ingress, host, port, identityKeys, tls, workers, observer }),
    })
    ends.push(() => worker.close())
    const registered = address === undefined ? worker.address : `${address}${path}`
    if (onWait) await registerPatiently(admin, registered, defined({ onWait, signal }))
    else await registerVersion(admin, registered, signal)
    return { address: registered, drain: worker.drain, close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}
