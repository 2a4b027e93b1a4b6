// The client against the real service: every method, broken connections, restarts, and what is no service at all.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type ClientOptions, createClient, ThinkonError } from '../../src/client.ts'
import { configWithoutOrigin, withoutOrigin } from '../../src/kernel/without-origin.ts'
import type { Event } from '../../src/protocol/index.ts'
import { DONE, endAll, gate, type Served, serveHere, storeFile, TOKEN } from '../server/serve-here.ts'
import { all } from '../stores.ts'
import { cuttingProxy } from './cutting-proxy.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await endAll()
})

const clientOf = ({ url }: Pick<Served, 'url'>, more: Partial<ClientOptions> = {}) =>
  createClient({ url, token: TOKEN, retryMs: 5, ...more })

async function thrownBy(work: () => unknown): Promise<ThinkonError> {
  try {
    await work()
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

it('starts a run and reads all of it: outcome, events, text, thoughts, UI messages', async () => {
  const served = await serveHere()
  const client = clientOf(served)
  const run = await client.start('a', { model: 'slow', budget: { calls: 7 }, id: 'mine', seed: 's' })
  expect(run.id).toBe('mine')
  const outcome = await run.outcome
  expect(outcome).toMatchObject({ status: 'completed', result: 'done', run: 'mine' })
  expect(outcome.roles).toEqual((await served.service.engine.state('mine')).roles)
  const events = await all(run.events)
  expect(events).toEqual([...(await served.service.engine.events('mine'))].map(withoutOrigin))
  expect(await all(run.events.with({ from: 3 }))).toEqual(events.slice(2))
  expect((await all(run.text)).join('')).toBe('done')
  expect((await all(run.thoughts)).length).toBeGreaterThan(0)
  const chunks = await all(run.toUIMessageStream())
  expect(chunks[0]).toMatchObject({ type: 'start', messageId: 'mine' })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish' })
  // What has ended takes nothing any more, as in the library.
  await run.signal('1', 'message', 'late')
  await run.cancel()
  expect(await client.start('a', { id: 'mine' }).then(({ id }) => id)).toBe('mine')
})

it('looks, forks, replays, exports, imports and deletes', async () => {
  const served = await serveHere({ service: { workspace: storeFile().replace(/runs\.db$/, '') } })
  const client = createClient({ url: served.url, token: TOKEN })
  const run = await client.start('first')
  await run.outcome
  expect(await client.list({ status: ['completed', 'failed'], search: 'irs', limit: 5 })).toMatchObject({
    runs: [{ id: run.id, status: 'completed' }],
    total: 1,
  })
  expect(await client.show(run.id)).toMatchObject({
    outcome: { result: 'done' },
    questions: [],
    model: 'fast',
  })
  const state = await client.state(run.id)
  const { config, ...inService } = await served.service.engine.state(run.id)
  expect(state).toEqual({ ...inService, config: configWithoutOrigin(config) })
  expect((await client.state(run.id, { open: true })).blocks.get('1')).toMatchObject({ status: 'completed' })
  const page = await client.events(run.id, { from: 2, limit: 2 })
  expect([page.events.map(({ seq }) => seq), page.next]).toEqual([[2, 3], 4])
  expect(await client.replay(run.id)).toMatchObject({ differences: [] })
  const fork = await client.fork(run.id, 2)
  expect(await client.run(fork).outcome).toMatchObject({ status: 'completed' })
  const asked = [...(await served.service.engine.events(run.id))].find(({ type }) => type === 'model-start')
  const edit = { request: { messages: [{ role: 'user', content: 'another' }] } } as const
  const edited = await client.fork(run.id, asked?.seq ?? 0, { edit })
  expect(await client.run(edited).outcome).toMatchObject({ status: 'completed' })
  const { events } = await client.events(edited, { from: asked?.seq ?? 0, limit: 1 })
  expect(events).toMatchObject([{ type: 'model-start', edited: true, request: edit.request }])
  const redone = await client.redo(run.id, '1', 'better')
  expect(await client.run(redone).outcome).toMatchObject({ status: 'completed' })
  const lines = await all(await client.export(run.id))
  expect(lines).toEqual(await all(await served.service.engine.export(run.id)))
  expect((await client.delete(run.id)).freedBytes).toBeGreaterThanOrEqual(0)
  expect(await client.import(lines, { as: 'again' })).toMatchObject({ run: 'again', existed: false })
  expect(await client.import(lines.join(''), { as: 'again' })).toMatchObject({ existed: true })
  expect((await client.models()).models.map(({ model }) => model)).toEqual(['fast', 'slow'])
  expect((await client.strategies()).find(({ name }) => name === 'tot')?.options).toHaveProperty('properties')
  expect(await client.tools()).toEqual(await served.service.engine.tools())
  expect((await client.blueprints()).blueprints.length).toBeGreaterThan(0)
  expect(await createClient({ url: served.url }).health()).toEqual({ ok: true })
})

it('steers: signals, answers, cancel, resume, and a signal of the caller that cancels', async () => {
  let asked = false
  const served = await serveHere({
    script: () => {
      if (asked) return { do: 'return', result: 'thanks' }
      asked = true
      return { do: 'ask', question: { text: 'Which?', choices: ['red', 'green'] } }
    },
  })
  const client = clientOf(served)
  const run = await client.start('a')
  for await (const { type } of run.events) if (type === 'signal-asked') break
  expect((await client.show(run.id)).questions).toMatchObject([{ path: '1', text: 'Which?' }])
  expect(await thrownBy(() => client.answer(run.id, 'blue'))).toMatchObject({
    code: 'INVALID_ANSWER',
    data: { status: 400, choices: ['red', 'green'] },
  })
  await client.signal(run.id, '1', 'message', 'hurry')
  const [question] = await client.questions({ run: run.id })
  await client.answer(run.id, 'green', { question: question?.id ?? 0 })
  expect(await run.outcome).toMatchObject({ result: 'thanks' })
  expect(await thrownBy(() => client.cancel(run.id))).toMatchObject({ data: { status: 409 } })
  await served.close()

  const { script, asked: begun, open } = gate()
  const second = await serveHere({ script })
  const other = clientOf(second)
  const giveUp = new AbortController()
  const given = await other.start('b', { signal: giveUp.signal })
  await begun
  giveUp.abort('enough')
  expect(await given.outcome).toMatchObject({ status: 'cancelled' })
  open()
  expect((await (await other.resume(given.id)).outcome).status).toBe('cancelled')
})

it('gives a value as the schema makes it', async () => {
  const served = await serveHere({ script: () => ({ do: 'return', result: '{"at":"noon"}' }) })
  const client = clientOf(served)
  const output = z.object({ at: z.string().transform((text) => text.length) })
  const run = await client.start('when? As JSON', { output })
  const ended = await run.outcome
  expect(ended).toMatchObject({ status: 'completed', value: { at: 4 } })
  const json = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } as const
  const plain = await client.run(run.id, { output: json }).outcome
  expect(plain.value?.at).toBe('noon')
  const wrong = client.run(run.id, { output: z.object({ at: z.number() }) })
  expect(await thrownBy(() => wrong.outcome)).toMatchObject({ code: 'BAD_INPUT' })
})

it('goes on by itself when the service is stopped and comes back on the same store', async () => {
  const store = storeFile()
  const held = gate()
  const first = await serveHere({ store, script: held.script })
  const client = clientOf(first)
  const run = await client.start('a')
  const seen: Event[] = []
  const reading = (async () => {
    for await (const event of run.events) if ('seq' in event) seen.push(event)
  })()
  const outcome = run.outcome
  const text = all(run.text)
  await held.asked
  await first.close()
  const second = await serveHere({ store, script: DONE, listen: { port: first.port } })
  await second.service.open()
  await reading
  expect(seen).toEqual([...(await second.service.engine.events(run.id))].map(withoutOrigin))
  expect(seen.some(({ type }) => type === 'run-resume')).toBe(true)
  expect((await outcome).result).toBe('done')
  expect((await text).join('')).toBe('done')
})

it('misses nothing and gets nothing twice through a proxy that cuts at random bytes', async () => {
  const words = Array.from({ length: 60 }, (_, i) => `wörd${i} `)
  const served = await serveHere({
    script: async (_, { onDelta }) => {
      const reply = JSON.stringify({ do: 'return', result: words.join('') })
      for (let i = 0; i < reply.length; i += 7) {
        onDelta(reply.slice(i, i + 7))
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return reply
    },
  })
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  let cutting = true
  const proxy = await cuttingProxy(served.port, () => (cutting ? 300 + Math.floor(random() * 2_500) : null))
  ends.push(() => proxy.close())
  const { id } = await clientOf(served).start('a')
  const client = clientOf(proxy)
  await until(async () => client.health())
  const run = client.run(id)
  const [events, texts, outcome] = await Promise.all([all(run.events), all(run.text), run.outcome])
  expect(events).toEqual([...(await served.service.engine.events(id))].map(withoutOrigin))
  expect(texts.join('')).toBe(outcome.result)
  expect(proxy.cuts).toBeGreaterThan(3)
  cutting = false
})

async function until(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await work())
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

it('lets go when its reader does', async () => {
  const held = gate()
  const served = await serveHere({ script: held.script })
  const client = clientOf(served)
  const run = await client.start('a')
  const stop = new AbortController()
  const read: unknown[] = []
  const reading = (async () => {
    for await (const event of run.events.with({ deltas: true, signal: stop.signal })) {
      read.push(event)
      if (event.type === 'model-start') stop.abort()
    }
  })()
  await reading
  expect(read.length).toBeGreaterThan(0)
  const reader = run.events[Symbol.asyncIterator]()
  await reader.next()
  await reader.return?.()
  held.open()
  expect((await run.outcome).result).toBe('let go')
})

it('says what is wrong: token, run, scope, address', async () => {
  const served = await serveHere()
  expect(await thrownBy(() => clientOf(served, { token: 'wrong' }).list())).toMatchObject({
    code: 'DENIED',
    retryable: false,
    data: { status: 401 },
  })
  const client = clientOf(served)
  expect(await thrownBy(() => client.show('nobody'))).toMatchObject({
    code: 'UNKNOWN_RUN',
    data: { status: 404 },
  })
  const stranger = client.run('nobody')
  expect((await thrownBy(() => stranger.outcome)).code).toBe('UNKNOWN_RUN')
  expect((await thrownBy(() => all(stranger.events))).code).toBe('UNKNOWN_RUN')
  expect((await thrownBy(() => all(stranger.text))).code).toBe('UNKNOWN_RUN')
  expect((await thrownBy(() => client.show('..'))).message).toBe(
    'client: run must be a text that is not empty, not ".."',
  )
  expect((await thrownBy(() => client.start('a', { modle: 'x' } as never))).message).toContain('modle')
  expect((await thrownBy(() => createClient({} as never))).message).toContain('url is missing')
  expect((await thrownBy(() => createClient({ url: 'no address' }))).message).toContain('must be an address')
  await served.close()
  const gone = await thrownBy(() => client.start('b'))
  expect(gone).toMatchObject({ code: 'INTERRUPTED', retryable: true })
  expect(gone.message).not.toContain(TOKEN)
  // Never reached: not worth waiting for.
  expect((await thrownBy(() => all(clientOf(served).run('a').events))).code).toBe('INTERRUPTED')
  const patient = clientOf(served, { giveUpMs: 30 })
  expect((await thrownBy(() => patient.run('a').outcome)).code).toBe('INTERRUPTED')
})

it.each([
  ['an HTML page', 200, 'text/html', '<h1>Welcome</h1>', 'BAD_INPUT', false],
  ['an HTML error of a proxy', 502, 'text/html', '<h1>Bad gateway</h1>', 'INTERRUPTED', true],
  ['an HTML page that says not found', 404, 'text/html', '<h1>Not found</h1>', 'BAD_INPUT', false],
  ['JSON that is none', 200, 'application/json', '{"runs": [', 'INTERRUPTED', true],
  ['other JSON', 400, 'application/json', '{"error": "no"}', 'BAD_INPUT', false],
])('an answer that is %s is an error that says so', async (_, status, type, body, code, retryable) => {
  const server = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ url, giveUpMs: 0 })
  expect(await thrownBy(() => client.list())).toMatchObject({ code, retryable })
  const followed = await thrownBy(() => all(client.run('a').events))
  expect(followed.code).toBe(type === 'text/html' ? code : 'BAD_INPUT')
})
