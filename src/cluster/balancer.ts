/**
 * A small HTTP/2 balancer for a cluster on one machine: each request goes to the healthy worker that has the fewest. (Balancing connections
 * instead gave one of two workers up to 22 of 24 calls: the server keeps to the connections that it has.)
 *
 * 1. Health is asked over HTTP/2, as a hung process still accepts connections. 200 is healthy; 404 means that the worker drains: it gets
 *    no new requests and keeps those it has; anything else twice means that it is down, and its requests are reset, so that the server
 *    sends them again. A worker that takes no connections is down at once: as the one with the fewest requests it would get all of them.
 *    It is asked once at a time: one that has been busy for a moment must not fail twice for it.
 * 2. Workers may be absent, and come and go.
 * 3. A request that finds no healthy worker waits for one: for the server it is only slow.
 */
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'

const CHECK_MS = 500
const CHECK_TIMEOUT_MS = 2_000
const FALL = 2
/** What a worker allows on one connection. */
const STREAMS = 8
const MOST_STREAMS = 10_000

export interface BalancerOptions {
  readonly port: number
  /** The workers' ports on loopback. */
  readonly workers: readonly number[]
}

export interface Balancer {
  readonly port: number
  /** The ports of those that are given work. */
  healthy(): number[]
  /** How many each worker has. */
  requests(): number[]
  close(): Promise<void>
}

interface Worker {
  readonly port: number
  /** With the number of requests on it. */
  readonly sessions: Map<ClientHttp2Session, number>
  readonly requests: Set<ServerHttp2Stream>
  state: 'up' | 'draining' | 'down'
  failures: number
  /** For its health. */
  isAsked: boolean
}

export async function openBalancer({ port, workers: ports }: BalancerOptions): Promise<Balancer> {
  const workers = ports.map(
    (of): Worker => ({
      port: of,
      sessions: new Map(),
      requests: new Set(),
      state: 'down',
      failures: FALL,
      isAsked: false,
    }),
  )
  const waiting = new Map<ServerHttp2Stream, IncomingHttpHeaders>()
  const sessions = new Set<Http2Session>()
  const server = createServer({ settings: { maxConcurrentStreams: MOST_STREAMS } })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {}) // its requests are told
    session.once('close', () => sessions.delete(session))
  })
  server.on('stream', (request, headers) => {
    request.on('error', () => {}) // it is closed as well
    waiting.set(request, headers)
    request.once('close', () => waiting.delete(request))
    assign()
  })

  function assign(): void {
    for (const [request, headers] of waiting) {
      const [worker] = workers
        .filter(({ state }) => state === 'up')
        .sort((a, b) => a.requests.size - b.requests.size)
      if (worker === undefined) return
      waiting.delete(request)
      forward(request, headers, worker)
    }
  }

  async function check(worker: Worker): Promise<void> {
    if (worker.isAsked) return
    worker.isAsked = true
    const status = await healthOf(worker.port)
    worker.isAsked = false
    worker.failures = status === 200 || status === 404 ? 0 : worker.failures + 1
    if (status === 200) worker.state = 'up'
    else if (status === 404) worker.state = 'draining'
    else if (worker.failures >= FALL) fell(worker)
    assign()
  }

  const timer = setInterval(() => {
    for (const worker of workers) void check(worker)
  }, CHECK_MS)
  await Promise.all(workers.map(check))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port,
    healthy: () => workers.filter(({ state }) => state === 'up').map((worker) => worker.port),
    requests: () => workers.map(({ requests }) => requests.size),
    async close() {
      clearInterval(timer)
      const closed = new Promise((resolve) => server.close(resolve))
      for (const worker of workers) fell(worker)
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}

function fell(worker: Worker): void {
  worker.state = 'down'
  for (const session of worker.sessions.keys()) session.destroy()
  for (const request of worker.requests) reset(request)
}

/** Both ways, as they come: an execution listens while it speaks. */
function forward(request: ServerHttp2Stream, headers: IncomingHttpHeaders, worker: Worker): void {
  const session = sessionWithRoom(worker)
  const passed = session.request(headers)
  worker.requests.add(request)
  worker.sessions.set(session, (worker.sessions.get(session) ?? 0) + 1)
  passed.on('error', () => {}) // it is closed as well
  passed.once('response', (answer) => {
    if (!request.headersSent && !request.destroyed) request.respond(answer)
  })
  passed.once('close', () => {
    worker.requests.delete(request)
    worker.sessions.set(session, (worker.sessions.get(session) ?? 1) - 1)
    // One that broke off must not look like one that has ended.
    const isWhole = passed.readableEnded && passed.rstCode === constants.NGHTTP2_NO_ERROR
    reset(request, isWhole ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR)
  })
  request.once('close', () => {
    if (!passed.closed) passed.close(constants.NGHTTP2_CANCEL)
  })
  request.pipe(passed).pipe(request)
}

function sessionWithRoom(worker: Worker): ClientHttp2Session {
  for (const [session, requests] of worker.sessions)
    if (requests < STREAMS && !session.closed && !session.destroyed) return session
  const session = connect(`http://127.0.0.1:${worker.port}`)
  worker.sessions.set(session, 0)
  session.once('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ECONNREFUSED') fell(worker)
  })
  session.once('close', () => worker.sessions.delete(session))
  return session
}

function reset(request: ServerHttp2Stream, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if (!request.closed) request.close(code)
}

/** The status of its answer; 0 without one. */
function healthOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`)
    const end = (status: number) => {
      clearTimeout(late)
      resolve(status)
      session.destroy()
    }
    const late = setTimeout(() => end(0), CHECK_TIMEOUT_MS)
    session.once('error', () => end(0))
    session.once('close', () => end(0)) // one that hangs up says nothing else
    const request = session.request({ ':path': '/health' })
    request.once('error', () => end(0))
    request.once('response', (headers) => end(Number(headers[':status'])))
    request.end()
  })
}
