import { once } from 'node:events'
import { createServer } from 'node:http2'
import { connect, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Balancer, openBalancer } from './balancer.ts'
import { freePorts } from './free-ports.ts'

const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A worker that counts its connections: a health check asks at once, the others say nothing. */
async function worker(port: number) {
  const answers = { health: 200 }
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => {
    response.writeHead(answers.health)
    response.end()
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

async function client(balancer: Balancer): Promise<Socket> {
  const socket = connect(balancer.port, '127.0.0.1')
  socket.resume().on('error', () => {})
  ends.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(10)
}

test('gives each worker as many connections', async () => {
  const { balancer } = await setUp(3)
  expect(balancer.healthy()).toHaveLength(3)
  for (let i = 0; i < 6; i++) await client(balancer)
  await until(() => balancer.connections().every((n) => n === 2))
})

test('a worker that drains keeps its connections and gets no others', async () => {
  const { balancer, workers } = await setUp(2)
  const both = [await client(balancer), await client(balancer)]
  await until(() => balancer.connections().every((n) => n === 1))
  ;(workers[0] as { answers: { health: number } }).answers.health = 404
  await until(() => balancer.healthy().length === 1)
  await client(balancer)
  await client(balancer)
  await until(() => balancer.connections()[1] === 3)
  expect(balancer.connections()[0]).toBe(1)
  expect(both.every((socket) => !socket.destroyed)).toBe(true)
})

test('the connections of a worker that is down are closed, and it is used again when it is back', async () => {
  const { balancer, workers, ports } = await setUp(1)
  const socket = await client(balancer)
  await until(() => balancer.connections()[0] === 1)
  const closed = once(socket, 'close')
  ;(workers[0] as { answers: { health: number } }).answers.health = 500
  await closed
  await until(() => balancer.healthy().length === 0)
  const waits = await client(balancer) // for a worker that is there
  await workers[0]?.end()
  await worker(ports[0] as number)
  await until(() => balancer.connections()[0] === 1)
  expect(waits.destroyed).toBe(false)
})
