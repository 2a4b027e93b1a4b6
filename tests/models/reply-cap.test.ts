import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import { estimateTokens } from '../../src/kernel/budget.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../src/kernel/model-effect.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { EventOf, Limits, ModelRequest, ModelSettings } from '../../src/protocol/index.ts'
import { type FakeProvider, type ProviderRequest, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

let fake: FakeProvider | undefined
afterEach(async () => fake?.close())

const QUESTION = 'What is four and two?'
const KEY = 'cap-test-key'

/** What the provider is told, by protocol. */
const PROTOCOLS = [
  {
    name: 'OpenAI chat completions',
    // With a price the prompt is counted exactly.
    spec: (url: string) => ({ model: `${url}#fake`, price: { input: 1, output: 1 } }),
    told: ({ body }: ProviderRequest) => body.max_tokens,
    thinking: 0,
  },
  {
    name: 'OpenAI responses',
    spec: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) => body.max_output_tokens,
    thinking: 8_192,
  },
  {
    name: 'Anthropic messages',
    spec: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) => body.max_tokens,
    thinking: 0,
  },
  {
    name: 'Gemini',
    spec: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey: KEY }),
    told: ({ body }: ProviderRequest) =>
      (body.generationConfig as { maxOutputTokens?: number } | undefined)?.maxOutputTokens,
    thinking: 8_192,
  },
]

describe.each(PROTOCOLS)(
  '$name: what is reserved is what the provider is told',
  ({ spec, told, thinking }) => {
    it.each([
      ['the default', {}, {}, DEFAULT_OUTPUT_TOKENS, thinking],
      ['what the request asks for', { maxOutputTokens: 300 }, {}, 300, thinking],
      ['what is configured', {}, { maxOutputTokens: 700 }, 700, thinking],
      ['never more than is configured', { maxOutputTokens: 900 }, { maxOutputTokens: 700 }, 700, thinking],
      [
        'a configured allowance for thinking',
        {},
        { maxOutputTokens: 700, thinkingTokens: 1_000 },
        700,
        1_000,
      ],
    ])('%s', async (_, settings, config, cap, allowance) => {
      fake = await startFakeProvider([{ text: 'Six.' }])
      const { reserved } = await asking({ ...spec(fake.url), ...config }, settings)
      expect(told(fake.requests[0] as ProviderRequest)).toBe(cap + allowance)
      expect(reserved).toBe(cap + allowance)
    })
  },
)

it('the cap does not depend on what is left of the budget', async () => {
  fake = await startFakeProvider([{ text: 'Six.' }])
  await asking({ model: `${fake.url}#fake` }, {}, { tokens: 6_000 })
  expect(fake.requests[0]?.body.max_tokens).toBe(DEFAULT_OUTPUT_TOKENS)
})

