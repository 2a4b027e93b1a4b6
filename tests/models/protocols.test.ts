import { afterEach, describe, expect, it } from 'vitest'
import { openModel } from '../../src/models/open-model.ts'
import { type Answer, type Answering, type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

const KEY = 'sk-protocol-test-key-0123456789'
const ADD = {
  name: 'add',
  description: 'adds',
  schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
}
const open: FakeProvider[] = []
afterEach(async () => {
  for (const provider of open.splice(0)) await provider.close()
})

async function provider(script: readonly Answer[] | Answering): Promise<FakeProvider> {
  const made = await startFakeProvider(script)
  open.push(made)
  return made
}

const PROTOCOLS = [
  {
    name: 'OpenAI chat completions',
    path: '/v1/chat/completions',
    spec: (url: string) => ({ model: `${url}#fake` }),
  },
  {
    name: 'OpenAI responses',
    path: '/v1/responses',
    spec: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: KEY }),
  },
  {
    name: 'Anthropic messages',
    path: '/v1/messages',
    spec: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey: KEY }),
  },
]

PROTOCOLS.push({
  name: 'Gemini',
  path: '/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  spec: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey: KEY }),
})

describe.each(PROTOCOLS)('$name', ({ path, spec }) => {
  it('streams text, and takes usage from the provider', async () => {
    const { url, requests } = await provider([{ text: 'four and two', usage: { input: 100, output: 20 } }])
    const model = await openModel(spec(url))
    const io = testIo()
    const reply = await model.call(ask('4 + 2?', { settings: { maxOutputTokens: 50 } }), io)
    expect(reply.text).toBe('four and two')
    expect(reply.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
    expect(reply.usageEstimated).toBeUndefined()
    expect(reply.cutOff).toBeUndefined()
    expect(io.deltas.join('')).toBe('four and two')
    expect(io.deltas.length).toBeGreaterThan(1)
    expect(requests.map((request) => request.path)).toEqual([path])
    expect(JSON.stringify(requests[0]?.body)).toContain('4 + 2?')
    expect(JSON.stringify(requests[0]?.body)).toMatch(new RegExp(`:${50 + (model.thinkingTokens ?? 0)}[,}]`))
  })

  it('gives native tool calls back', async () => {
    const { url, requests } = await provider([
      {
        calls: [
          { name: 'add', input: '{"a":4,"b":2}' },
          { name: 'add', input: '{"a":1,"b":1}' },
        ],
      },
    ])
    const model = await openModel(spec(url))
    const reply = await model.call(ask('add', { tools: [ADD] }), testIo())
    expect(reply.toolCalls?.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'add', input: { a: 4, b: 2 } },
      { name: 'add', input: { a: 1, b: 1 } },
    ])
    expect(new Set(reply.toolCalls?.map(({ id }) => id)).size).toBe(2)
    expect(JSON.stringify(requests[0]?.body.tools)).toContain('"adds"')
  })

  it('says when the reply was cut off for its length', async () => {
    const { url } = await provider([{ text: 'four and', finish: 'length' }])
    const reply = await (await openModel(spec(url))).call(ask('?'), testIo())
    expect(reply).toMatchObject({ text: 'four and', cutOff: true })
  })

  it('tells the provider message of a 4xx, without retrying', async () => {
    const { url, requests } = await provider([
      {
        status: 404,
        body: { type: 'error', error: { type: 'not_found_error', message: 'no such model: fake' } },
      },
    ])
    const failed = (await openModel(spec(url))).call(ask('?'), testIo())
    await expect(failed).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      retryable: false,
      data: { status: 404 },
      message: expect.stringContaining('no such model: fake'),
    })
    expect(requests).toHaveLength(1)
  })

  it.each([
    [
      '429 with Retry-After',
      { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } },
    ],
    ['500', { status: 500, body: { error: { message: 'oops' } } }],
    ['a 503 that is no JSON', { status: 503, body: '<html>down</html>' }],
    ['a cut connection', { text: 'four and two', cutAfter: 3 }],
    ['a stream that ends too early', { text: 'four and two', endAfter: 3 }],
    ['malformed JSON in the stream', { text: 'four and two', malformed: true }],
    [
      'an error in the middle of the stream',
      { text: 'four and two', streamError: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    ['a stall', { text: 'four and two', stallAfter: 3 }],
    ['no answer at all', { hang: true }],
  ] satisfies [string, Answer][])('comes through %s', async (_, trouble) => {
    const { url, requests } = await provider([
      trouble,
      { text: 'four and two', usage: { input: 7, output: 3 } },
    ])
    const model = await openModel({ ...spec(url), resilience: { baseMs: 1, firstByteMs: 300, idleMs: 300 } })
    const io = testIo()
    const reply = await model.call(ask('?'), io)
    expect(reply.text).toBe('four and two')
    expect(reply.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 })
    expect(io.deltas.join('')).toBe('four and two')
    expect(requests).toHaveLength(2)
  })

  it('comes through slow bytes without a second attempt', async () => {
    const { url, requests } = await provider([{ text: 'four and two', slowMs: 30 }])
    const model = await openModel({ ...spec(url), resilience: { firstByteMs: 300, idleMs: 300 } })
    expect((await model.call(ask('?'), testIo())).text).toBe('four and two')
    expect(requests).toHaveLength(1)
  })

  it('stops when it is aborted though nothing more comes, and closes the connection', async () => {
    const fake = await provider([{ text: 'four and two', stallAfter: 3 }])
    const controller = new AbortController()
    const io = testIo(controller.signal)
    const call = (await openModel(spec(fake.url))).call(ask('?'), io)
    call.catch(() => {})
    await expect.poll(() => fake.requests.length).toBe(1)
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => fake.open.now).toBe(0)
  })
})

