// What a stream of the client does when its reader, its connection or its service is slow, silent or gone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { configWithoutOrigin } from '../../src/kernel/without-origin.ts'
import { endAll, gate, serveHere, TOKEN } from '../server/serve-here.ts'
import { all } from '../stores.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await endAll()
})

const message = (seq: number, type = 'note') =>
  `id: ${seq}\ndata: ${JSON.stringify({ seq, type, run: 'a', path: '1', ts: '2026-11-18T08:00:00.000Z' })}\n\n`

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

/** A service that answers as `answers` say, one after another, the last again and again. */
async function scripted(...answers: ((response: ServerResponse, request: IncomingMessage) => unknown)[]) {
  const asked: { atMs: number; after: string | undefined }[] = []
  const server = createServer((request, response) => {
    asked.push({ atMs: Date.now(), after: request.headers['last-event-id'] as string | undefined })
    answers[Math.min(asked.length, answers.length) - 1]?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

it('a reader that takes its time makes the service wait: nothing piles up', async () => {
  let sent = 0
  const encoder = new TextEncoder()
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (controller) =>
          controller.enqueue(encoder.encode(message(++sent, sent === 1_000 ? 'run-end' : 'note'))),
      },
      { highWaterMark: 0 },
    )
  const fetch = async () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
  const client = createClient({ url: 'http://127.0.0.1', fetch })
  for (const events of [client.run('a').events, client.run('a').events.with({ deltas: true })]) {
    sent = 0
    let taken = 0
    for await (const _ of events) {
      taken++
      await new Promise((resolve) => setImmediate(resolve))
      expect(sent - taken).toBeLessThanOrEqual(2)
    }
    expect([taken, sent]).toEqual([1_000, 1_000])
  }
})

it('gives up a service that has gone for good, after giveUpMs, with what it has read', async () => {
  const held = gate()
  const served = await serveHere({ script: held.script })
  const client = createClient({ url: served.url, token: TOKEN, retryMs: 5, giveUpMs: 100 })
  const run = await client.start('a')
  const read: string[] = []
  const reading = (async () => {
    for await (const { type } of run.events) read.push(type)
  })()
  const failed = expect(reading).rejects.toMatchObject({ code: 'INTERRUPTED', retryable: true })
  await held.asked
  await expect.poll(() => read.length).toBeGreaterThan(0)
  await served.close()
  await failed
  expect(read[0]).toBe('run-start')
})

it('does not give up a service that answers, however often its streams are cut', async () => {
  const cut = (response: ServerResponse) => begin(response).end(': still here\n\n')
  const cuts = Array.from({ length: 7 }, () => cut)
  const { url, asked } = await scripted(...cuts, (response) => begin(response).end(message(1, 'run-end')))
  const client = createClient({ url, retryMs: 10, giveUpMs: 20 })
  expect(await all(client.run('a').events)).toHaveLength(1)
  expect(asked).toHaveLength(8)
})

it('a stream that is silent is opened again after its last event', async () => {
  const { url, asked } = await scripted(
    (response) => begin(response).write(message(1)),
    (response) => begin(response).end(message(2) + message(3, 'run-end')),
  )
  const client = createClient({ url, retryMs: 5, silenceMs: 50 })
  expect((await all(client.run('a').events)).map((event) => 'seq' in event && event.seq)).toEqual([1, 2, 3])
  expect(asked.map(({ after }) => after)).toEqual([undefined, '1'])
})

it('comes again when a service that has too much to do says so, not before', async () => {
  const problem = { code: 'LIMIT', detail: '2 streams are open', status: 429 }
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' }
  const { url, asked } = await scripted(
    (response) => begin(response).end(message(1)),
    (response) => response.writeHead(429, headers).end(JSON.stringify(problem)),
    (response) => begin(response).end(message(2, 'run-end')),
  )
  const client = createClient({ url, retryMs: 5 })
  expect(await all(client.run('a').events)).toHaveLength(2)
  const [, refused = { atMs: 0 }, again = { atMs: 0 }] = asked
  // A timer may be a little early.
  expect(again.atMs - refused.atMs).toBeGreaterThan(900)
})

it('tells which steps are under way, and ends a request that nobody waits for', async () => {
  const held = gate()
  const served = await serveHere({ script: held.script })
  const client = createClient({ url: served.url, token: TOKEN })
  const { id } = await client.start('a')
  await held.asked
  const state = await client.state(id)
  expect(state.running.size).toBe(1)
  const { config, ...inService } = await served.service.engine.state(id)
  expect(state).toEqual({ ...inService, config: configWithoutOrigin(config) })
  const signal = AbortSignal.abort(new Error('left the page'))
  for (const asked of [
    client.list({ signal }),
    client.show(id, { signal }),
    client.state(id, { signal }),
    client.events(id, { signal }),
  ])
    await expect(asked).rejects.toThrow('left the page')
  held.open()
})