describe.each(PROTOCOLS)('$name: a reply that reached its cap', ({ spec, told, thinking }) => {
  it('is continued if it is a text', async () => {
    fake = await startFakeProvider([
      { text: 'Four and two ', finish: 'length' },
      { text: 'Four and two are six, and', finish: 'length' },
      { text: ' that is all.' },
    ])
    const { outcome, end } = await asking(spec(fake.url), { maxOutputTokens: 50 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'Four and two are six, and that is all.' })
    expect(outcome.usage).toMatchObject({ calls: 3, inputTokens: 30, outputTokens: 15 })
    expect(end).toMatchObject({ result: { value: { repairs: ['continued', 'continued'], asks: 3 } } })
    expect(end).not.toHaveProperty('result.value.cutOff')
    expect(fake.requests.map(told)).toEqual(Array(3).fill(50 + thinking))
    const body = JSON.stringify(fake.requests[2]?.body)
    expect(body).toContain('Four and two are six, and"')
    expect(body).toContain('Continue it from where it stops')
  })

  it('is asked for again with twice the room if it was still being thought about', async () => {
    fake = await startFakeProvider([{ finish: 'length' }, { finish: 'length' }, { text: 'Six.' }])
    const { outcome, end } = await asking(spec(fake.url), { maxOutputTokens: 50 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'Six.' })
    expect(fake.requests.map(told)).toEqual([50 + thinking, 100 + thinking, 200 + thinking])
    expect(end).toMatchObject({
      result: { value: { repairs: ['asked-with-more-room', 'asked-with-more-room'], asks: 3 } },
    })
  })

  it('is asked for again with twice the room if it is a value', async () => {
    fake = await startFakeProvider([{ text: '{"sum":', finish: 'length' }, { text: '{"sum":6}' }])
    const { outcome } = await asking(spec(fake.url), { maxOutputTokens: 50 }, {}, { schema: SUM })
    expect(outcome).toMatchObject({ status: 'completed', result: '{"sum":6}', usage: { calls: 2 } })
    expect(fake.requests.map(told)).toEqual([50 + thinking, 100 + thinking])
  })

  it.each(['', '{"path":"a', '{}'])('calls no tool whose input may be incomplete: %j', async (input) => {
    fake = await startFakeProvider([
      { text: 'I write it.', calls: [{ name: 'write', input }], finish: 'length' },
      { calls: [{ name: 'write', input: '{"path":"a","text":"b"}' }] },
    ])
    const { end } = await asking(spec(fake.url), { maxOutputTokens: 50 }, {}, { tools: [WRITE] })
    expect(end).toMatchObject({
      result: { value: { toolCalls: [{ name: 'write', input: { path: 'a', text: 'b' } }], asks: 2 } },
    })
    expect(fake.requests.map(told)).toEqual([50 + thinking, 100 + thinking])
  })

  it('fails if it is still longer, and says which setting helps', async () => {
    fake = await startFakeProvider(() => ({ text: `${Math.random()} and `, finish: 'length' }))
    const { outcome } = await asking(spec(fake.url), { maxOutputTokens: 50 })
    expect(outcome).toMatchObject({ status: 'failed', code: 'REPLY_TOO_LONG' })
    expect(outcome.reason).toContain('longer than 200 tokens')
    expect(outcome.reason).toContain('"maxOutputTokens"')
    expect(fake.requests).toHaveLength(4)
  })
})

it('a further request that the budget does not pay for is not made', async () => {
  fake = await startFakeProvider([
    { text: 'Four and', finish: 'length', usage: { input: 10, output: 3_000 } },
  ])
  const model = { model: `${fake.url}#fake` }
  const { outcome } = await asking(model, { maxOutputTokens: 3_000 }, { tokens: 5_000 })
  expect(outcome).toMatchObject({ code: 'LIMIT' })
  expect(fake.requests).toHaveLength(1)
})

const SUM = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
}
const WRITE = {
  name: 'write',
  description: 'writes',
  schema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
}

/** Asks once in a run: how it ended, and what was reserved for the reply. */
async function asking(
  model: EngineOptions['model'] & object,
  settings: ModelSettings,
  budget: Partial<Limits> = {},
  more: Partial<ModelRequest> = {},
) {
  const strategy: Strategy = {
    name: 'one-ask',
    version: 1,
    options: (given) => given,
    async solve(context) {
      const messages = [{ role: 'user' as const, content: QUESTION }]
      const request = { kind: 'test/ask', version: 1, role: 'plan' as const, messages, settings, ...more }
      return (await context.one(context.model(request))).text
    },
  }
  const engine = createEngine({ model, strategies: [strategy] })
  try {
    const run = await engine.start('goal', { strategy: 'one-ask', budget })
    const outcome = await run.outcome
    let start: EventOf<'model-start'> | undefined
    let end: EventOf<'model-end'> | undefined
    for await (const event of run.events) {
      if (event.type === 'model-start') start = event
      if (event.type === 'model-end') end = event
    }
    return { outcome, end, reserved: (start?.reserve.tokens ?? 0) - estimateTokens(QUESTION) }
  } finally {
    await engine.close()
  }
}