it('passes arguments that are no JSON on as they came: whoever runs the tool says what is wrong', async () => {
  const { url } = await provider([{ calls: [{ name: 'add', input: '{"a":1' }] }])
  const reply = await (await openModel(`${url}#fake`)).call(ask('add', { tools: [ADD] }), testIo())
  expect(reply.toolCalls).toMatchObject([{ name: 'add', input: '{"a":1' }])
})

it.each([
  ['{"error":"model not loaded"}', '400 Bad Request: model not loaded'],
  ['{"detail":"not for you"}', '400 Bad Request: not for you'],
  ['<html><body>Blocked by   proxy</body></html>', '400 Bad Request: Blocked by proxy'],
  ['', '400 Bad Request'],
])('tells what a server says in its own way: %s', async (body, message) => {
  const { url } = await provider([{ status: 400, body }])
  const failed = (await openModel(`${url}#fake`)).call(ask('?'), testIo())
  await expect(failed).rejects.toThrow(`${url}#fake: ${message}`)
})

it('counts tokens itself when the provider does not say, and flags it', async () => {
  const { url } = await provider([{ text: 'four and two', usage: null }])
  const reply = await (await openModel(`${url}#fake`)).call(ask('How much is that together?'), testIo())
  expect(reply.usageEstimated).toBe(true)
  expect(reply.usage.inputTokens).toBeGreaterThan(4)
  expect(reply.usage.outputTokens).toBe(3)
})

it('prices what is in the table, what was in the cache for less, and nothing else', async () => {
  const usage = { input: 1_000_000, output: 100_000, cached: 400_000 }
  const { url } = await provider(() => ({ text: 'x', usage }))
  const known = await openModel({ model: 'openai:gpt-5', baseURL: url, apiKey: KEY })
  const { usage: paid } = await known.call(ask('?'), testIo())
  expect(paid.costUsd).toBeCloseTo(0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10, 6)
  expect(known.cost?.({ inputTokens: 1_000_000, outputTokens: 0 })).toBeCloseTo(1.25, 6)
  const unknown = await openModel(`${url}#fake`)
  expect(unknown.cost).toBeUndefined()
  expect((await unknown.call(ask('?'), testIo())).usage.costUsd).toBeUndefined()
  const own = await openModel({ model: `${url}#fake`, price: { input: 1, output: 2 } })
  expect((await own.call(ask('?'), testIo())).usage.costUsd).toBeCloseTo(1.2, 6)
})

it('never has more calls under way at a provider than the limit', async () => {
  const fake = await provider(() => ({ text: 'x', slowMs: 5 }))
  const model = await openModel({ model: `${fake.url}#fake`, resilience: { maxConcurrent: 3 } })
  await Promise.all(Array.from({ length: 12 }, () => model.call(ask('?'), testIo())))
  expect(fake.requests).toHaveLength(12)
  expect(fake.open.most).toBeLessThanOrEqual(3)
})

it('does without a temperature that the model refuses, and remembers', async () => {
  const { url, requests } = await provider(({ body }) =>
    body.temperature === undefined
      ? { text: 'fine' }
      : { status: 400, body: { error: { message: "Unsupported value: 'temperature' must be 1" } } },
  )
  const model = await openModel({ model: `${url}#fake`, temperature: 0.2 })
  await model.call(ask('?'), testIo())
  await model.call(ask('?'), testIo())
  expect(requests.map(({ body }) => body.temperature)).toEqual([0.2, undefined, undefined])
})

it('gives a role the temperature and seed of the configuration, and never more length than was asked for', async () => {
  const { url, requests } = await provider(() => ({ text: 'fine' }))
  const model = await openModel({ model: `${url}#fake`, temperature: 0.2, seed: 7, maxOutputTokens: 900 })
  await model.call(ask('?', { settings: { temperature: 1, maxOutputTokens: 100 } }), testIo())
  await model.call(ask('?'), testIo())
  expect(requests.map(({ body }) => [body.temperature, body.seed, body.max_tokens])).toEqual([
    [0.2, 7, 100],
    [0.2, 7, 900],
  ])
})
