/**
 * A small balancer of layer 4 for a cluster on one machine: a connection goes to the healthy worker that has the fewest.
 *
 * 1. Health is asked over HTTP/2, as a hung process still accepts connections. 200 is healthy; 404 means that the worker drains: it gets
 *    no new connections and keeps those it has; anything else twice means that it is down, and its connections are closed.
 * 2. Workers may be absent, and come and go.
 * 3. A connection that finds no healthy worker waits for one: for the server it is only slow.
 */
import { connect as connectHttp2 } from 'node:http2'
import { connect, createServer, type Socket } from 'node:net'

const CHECK_MS = 500
const CHECK_TIMEOUT_MS = 2_000
const FALL = 2

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
  connections(): number[]
  close(): Promise<void>
}

interface Worker {
  readonly port: number
  readonly connections: Set<Socket>
  state: 'up' | 'draining' | 'down'
  failures: number
}

export async function openBalancer({ port, workers: ports }: BalancerOptions): Promise<Balancer> {
  const workers = ports.map(
    (of): Worker => ({ port: of, connections: new Set(), state: 'down', failures: FALL }),
  )
  const waiting = new Set<Socket>()
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy())
    waiting.add(client)
    client.once('close', () => waiting.delete(client))
    assign()
  })

  function assign(): void {
    for (const client of waiting) {
      const [worker] = workers
        .filter(({ state }) => state === 'up')
        .sort((a, b) => a.connections.size - b.connections.size)
      if (worker === undefined) return
      waiting.delete(client)
      join(client, worker)
    }
  }

  function join(client: Socket, worker: Worker): void {
    const socket = connect({ port: worker.port, host: '127.0.0.1', noDelay: true })
    worker.connections.add(client)
    const end = () => {
      worker.connections.delete(client)
      client.destroy()
      socket.destroy()
    }
    for (const side of [client, socket]) side.on('error', end).once('close', end)
    client.pipe(socket).pipe(client)
  }

  async function check(worker: Worker): Promise<void> {
    const status = await healthOf(worker.port)
    worker.failures = status === 200 || status === 404 ? 0 : worker.failures + 1
    if (status === 200) worker.state = 'up'
    else if (status === 404) worker.state = 'draining'
    else if (worker.failures >= FALL) {
      worker.state = 'down'
      for (const client of worker.connections) client.destroy()
    }
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
    connections: () => workers.map(({ connections }) => connections.size),
    async close() {
      clearInterval(timer)
      const closed = new Promise((resolve) => server.close(resolve))
      for (const { connections } of workers) for (const client of connections) client.destroy()
      for (const client of waiting) client.destroy()
      await closed
    },
  }
}

/** The status of its answer; 0 without one. */
function healthOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const end = (status: number) => {
      resolve(status)
      session.destroy()
    }
    session.setTimeout(CHECK_TIMEOUT_MS, () => end(0))
    session.once('error', () => end(0))
    const request = session.request({ ':path': '/health' })
    request.once('error', () => end(0))
    request.once('response', (headers) => end(Number(headers[':status'])))
    request.end()
  })
}
