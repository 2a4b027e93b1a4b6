import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { Ephemeral, Event, EventOf, TextDelta } from '../../src/protocol/index.ts'
import { type Answer, type FakeProvider, type ProviderRequest, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
afterEach(async () => {
  await fake?.close()
  vi.unstubAllEnvs()
})

const USAGE = { input: 100, output: 10 }
const MOVES = [
  '{"do":"plan","todo":["add","double"]}',
  '{"do":"call","goals":["add 4 and 2"]}',
  '{"do":"return","result":"6"}',
  '{"do":"return","result":"4 + 2 = 6, doubled 12"}',
]
/** What goes wrong before each move is said. */
const TROUBLES: Answer[][] = [
  [{ status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } }],
  [{ status: 500 }, { text: MOVES[1], cutAfter: 3 } as Answer],
  [{ text: MOVES[2], malformed: true } as Answer, { text: MOVES[2], stallAfter: 2 } as Answer],
  [{ text: MOVES[3], endAfter: 2 } as Answer],
]

const PROTOCOLS = [
  { name: 'OpenAI chat', spec: (url: string) => ({ model: `${url}#fake`, price: { input: 1, output: 10 } }) },
  {
    name: 'OpenAI responses',
    spec: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: 'run-test-key' }),
  },
  {
    name: 'Anthropic messages',
    spec: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey: 'run-test-key' }),
  },
]

describe.each(PROTOCOLS)('a run against $name', ({ spec }) => {
  it('ends with the right answer and exactly the paid calls, whatever goes wrong in between', async () => {
    const script = MOVES.flatMap((text, i) => [
      ...(TROUBLES[i] ?? []),
      { text, usage: USAGE, slowMs: i === 3 ? 20 : 0 },
    ])
    fake = await startFakeProvider(script)
    const resilience = { baseMs: 1, firstByteMs: 500, idleMs: 300 }
    const engine = createEngine({ model: { ...spec(fake.url), resilience } })
    const events: (Event | Ephemeral)[] = []
    const run = await engine.start('add and double', {
      strategy: 'minimal',
      onEvent: (event) => events.push(event),
    })
    const outcome = await run.outcome
    expect(outcome).toMatchObject({
      status: 'completed',
      result: '4 + 2 = 6, doubled 12',
      usage: { calls: 4, inputTokens: 400, outputTokens: 40 },
    })
    expect(outcome.usage.costUsd).toBeGreaterThan(0)
    expect(fake.requests).toHaveLength(script.length)
    const journal = [...(await engine.events(run.id))]
    await engine.close()
    expect(journal.filter(({ type }) => type === 'model-start')).toHaveLength(4)
    const deltas = events.filter((event) => event.type === 'text-delta')
    expect(deltas.map((delta) => (delta as TextDelta).text).join('')).toBe(MOVES.join(''))
    expect(journal.some((event) => (event.type as string) === 'text-delta')).toBe(false)
  })
})

it('plays a recorded run again without the provider', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'thinkon-run-')), 'traffic.jsonl')
  fake = await startFakeProvider(MOVES.map((text) => ({ text, usage: USAGE })))
  const recording = createEngine({ model: `${fake.url}#fake`, record: file })
  const first = await (await recording.start('add and double', { strategy: 'minimal' })).outcome
  await recording.close()
  await fake.close()
  const replaying = createEngine({ model: `replay:${file}` })
  const second = await (await replaying.start('add and double', { strategy: 'minimal' })).outcome
  expect({ ...second, run: '' }).toEqual({ ...first, run: '' })
  const other = await (await replaying.start('something else', { strategy: 'minimal' })).outcome
  await replaying.close()
  expect(other.status).toBe('failed')
  expect(other.reason).toContain('the nearest is minimal/next@3')
})

