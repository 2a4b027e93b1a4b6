/** A worker: serves blocks and effects to a Restate server. Several of them stand behind one address, see docs/cluster.md. */
import * as restate from '@restatedev/restate-sdk'
import { systemClock } from '../../kernel/clock.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { bells } from './bells.ts'
import { Effects } from './effects.ts'
import { type EndpointOptions, openEndpoint } from './endpoint.ts'
import { services, type WorkerParts } from './services.ts'

export interface WorkerOptions extends WorkerParts, Omit<EndpointOptions, 'handler'> {
  /** Public keys of the Restate server (`publickeyv1_…`): requests that it has not signed are refused. */
  readonly identityKeys?: readonly string[]
}

export interface Worker {
  /** Its own one: what is registered is that of its version, unless it is the only worker. */
  readonly address: string
  readonly port: number
  /** Takes nothing new; resolves when nothing is under way any more, or when `signal` says that it has taken long enough. */
  drain(signal?: AbortSignal): Promise<void>
  /** Ends at once; what is under way goes on when a worker is there again. */
  close(): Promise<void>
}

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { identityKeys = [], path = '', host = '127.0.0.1', tls } = options
  const effects = new Effects(options)
  const handler = endpointHandler(services(options, effects), identityKeys)
  const endpoint = await openEndpoint({ ...options, handler })
  const { port } = endpoint
  const unwatch = systemClock.watch()
  const stopRinging =
    options.ingress === undefined ? () => {} : bells(options.store, options.ingress).keepRinging()
  return {
    port,
    address: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`,
    drain: (signal) => endpoint.drain(() => effects.active > 0, signal),
    async close() {
      effects.abandon()
      unwatch()
      stopRinging()
      await endpoint.close()
    },
  }
}

function endpointHandler(list: ReturnType<typeof services>, identityKeys: readonly string[]) {
  try {
    return restate.createEndpointHandler({
      services: list,
      logger: () => {},
      identityKeys: [...identityKeys],
    })
  } catch (cause) {
    throw new ThinkonError(
      'BAD_INPUT',
      'a public key of the Restate server (identityKeys) looks like publickeyv1_…: the server says it in its log at start',
      { cause },
    )
  }
}
