/** Listens on an address, with limits of its own on connections and headers. */
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { errorText, ThinkonError } from '../../protocol/index.ts'

export interface ListenOptions {
  host: string
  /** 0 for any that is free. */
  port: number
  /** How long the head of a request may take. Default: 10 seconds. */
  headersTimeoutMs?: number
  /** How long all of a request may take, a file that is imported too. Default: 10 minutes. */
  requestTimeoutMs?: number
  /** Default: 16 KiB. */
  maxHeaderBytes?: number
  /** Default: 5,000. */
  maxConnections?: number
}

export interface Listening {
  readonly port: number
  /** Takes no new connections; resolves when those there are have ended, which they have to after `graceMs`. */
  close(graceMs?: number): Promise<void>
}

const GRACE_MS = 2_000

export async function listen(app: Pick<Hono, 'fetch'>, options: ListenOptions): Promise<Listening> {
  const { host, port, headersTimeoutMs = 10_000, requestTimeoutMs = 600_000 } = options
  const { maxHeaderBytes = 16 * 1024, maxConnections = 5_000 } = options
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, headersTimeoutMs),
    },
  }) as Server
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(host, port, cause)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close(graceMs = GRACE_MS) {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): ThinkonError {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'another program listens there: choose another port with --port'
      : errorText(cause)
  return new ThinkonError('BAD_INPUT', `can't listen on ${host}:${port}: ${why}`, {
    cause,
    data: { host, port },
  })
}