it('asks each role its own model, with its own settings', async () => {
  fake = await startFakeProvider(({ body }) => ({
    text: body.model === 'planner' ? '{"do":"call","goals":["sub"]}' : '{"do":"return","result":"closed"}',
  }))
  const engine = createEngine({
    model: `${fake.url}#other`,
    models: { plan: { model: `${fake.url}#planner`, temperature: 0, seed: 3 } },
  })
  const run = await engine.start('goal', { strategy: 'minimal', budget: { calls: 3, depth: 1 } })
  await run.outcome
  await engine.close()
  const asked = fake.requests.map(({ body }) => [body.model, body.temperature, body.seed])
  expect(asked).toContainEqual(['planner', 0, 3])
  expect(asked).toContainEqual(['other', undefined, undefined])
})

describe('secrets', () => {
  const KEYS = {
    configured: 'configured-key-5f1c9a7e',
    environment: 'environment-key-77aa01bc',
    unregistered: 'sk-unregistered-0123456789abcdef',
  }

  /** Echoes what it was sent, as careless servers do. */
  function echo({ headers }: ProviderRequest): string {
    return `key was ${headers.authorization ?? headers['x-api-key']}, also as ${Buffer.from(KEYS.configured).toString('base64')} and ${KEYS.environment}`
  }

  it.each([
    [
      'an error that is not retried',
      (request: ProviderRequest) => ({ status: 401, body: { error: { message: echo(request) } } }),
    ],
    [
      'an error that is retried to the end',
      (request: ProviderRequest) => ({ status: 503, body: { error: { message: echo(request) } } }),
    ],
    ['an error that is no JSON', (request: ProviderRequest) => ({ status: 400, body: echo(request) })],
    [
      'a reply',
      (request: ProviderRequest) => ({ text: JSON.stringify({ do: 'return', result: echo(request) }) }),
    ],
    [
      'a reply that has the wrong form',
      (request: ProviderRequest) => ({ text: `not JSON: ${echo(request)}` }),
    ],
    [
      'a tool call',
      (request: ProviderRequest) => ({
        calls: [{ name: 'thinkon_reply', input: JSON.stringify({ do: 'return', result: echo(request) }) }],
      }),
    ],
    [
      'an error in the stream',
      (request: ProviderRequest) => ({
        text: 'a text',
        streamError: { type: 'invalid_request_error', message: echo(request) },
      }),
    ],
  ] as [string, (request: ProviderRequest) => Answer][])(
    'do not come out when the provider echoes them in %s',
    async (_, answer) => {
      vi.stubEnv('SOME_API_KEY', KEYS.environment)
      fake = await startFakeProvider(answer)
      const folder = mkdtempSync(join(tmpdir(), 'thinkon-secrets-'))
      const [store, record] = [join(folder, 'store.sqlite'), join(folder, 'traffic.jsonl')]
      const model = {
        model: `${fake.url}#fake`,
        apiKey: KEYS.configured,
        resilience: { baseMs: 1, maxAttempts: 2 },
      }
      const engine = createEngine({ model, store, record })
      const events: (Event | Ephemeral)[] = []
      const run = await engine.start('say hello', {
        strategy: 'minimal',
        onEvent: (event) => events.push(event),
      })
      // An outage rejects, with the same words.
      const outcome = await run.outcome.catch((error) => error)
      expect(outcome.message ?? outcome.status).not.toBe('')
      const journal = [...(await engine.events(run.id))]
      await engine.close()

      expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${KEYS.configured}`)
      const places = {
        outcome: `${outcome.message} ${JSON.stringify(outcome)}`,
        journal: JSON.stringify(journal),
        events: JSON.stringify(events),
        deltas: events
          .map((event) => (event.type === 'text-delta' ? (event as TextDelta).text : ''))
          .join(''),
        store: readFileSync(store, 'latin1'),
        record: existsSync(record) ? readFileSync(record, 'utf8') : '',
        prompts: JSON.stringify(fake.requests.map(({ body }) => body)),
      }
      for (const [place, text] of Object.entries(places)) {
        for (const key of [
          KEYS.configured,
          KEYS.environment,
          Buffer.from(KEYS.configured).toString('base64'),
        ]) {
          expect(text.includes(key), `${key} in ${place}`).toBe(false)
        }
      }
    },
  )

  it('of a model object that nobody registered do not come out of errors', async () => {
    fake = await startFakeProvider((request) => ({
      status: 403,
      body: { error: { message: echo(request) } },
    }))
    const { createOpenAI } = await import('@ai-sdk/openai')
    const model = createOpenAI({ apiKey: KEYS.unregistered, baseURL: fake.url })('gpt-5')
    const engine = createEngine({ model })
    const run = await engine.start('say hello', { strategy: 'minimal' })
    const error = await run.outcome.catch((thrown) => thrown)
    const journal = JSON.stringify([...(await engine.events(run.id))])
    await engine.close()
    expect(fake.requests[0]?.headers.authorization).toContain(KEYS.unregistered)
    expect(`${error.message} ${JSON.stringify(error)}${journal}`).not.toContain(KEYS.unregistered)
    expect(error).toMatchObject({
      code: 'MODEL_OUTAGE',
      message: expect.stringContaining('403 key was Bearer [redacted]'),
    })
  })

  it('of the environment do not get from a goal or a tool into journal and prompts', async () => {
    vi.stubEnv('SOME_API_KEY', KEYS.environment)
    const moves = [
      '{"do":"tool","calls":[{"name":"env","input":{}},{"name":"env","input":{"fail":true}}]}',
      '{"do":"return","result":"done"}',
    ]
    fake = await startFakeProvider(moves.map((text) => ({ text })))
    const env: Tool = {
      name: 'env',
      description: 'shows the environment',
      access: 'read',
      async run(input) {
        const text = `SOME_API_KEY=${process.env.SOME_API_KEY}`
        if ((input as { fail?: boolean }).fail) throw new Error(text)
        return { lines: [text] }
      },
    }
    const engine = createEngine({ model: `${fake.url}#fake`, tools: [env] })
    const run = await engine.start(`is ${KEYS.environment} my key?`, { strategy: 'minimal' })
    const outcome = await run.outcome
    const journal = JSON.stringify([...(await engine.events(run.id))])
    await engine.close()
    expect(outcome.status).toBe('completed')
    expect(journal).not.toContain(KEYS.environment)
    expect(journal).toContain('SOME_API_KEY=[redacted]')
    expect(JSON.stringify(fake.requests.map(({ body }) => body))).not.toContain(KEYS.environment)
  })
})

