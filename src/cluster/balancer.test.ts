import { once } from 'node:events'
import { type ClientHttp2Stream, connect, createServer, type ServerHttp2Stream } from 'node:http2'
import type { Server, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Balancer, openBalancer } from './balancer.ts'
import { freePorts } from './free-ports.ts'

const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A worker that says its health at once, and sends back what it is sent, as long as it is sent something. */
async function worker(port: number) {
  const answers = { health: 200, isSilent: false, unanswered: 0, hangsUp: false }
  const sockets = new Set<Socket>()
  const server = createServer({ settings: { maxConcurrentStreams: 8 } })
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    const isHealth = headers[':path'] === '/health'
    if (isHealth && answers.hangsUp) return void stream.session?.destroy()
    if (isHealth && answers.isSilent) return void answers.unanswered++
    stream.respond({ ':status': isHealth ? answers.health : 200, 'x-worker': String(port) })
    if (isHealth) stream.end()
    else stream.pipe(stream)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const end = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => (server as unknown as Server).close(resolve))
  }
  ends.push(() => end())
  return { answers, end }
}

async function setUp(count: number) {
  const [port, ...ports] = (await freePorts(count + 1)) as [number, ...number[]]
  const workers = await Promise.all(ports.map(worker))
  const balancer = await openBalancer({ port, workers: ports })
  ends.push(() => balancer.close())
  return { balancer, workers, ports }
}

/** A client with one connection. */
function client(balancer: Balancer): () => ClientHttp2Stream {
  const session = connect(`http://127.0.0.1:${balancer.port}`)
  session.on('error', () => {})
  ends.push(() => session.destroy())
  return () => {
    const request = session.request({ ':method': 'POST', ':path': '/work' })
    request.on('error', () => {})
    return request
  }
}

/** Also if it broke off. */
function closed(request: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => request.once('close', () => resolve()))
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(10)
}

test('gives each worker as many requests, though they come on one connection', async () => {
  const { balancer } = await setUp(3)
  const ask = client(balancer)
  expect(balancer.healthy()).toHaveLength(3)
  for (let i = 0; i < 60; i++) ask().resume()
  await until(() => balancer.requests().every((n) => n === 20))
})

test('passes on both ways what comes, while it comes, and the end of it', async () => {
  const { balancer } = await setUp(1)
  const request = client(balancer)()
  for (const word of ['one', 'two']) {
    request.write(word)
    expect(String((await once(request, 'data'))[0])).toBe(word)
  }
  const large = 'x'.repeat(1_000_000)
  let read = ''
  request.setEncoding('utf8').on('data', (text) => {
    read += text
  })
  request.end(large)
  await once(request, 'end')
  expect(read).toBe(large)
  await until(() => balancer.requests()[0] === 0)
})

test('a request that the client gives up is given up at the worker', async () => {
  const { balancer } = await setUp(1)
  const request = client(balancer)()
  await once(request, 'response')
  request.close()
  await until(() => balancer.requests()[0] === 0)
})

test('a worker that drains keeps its requests and gets no others', async () => {
  const { balancer, workers } = await setUp(2)
  const ask = client(balancer)
  const both = [ask().resume(), ask().resume()]
  await until(() => balancer.requests().every((n) => n === 1))
  ;(workers[0] as { answers: { health: number } }).answers.health = 404
  await until(() => balancer.healthy().length === 1)
  ask().resume()
  ask().resume()
  await until(() => balancer.requests()[1] === 3)
  expect(balancer.requests()[0]).toBe(1)
  expect(both.every((request) => !request.closed)).toBe(true)
})

test('the requests of a worker that is down break off, and it is used again when it is back', async () => {
  const { balancer, workers, ports } = await setUp(1)
  const ask = client(balancer)
  const request = ask().resume()
  await until(() => balancer.requests()[0] === 1)
  const broken = closed(request)
  ;(workers[0] as { answers: { health: number } }).answers.health = 500
  await broken
  expect(request.rstCode).not.toBe(0)
  await until(() => balancer.healthy().length === 0)
  const waits = ask().resume() // for a worker that is there
  await workers[0]?.end()
  await worker(ports[0] as number)
  await until(() => balancer.requests()[0] === 1)
  expect(waits.closed).toBe(false)
})

test('a worker that dies breaks off what it has at once, and gets nothing more', async () => {
  const { balancer, workers, ports } = await setUp(2)
  const ask = client(balancer)
  const both = [ask().resume(), ask().resume()]
  await until(() => balancer.requests().every((n) => n === 1))
  const broken = Promise.race(both.map(closed))
  await workers[0]?.end()
  await broken
  const gone = both.filter((request) => request.closed)
  expect(gone.map(({ rstCode }) => rstCode !== 0)).toEqual([true])
  // Only the first one may have to find out that it is gone.
  await Promise.race([once(ask().resume(), 'response'), pause(100)]).catch(() => {})
  const request = ask()
  const [answer] = await once(request, 'response')
  expect(answer['x-worker']).toBe(String(ports[1]))
})

test('a worker whose thread is busy is asked for its health once at a time, and keeps its requests', async () => {
  const { balancer, workers } = await setUp(1)
  const request = client(balancer)().resume()
  await until(() => balancer.requests()[0] === 1)
  const { answers } = workers[0] as Awaited<ReturnType<typeof worker>>
  answers.isSilent = true
  await until(() => answers.unanswered === 1)
  await pause(1_500) // two more checks were due
  expect(answers.unanswered).toBe(1)
  answers.isSilent = false
  expect(balancer.healthy()).toHaveLength(1)
  expect(request.closed).toBe(false)
})

test('a worker that hangs up when it is asked for its health is down, and is asked again', async () => {
  const { balancer, workers } = await setUp(1)
  const { answers } = workers[0] as Awaited<ReturnType<typeof worker>>
  answers.hangsUp = true
  await until(() => balancer.healthy().length === 0)
  answers.hangsUp = false
  await until(() => balancer.healthy().length === 1)
})