describe('a server that gives less than is asked for', () => {
  it.each([
    'max_tokens is too large: 4096. This model supports at most 1,500 completion tokens, whereas you provided 4096.',
    'max_tokens: 4096 > 1500, which is the maximum allowed number of output tokens for this model',
    '`max_tokens` must be less than or equal to `1500`, the maximum value for `max_tokens` is less than the `context_window`',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 1500]',
    'it has a maxOutputTokens value of 4096 but the supported range is from 1 (inclusive) to 1501 (exclusive)',
  ])('is asked for what it gives: %s', async (message) => {
    fake = await startFakeProvider([
      { status: 400, body: { error: { message } } },
      { text: 'Six' },
      { text: 'Seven' },
    ])
    const model = await openModel({ model: `${fake.url}#fake` })
    const settings = { maxOutputTokens: 4_096 }
    expect(await model.call(ask('?', { settings }), testIo())).toMatchObject({ text: 'Six' })
    await model.call(ask('and?', { settings }), testIo())
    expect(fake.requests.map(({ body }) => body.max_tokens)).toEqual([4_096, 1_500, 1_500])
  })

  it.each([
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 3000 tokens and your request has 1000 input tokens (4096 > 3000 - 1000).",
    "This model's maximum context length is 3000 tokens. However, you requested 5096 tokens (1000 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    'input length and `max_tokens` exceed context limit: 1000 + 4096 > 3000, decrease input length or `max_tokens` and try again',
    '`inputs` tokens + `max_new_tokens` must be <= 3000. Given: 1000 `inputs` tokens and 4096 `max_new_tokens`',
  ])('because the prompt is in its window, too: %s', async (message) => {
    fake = await startFakeProvider([{ status: 400, body: { error: { message } } }, { text: 'Six' }])
    const model = await openModel({ model: `${fake.url}#fake` })
    const request = ask('word '.repeat(900), { settings: { maxOutputTokens: 4_096 } })
    expect(await model.call(request, testIo())).toMatchObject({ text: 'Six' })
    const told = Number(fake.requests[1]?.body.max_tokens)
    expect(told).toBeGreaterThan(1_500)
    expect(told).toBeLessThanOrEqual(2_000)
  })

  it('is not asked for more than its window has room for', async () => {
    fake = await startFakeProvider([{ text: 'Six' }])
    const model = await openModel({ model: `${fake.url}#fake`, window: 3_000 })
    await model.call(ask('word '.repeat(900), { settings: { maxOutputTokens: 4_096 } }), testIo())
    expect(Number(fake.requests[0]?.body.max_tokens)).toBeLessThan(2_200)
  })

  it('says so when a reply is cut off there, and a value is then continued', async () => {
    const message = 'max_tokens is too large. This model supports at most 600 completion tokens'
    fake = await startFakeProvider([
      { status: 400, body: { error: { message } } },
      { text: '{"sum":', finish: 'length' },
      { text: '6}' },
    ])
    const { outcome } = await asking({ model: `${fake.url}#fake` }, {}, {}, { schema: SUM })
    expect(outcome).toMatchObject({ status: 'completed', result: '{"sum":6}' })
    expect(fake.requests.map(({ body }) => body.max_tokens)).toEqual([4_096, 600, 600])
  })

  it('is told the cap by its other name', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    fake = await startFakeProvider([
      { status: 400, body: { error: { message } } },
      { text: 'Six' },
      { text: 'Six' },
    ])
    const model = await openModel({ model: `${fake.url}#fake` })
    for (let i = 0; i < 2; i++) await model.call(ask('?', { settings: { maxOutputTokens: 70 } }), testIo())
    expect(fake.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [70, undefined],
      [undefined, 70],
      [undefined, 70],
    ])
  })
})