describe('what a request may carry', () => {
  const model = (window?: number) => ({
    ...(window !== undefined && { window }),
    id: 'own',
    call: async () => ({
      text: '',
      value: { do: 'return', result: 'yes' },
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
  })

  async function recorded(options: EngineOptions) {
    const engine = createEngine(options)
    const run = await engine.start('anything', { strategy: 'minimal' })
    await run.outcome
    const [start] = await engine.events(run.id, 1)
    await engine.close()
    return (start as EventOf<'run-start'>).config.promptTokens
  }

  it('is recorded by role: half of its model’s window, or what is configured for it', async () => {
    expect(await recorded({ model: model() })).toMatchObject({ plan: 48_000, compact: 48_000 })
    const models = {
      act: model(8_000),
      judge: { model: model(8_000), window: 20_000 },
      compact: { model: model(), promptTokens: 3_000 },
    }
    expect(await recorded({ model: model(60_000), models })).toEqual({
      plan: 30_000,
      act: 4_000,
      judge: 10_000,
      compact: 3_000,
      synthesize: 30_000,
    })
    expect(await recorded({ model: model(60_000), models, promptTokens: 5_000 })).toMatchObject({
      plan: 5_000,
      act: 5_000,
      compact: 3_000,
    })
  })

  it('is refused if it is too little', async () => {
    await expect(recorded({ model: model(), promptTokens: 10 })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })
})
