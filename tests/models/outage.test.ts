// Providers that can't be used, behind a real server: which of their errors leave the run waiting, and what it says.
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, solve } from '../../src/engine.ts'
import { type Ephemeral, type Event, type ModelRetry, ThinkonError } from '../../src/protocol/index.ts'
import { eventLine } from '../../src/views/event-line.ts'
import { type Answer, type FakeProvider, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
afterEach(async () => {
  await fake?.close()
})

const said = (message: string, code?: string) => ({ error: { message, ...(code && { code }) } })
const MOVES = [
  '{"do":"plan","todo":["add"]}',
  '{"do":"call","goals":["add 4 and 2"]}',
  '{"do":"return","result":"6"}',
  '{"do":"return","result":"it is 6"}',
]
const resilience = { baseMs: 1, maxAttempts: 3, firstByteMs: 300, idleMs: 300 }

const OUTAGES: [what: string, answer: Answer, words: string, requests: number][] = [
  ['a wrong key', { status: 401, body: said('Incorrect API key provided') }, 'Incorrect API key', 1],
  ['a key without permission', { status: 403, body: said('not allowed here') }, '403 not allowed here', 1],
  ['no money', { status: 402, body: said('payment required') }, '402 payment required', 1],
  [
    'a spent quota',
    { status: 429, body: said('You exceeded your current quota', 'insufficient_quota') },
    'exceeded your current quota',
    1,
  ],
  ['no credit', { status: 400, body: said('Your credit balance is too low') }, 'credit balance', 1],
  ['an invalid key as a bad request', { status: 400, body: said('API key not valid.') }, 'not valid', 1],
  ['too many requests', { status: 429, body: said('slow down') }, '429 slow down', 3],
  ['a server in trouble', { status: 503, body: said('overloaded') }, '503 overloaded', 3],
  ['a connection that breaks', { text: 'a text', cutAfter: 1 }, 'given up after 3 attempts', 3],
  ['no reply', { hang: true }, 'nothing came for 0.3 s', 3],
]

describe('a run waits for the model after', () => {
  it.each(OUTAGES)('%s, and comes to its end when that is over', async (_, trouble, words, requests) => {
    const answers = MOVES.map((text): Answer => ({ text }))
    let isOut = false
    fake = await startFakeProvider((request) => {
      if (isOut) return trouble
      isOut = JSON.stringify(request.body).includes('add 4 and 2') === false && answers.length === 3
      return answers.shift() as Answer
    })
    const model = { model: `${fake.url}#fake`, resilience }
    const engine = createEngine({ model })
    const run = await engine.start('add', { strategy: 'minimal' })
    const error = await run.outcome.catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: 'MODEL_OUTAGE',
      data: { run: run.id, path: '1-1', model: `${fake.url}#fake`, message: expect.stringContaining(words) },
    })
    expect(fake.requests).toHaveLength(2 + requests)
    expect(await engine.state(run.id)).toMatchObject({ status: 'waiting', outages: [{ path: '1-1' }] })
    isOut = false
    const outcome = await (await engine.resume(run.id)).outcome
    expect(outcome).toMatchObject({ status: 'completed', result: 'it is 6', usage: { calls: 4 } })
    expect(fake.requests).toHaveLength(4 + requests)
    await engine.close()
  })

  it('nobody listens at its address', async () => {
    const port = await freePort()
    const model = { model: `http://127.0.0.1:${port}/v1#fake`, resilience: { baseMs: 1, maxAttempts: 2 } }
    const error = await solve('add', { model, strategy: 'minimal' }).catch((thrown) => thrown)
    expect(ThinkonError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ code: 'MODEL_OUTAGE', data: { run: expect.any(String), path: '1' } })
    expect(error.message).toContain('ECONNREFUSED')
  })
})

