import { afterEach, describe, expect, it } from 'vitest'
import { openModel } from '../../src/models/open-model.ts'
import { type Answering, type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

const CLOSED = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const OPEN = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }
const TEXT = '{"answer":6}'

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

async function setUp(answering: Answering) {
  fake = await startFakeProvider(answering)
  const model = await openModel(`${fake.url}#fake`)
  return { model, requests: fake.requests }
}

const refusal = (message: string) => ({ status: 400, body: { error: { message } } })

describe('a schema', () => {
  it('is native JSON-schema output where the provider has it', async () => {
    const { model, requests } = await setUp(() => ({ text: TEXT }))
    const reply = await model.call(ask('4 + 2?', { schema: CLOSED }), testIo())
    expect(reply).toMatchObject({ text: TEXT, value: { answer: 6 } })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: CLOSED },
    })
    expect(requests[0]?.body.messages).toEqual([{ role: 'user', content: '4 + 2?' }])
  })

  it('that is open is told, and JSON asked for: a grammar would forbid what it does not list', async () => {
    const { model, requests } = await setUp(() => ({ text: '{"answer":6,"why":"sum"}' }))
    const reply = await model.call(ask('4 + 2?', { schema: OPEN }), testIo())
    expect(reply.value).toEqual({ answer: 6, why: 'sum' })
    expect(requests[0]?.body.response_format).toEqual({ type: 'json_object' })
    expect(JSON.stringify(requests[0]?.body.messages)).toContain('answer')
  })

  it('that is one of several objects is told, and JSON asked for; the form of a call in words is not, beside native calls', async () => {
    fake = await startFakeProvider(() => ({ text: '{"type":"RETURN","description":"x"}' }))
    const model = await openModel({ model: 'openai:gpt-5', baseURL: fake.url, apiKey: 'union-test-key' })
    const branch = (type: string, ...names: string[]) => ({
      type: 'object',
      properties: { type: { const: type }, ...Object.fromEntries(names.map((name) => [name, {}])) },
      required: ['type', ...names],
    })
    const request = ask('?', {
      schema: { anyOf: [branch('RETURN', 'description'), branch('TOOL', 'name', 'input')] },
      tools: [{ name: 'look', description: 'looks', schema: {} }],
      toolRule: 'Or answer {"type":"TOOL","name":"…","input":{…}}.',
      messages: [
        { role: 'system', content: 'Answer {"type":"RETURN","description":"…"}.' },
        { role: 'user', content: '?' },
      ],
    })
    expect((await model.call(request, testIo())).value).toEqual({ type: 'RETURN', description: 'x' })
    expect(fake.requests[0]?.body.text).toMatchObject({ format: { type: 'json_object' } })
    const body = JSON.stringify(fake.requests[0]?.body)
    expect(body).toContain('Call tools, or answer with one JSON value and nothing else')
    expect(body).not.toContain('TOOL')
  })

  it('falls back to a tool call, then to the prompt, when the provider refuses, and remembers', async () => {
    const { model, requests } = await setUp(({ body }) => {
      if (body.response_format !== undefined) return refusal('response_format json_schema is not supported')
      if (body.tools !== undefined) return refusal('this model does not support tools')
      return { text: `Here you are:\n\`\`\`json\n${TEXT}\n\`\`\`` }
    })
    const first = await model.call(ask('4 + 2?', { schema: CLOSED }), testIo())
    expect(first.value).toEqual({ answer: 6 })
    expect(requests).toHaveLength(3)
    expect(JSON.stringify(requests[2]?.body.messages)).toContain('answer')
    await model.call(ask('4 + 2?', { schema: CLOSED }), testIo())
    expect(requests).toHaveLength(4)
  })

  it('comes back from a tool call as text and value, and streams', async () => {
    const { model, requests } = await setUp(({ body }) =>
      body.response_format !== undefined
        ? refusal('unknown field response_format')
        : { calls: [{ name: 'thinkon_reply', input: TEXT }] },
    )
    const io = testIo()
    const reply = await model.call(ask('4 + 2?', { schema: CLOSED }), io)
    expect(reply).toMatchObject({ text: TEXT, value: { answer: 6 } })
    expect(reply.toolCalls).toBeUndefined()
    expect(io.deltas.join('')).toBe(TEXT)
    expect(requests[1]?.body.tool_choice).toEqual({ type: 'function', function: { name: 'thinkon_reply' } })
  })

  it('is asked for again with what was wrong, each ask paid once', async () => {
    let asks = 0
    const { model, requests } = await setUp(() => ({
      text: ++asks === 1 ? '{"answer":"many"}' : TEXT,
      usage: { input: 10, output: 5 },
    }))
    const paid: unknown[] = []
    const io = testIo()
    io.part = async (run) => {
      const { value, usage } = await run()
      paid.push(usage)
      return value
    }
    const reply = await model.call(ask('4 + 2?', { schema: CLOSED }), io)
    expect(reply.value).toEqual({ answer: 6 })
    expect(paid).toEqual([
      { inputTokens: 10, outputTokens: 5 },
      { inputTokens: 10, outputTokens: 5 },
    ])
    expect(requests).toHaveLength(2)
  })

  it('does not stand in the way of tool calls', async () => {
    const { model } = await setUp(() => ({ calls: [{ name: 'add', input: '{"a":4}' }] }))
    const tools = [{ name: 'add', description: 'adds', schema: { type: 'object' } }]
    const reply = await model.call(ask('4 + 2?', { schema: CLOSED, tools }), testIo())
    expect(reply.toolCalls).toMatchObject([{ name: 'add', input: { a: 4 } }])
  })

  it('is not blamed for another 400', async () => {
    const { model, requests } = await setUp(() => refusal('the context is too long'))
    await expect(model.call(ask('?', { schema: CLOSED }), testIo())).rejects.toThrow(
      'the context is too long',
    )
    expect(requests).toHaveLength(1)
  })
})

it.each([
  ['openai:gpt-5', (body: Record<string, unknown>) => (body.text as { format: unknown }).format],
  ['anthropic:claude-opus-4-5', (body: Record<string, unknown>) => body.output_config ?? body.output_format],
])('%s gets the schema natively', async (spec, formatOf) => {
  fake = await startFakeProvider(() => ({ text: TEXT }))
  const model = await openModel({ model: spec, baseURL: fake.url, apiKey: 'structured-test-key' })
  const reply = await model.call(ask('4 + 2?', { schema: CLOSED }), testIo())
  expect(reply.value).toEqual({ answer: 6 })
  expect(JSON.stringify(formatOf(fake.requests[0]?.body ?? {}))).toContain('"answer"')
})
