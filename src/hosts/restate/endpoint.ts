/**
 * What a balancer and the Restate server see of a worker: HTTP/2 on an address, the services under the path of the worker's version, and
 * its health. What trials showed:
 *
 * 1. `/health` answers 200, and 404 while the worker drains: the balancer gives it nothing new, and keeps what it has.
 * 2. A draining worker goes on listening and sends no GOAWAY: the server would report an error and send again what is under way.
 * 3. Behind a balancer of layer 4 a connection may carry few streams only (8): with many, all work stays on the connections there are,
 *    and a worker that comes back gets none. For the same reason a draining worker takes no new streams on the connections it has.
 * 4. What asks for the health may speak HTTP/1.1, as Kubernetes does.
 * 5. Under a path of another version nothing is served: a block goes on with the code that began it.
 */
import { createServer as createHttp1Server } from 'node:http'
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ThinkonError } from '../../protocol/errors.ts'

/** How long a balancer may take to notice that the worker drains: it asks every 500 ms, and believes the second answer. */
const NOTICE_MS = 1_200
const LOOK_MS = 20
const STREAMS = 8

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void

export interface EndpointOptions {
  readonly handler: Handler
  /** Where the services are: `/0.1.0-7`. */
  readonly path?: string
  /** Loopback by default: whoever can reach a worker can have it do things, unless requests are signed. */
  readonly host?: string
  readonly port?: number
  /** PEM. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Concurrent requests on one connection. */
  readonly maxStreams?: number
}

export interface Endpoint {
  readonly port: number
  /** How many requests are being served, health checks aside. */
  active(): number
  /** Resolves when nothing is active any more, or when `signal` says that it has taken long enough. */
  drain(isActive: () => boolean, signal?: AbortSignal): Promise<void>
  /** At once. */
  close(): Promise<void>
}

export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { handler, path = '', host = '127.0.0.1', port = 0, tls, maxStreams = STREAMS } = options
  const settings = { maxConcurrentStreams: maxStreams }
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Socket>()
  let active = 0
  let draining = false

  function serve(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const [at] = request.url.split('?') as [string]
    if (at === '/health' || at === `${path}/health`) answer(response, draining ? 404 : 200)
    else if (at.startsWith(`${path}/`)) {
      active++
      response.once('close', () => active--)
      handler(request, response)
    } else answer(response, 404, `this worker serves ${path}`)
  }

  const http2 = tls
    ? createSecureServer({ settings, ...tls, allowHTTP1: true }, serve)
    : createServer({ settings }, serve)
  const server = tls ? http2 : eitherProtocol(http2, serve)
  http2.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => {}) // its streams are told
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    active: () => active,
    async drain(isActive, signal) {
      draining = true
      const ended = () => signal?.aborted === true
      await pause(NOTICE_MS, undefined, { ...(signal && { signal }) }).catch(() => {})
      for (const session of sessions) if (!session.closed) session.settings({ maxConcurrentStreams: 0 })
      while (!ended() && (active > 0 || isActive())) await pause(LOOK_MS)
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const PREFACE = 'PRI * HTTP/2.0'
const SILENT_MS = 30_000

/** Without TLS nothing says which protocol a connection speaks but its first bytes. */
function eitherProtocol(http2: Server, serve: Handler): Server {
  const http1 = createHttp1Server((request, response) => serve(request as never, response as never))
  return createTcpServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(SILENT_MS, () => socket.destroy())
    socket.once('data', (first) => {
      socket.pause()
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      socket.unshift(first)
      const isHttp2 = first.toString('latin1', 0, PREFACE.length) === PREFACE
      ;(isHttp2 ? http2 : http1).emit('connection', socket)
      if (!isHttp2) socket.resume()
    })
  })
}

function answer(response: Http2ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'content-type': 'text/plain' })
  response.end(text)
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'something else listens there already' : cause.message
      reject(new ThinkonError('BAD_INPUT', `the worker can't listen on ${host}:${port}: ${why}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}