it.each([
  ['a bad request', { status: 400, body: said('messages: at least one is required') }],
  ['a bad request that mentions billing', { status: 400, body: said("no such tool 'billing_report'") }],
  ['an unknown model', { status: 404, body: said('no such model') }],
] as [string, Answer][])('%s is an error of the model, as before', async (_, answer) => {
  fake = await startFakeProvider(() => answer)
  const outcome = await solve('add', {
    model: { model: `${fake.url}#fake`, resilience },
    strategy: 'minimal',
  })
  expect(outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR' })
})

it('with onOutage "fail" the step fails and the run ends', async () => {
  fake = await startFakeProvider(() => ({ status: 401, body: said('no key') }))
  const model = { model: `${fake.url}#fake`, resilience }
  const outcome = await solve('add', { model, strategy: 'minimal', onOutage: 'fail' })
  expect(outcome).toMatchObject({ status: 'failed', code: 'MODEL_ERROR' })
  expect(outcome.reason).toContain('401 no key')
})

it('retries under way are told, and are not in the journal', async () => {
  fake = await startFakeProvider([
    { status: 429, headers: { 'retry-after': '0' }, body: said('slow down') },
    { status: 503 },
    { text: '{"do":"return","result":"6"}' },
  ])
  const told: (Event | Ephemeral)[] = []
  const engine = createEngine({ model: { model: `${fake.url}#fake`, resilience } })
  const run = await engine.start('add', { strategy: 'minimal', onEvent: (event) => told.push(event) })
  const streamed: (Event | ModelRetry)[] = []
  for await (const event of run.events) streamed.push(event)
  await run.outcome
  const retries = told.filter((event) => event.type === 'model-retry')
  expect(retries).toMatchObject([
    { run: run.id, path: '1', n: expect.any(Number), status: 429, attempt: 1, of: 3, waitMs: 0 },
    { run: run.id, path: '1', status: 503, attempt: 2, of: 3, waitMs: expect.any(Number) },
  ])
  expect(retries[0]).toMatchObject({
    message: expect.stringContaining('slow down'),
    model: `${fake.url}#fake`,
  })
  expect(streamed.filter((event) => event.type === 'model-retry')).toEqual(retries)
  expect([...(await engine.events(run.id))].map(({ type }) => type as string)).not.toContain('model-retry')
  await engine.close()
})

it('an ask that was paid before the outage is not asked again, in another process either', async () => {
  const store = join(mkdtempSync(join(tmpdir(), 'thinkon-outage-')), 'runs.db')
  fake = await startFakeProvider([
    { text: 'not JSON', usage: { input: 10, output: 1 } },
    { status: 401, body: said('no key') },
    { text: MOVES[3], usage: { input: 20, output: 2 } } as Answer,
  ])
  const model = { model: `${fake.url}#fake`, resilience }
  const first = createEngine({ model, store })
  const run = await first.start('add', { strategy: 'minimal', budget: { calls: 3 } })
  await expect(run.outcome).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
  expect(await first.state(run.id)).toMatchObject({ usage: { calls: 1, inputTokens: 10 } })
  await first.close()
  const second = createEngine({ model, store })
  const outcome = await (await second.resume(run.id)).outcome
  expect(outcome).toMatchObject({
    status: 'completed',
    result: 'it is 6',
    usage: { calls: 2, inputTokens: 30, outputTokens: 3 },
  })
  expect(fake.requests).toHaveLength(3)
  await second.close()
})

it('says of a run in memory that it is lost', async () => {
  fake = await startFakeProvider(() => ({ status: 401, body: said('no key') }))
  const error = await solve('add', {
    model: { model: `${fake.url}#fake`, resilience },
    strategy: 'minimal',
  }).catch((thrown) => thrown)
  expect(error.message).toContain('401 no key; the run was in memory: give solve a store file to resume it')
})

describe('several models for a role', () => {
  it('the next one answers while the first is out, and the journal says which did', async () => {
    const first = await startFakeProvider(() => ({ status: 401, body: said('no key') }))
    fake = await startFakeProvider([{ text: MOVES[0] }, { text: MOVES[3] }] as Answer[])
    const [a, b] = [`${first.url}#a`, `${fake.url}#b`]
    const engine = createEngine({
      model: b,
      models: { plan: [{ model: a, resilience }, b], act: [a, b] },
    })
    const run = await engine.start('add', { strategy: 'minimal' })
    expect(await run.outcome).toMatchObject({ status: 'completed', result: 'it is 6', usage: { calls: 2 } })
    const journal = [...(await engine.events(run.id))]
    const replies = journal.flatMap((event) => (event.type === 'model-end' ? [event.result] : []))
    expect(replies).toMatchObject([{ value: { model: b } }, { value: { model: b } }])
    expect(
      journal
        .map((event) =>
          eventLine(event, 200)
            .map(({ text }) => text)
            .join(''),
        )
        .join('\n'),
    ).toContain(`${b}: {"do":"return"`)
    // Passed over while it cools down.
    expect(first.requests).toHaveLength(1)
    await engine.close()
    await first.close()
  })

  it('waits only if all are out, and is resumed with the models it was begun with', async () => {
    let isOut = true
    const answer = (text: string) => (): Answer =>
      isOut
        ? { status: 403, body: said(`${text} is closed`) }
        : { text: `{"do":"return","result":"${text}"}` }
    const first = await startFakeProvider(answer('one'))
    fake = await startFakeProvider(answer('two'))
    const model = `${first.url}#a,${fake.url}#b`
    const engine = createEngine({ model })
    const run = await engine.start('add', { strategy: 'minimal' })
    const error = await run.outcome.catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'MODEL_OUTAGE', data: { model } })
    expect(error.data.message).toMatch(/403 one is closed · .*403 two is closed/)
    const { config } = await engine.state(run.id)
    expect(config.model).toBe(model)
    isOut = false
    expect(await (await engine.resume(run.id)).outcome).toMatchObject({ result: 'one' })
    await engine.close()
    await first.close()
  })

  it('asks the next one for what the first began, and pays each ask once', async () => {
    const first = await startFakeProvider([
      { text: 'not JSON', usage: { input: 10, output: 1 } },
      { status: 401 },
    ])
    fake = await startFakeProvider([{ text: MOVES[3], usage: { input: 20, output: 2 } } as Answer])
    const model = [{ model: `${first.url}#a`, resilience }, `${fake.url}#b`]
    const outcome = await solve('add', { model, strategy: 'minimal' })
    expect(outcome).toMatchObject({
      status: 'completed',
      usage: { calls: 2, inputTokens: 30, outputTokens: 3 },
    })
    await first.close()
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
