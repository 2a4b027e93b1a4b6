import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { type Answer, type FakeProvider, type ProviderRequest, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

const PROTOCOLS = [
  { name: 'OpenAI chat', spec: (url: string) => ({ model: `${url}#fake` }) },
  {
    name: 'OpenAI responses',
    spec: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey: 'native-test-key' }),
  },
  {
    name: 'Anthropic messages',
    spec: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey: 'native-test-key' }),
  },
]

describe.each(PROTOCOLS)('native tool calls over $name', ({ spec }) => {
  it.each([
    ['alone', {}],
    ['with words beside them', { text: 'Let me work that out.' }],
  ] as [string, Answer][])('%s are called by minimal, without asking again for JSON', async (_, beside) => {
    fake = await startFakeProvider([
      {
        ...beside,
        calls: [
          { name: 'calculate', input: '{"expression":"6 * 7"}' },
          { name: 'calculate', input: '{"expression":"1 / 3"}' },
        ],
      },
      { text: '{"do":"return","result":"42 and a third"}' },
    ])
    const engine = createEngine({ model: spec(fake.url), tools: [calculateTool()] })
    const run = await engine.start('compute', { strategy: 'minimal' })
    const outcome = await run.outcome
    const journal = [...(await engine.events(run.id))]
    const { differences } = await engine.replay(run.id)
    await engine.close()
    expect(outcome).toMatchObject({ status: 'completed', result: '42 and a third', usage: { calls: 4 } })
    expect(fake.requests).toHaveLength(2)
    expect(JSON.stringify(fake.requests[0]?.body.tools)).toContain('"calculate"')
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('1/3')
    const called = journal.filter((event) => event.type === 'tool-start')
    expect(called.map(({ name, input }) => [name, input])).toEqual([
      ['calculate', { expression: '6 * 7' }],
      ['calculate', { expression: '1 / 3' }],
    ])
    expect(differences).toEqual([])
  })

  it.each([
    ['are no JSON', '{"expression":'],
    ['give a field twice', '{"expression":"1+1","expression":"2+2"}'],
  ])('with arguments that %s go to the tool, which says what is wrong', async (_, input) => {
    fake = await startFakeProvider([
      { calls: [{ name: 'calculate', input }] },
      { text: '{"do":"return","result":"gave up"}' },
    ])
    const engine = createEngine({ model: spec(fake.url), tools: [calculateTool()] })
    const run = await engine.start('compute', { strategy: 'minimal' })
    expect((await run.outcome).status).toBe('completed')
    await engine.close()
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('must be an object')
  })

  it('lose no digits: a number that has too many is a text', async () => {
    fake = await startFakeProvider([
      { calls: [{ name: 'open', input: '{"id":12345678901234567890,"n":42,"far":1e400}' }] },
      { text: '{"do":"return","result":"opened"}' },
    ])
    const got: unknown[] = []
    const open = {
      name: 'open',
      description: 'Opens.',
      access: 'read' as const,
      run: (input: unknown) => got.push(input),
    }
    const engine = createEngine({ model: spec(fake.url), tools: [{ ...open, input: { type: 'object' } }] })
    const run = await engine.start('open it', { strategy: 'minimal' })
    expect((await run.outcome).status).toBe('completed')
    await engine.close()
    expect(got).toEqual([{ id: '12345678901234567890', n: 42, far: '1e400' }])
  })
})

it('a model that answers an open schema with tool calls is not asked again', async () => {
  fake = await startFakeProvider(() => ({ calls: [{ name: 'add', input: '{"a":4}' }] }))
  const model = await openModel(`${fake.url}#fake`)
  const tools = [{ name: 'add', description: 'adds', schema: { type: 'object' } }]
  const schema = { type: 'object', properties: { do: { enum: ['return'] } }, required: ['do'] }
  const reply = await model.call(ask('4 + 2?', { schema, tools }), testIo())
  expect(reply.toolCalls).toMatchObject([{ name: 'add', input: { a: 4 } }])
  expect(reply.value).toBeUndefined()
  expect(fake.requests).toHaveLength(1)
})

describe('a model that calls no tools natively', () => {
  const refusing = ({ body }: ProviderRequest): Answer =>
    body.tools === undefined
      ? { text: '{"do":"return","result":"in words"}' }
      : { status: 400, body: { error: { message: 'gemma:2b does not support tools' } } }

  it('is asked without them, and that is remembered', async () => {
    fake = await startFakeProvider(refusing)
    const engine = createEngine({ model: `${fake.url}#fake`, tools: [calculateTool()] })
    for (const goal of ['one', 'two']) {
      const run = await engine.start(goal, { strategy: 'minimal' })
      expect(await run.outcome).toMatchObject({
        status: 'completed',
        result: 'in words',
        usage: { calls: 1 },
      })
    }
    await engine.close()
    expect(fake.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false])
    expect(JSON.stringify(fake.requests[1]?.body.messages)).toContain('- calculate: ')
  })
})

describe('nativeTools: false', () => {
  const toolRule = 'To call a tool, answer {"name":"…","input":{…}}.'
  const tools = [{ name: 'add', description: 'adds', schema: {} }]

  it('tells the tools in words from the first request on', async () => {
    fake = await startFakeProvider(() => ({ text: 'fine' }))
    const model = await openModel({ model: `${fake.url}#fake`, nativeTools: false })
    await model.call(ask('?', { tools, toolRule }), testIo())
    expect(fake.requests[0]?.body.tools).toBeUndefined()
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('- add: adds')
  })

  it('holds for a model of one’s own, too', async () => {
    const asked: ModelRequest[] = []
    const own = {
      id: 'own',
      async call(request: ModelRequest) {
        asked.push(request)
        return { text: 'fine', usage: { inputTokens: 1, outputTokens: 1 } }
      },
    }
    for (const nativeTools of [true, false]) {
      const model = await openModel({ model: own, nativeTools })
      await model.call(ask('?', { tools, toolRule }), testIo())
    }
    expect(asked[0]).toMatchObject({ tools, toolRule })
    expect(asked[1]?.tools).toBeUndefined()
    expect(JSON.stringify(asked[1]?.messages)).toContain('- add: adds')
  })
})

it('a tool whose input says nothing of itself is told as one that takes an object', async () => {
  fake = await startFakeProvider(() => ({ text: '{}' }))
  const model = await openModel(`${fake.url}#fake`)
  await model.call(ask('?', { tools: [{ name: 'any', description: 'any', schema: {} }] }), testIo())
  expect(fake.requests[0]?.body.tools).toMatchObject([
    { function: { name: 'any', parameters: { type: 'object', properties: {} } } },
  ])
})
