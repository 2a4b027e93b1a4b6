// A conversation as each provider gets it: the model's own turns, its tool calls and their results, natively.

import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { Message, ModelReply, ModelRequest } from '../../src/protocol/index.ts'
import { type Answer, type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

const apiKey = 'conversation-test-key'
const PROTOCOLS = {
  chat: (url: string) => ({ model: `${url}#fake` }),
  responses: (url: string) => ({ model: 'openai:gpt-5', baseURL: url, apiKey }),
  anthropic: (url: string) => ({ model: 'anthropic:claude-opus-4-5', baseURL: url, apiKey }),
  google: (url: string) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey }),
}
type Item = Record<string, unknown>
/** What the protocols have in their requests, as far as it matters here. */
type Body = { [list in 'system' | 'messages' | 'input' | 'contents']?: Item[] }

const TOOLS = [
  { name: 'look', description: 'looks', schema: { type: 'object', properties: { at: { type: 'string' } } } },
]
const SYSTEM: Message = { role: 'system', content: 'the rules' }
const STABLE: Message = { role: 'user', content: ['the goal, ', 'the plan'] }
const question = (n: number): Message => ({ role: 'user', content: `question ${n}` })

/** What is said in a loop: each reply with its tool results goes into the conversation, the question does not. */
async function loop(spec: object, rounds: number, more: Partial<ModelRequest> = {}): Promise<ModelReply[]> {
  const model = await openModel(spec as never)
  const turns: Message[] = []
  const replies: ModelReply[] = []
  for (let round = 1; round <= rounds; round++) {
    const messages = [SYSTEM, STABLE, ...turns, question(round)]
    const reply = await model.call(ask('', { tools: TOOLS, ...more, messages }), testIo())
    replies.push(reply)
    const { text, toolCalls = [], reasoning } = reply
    turns.push({ role: 'assistant', content: text, toolCalls, ...(reasoning && { reasoning }) })
    for (const { id, name } of toolCalls)
      turns.push({ role: 'tool', content: `found ${round}`, answers: { id, name } })
  }
  return replies
}

const CALL: Answer = { text: 'Let me look.', calls: [{ name: 'look', input: '{"at":"here"}' }] }

async function bodies(
  protocol: keyof typeof PROTOCOLS,
  answers: readonly Answer[],
  more?: Partial<ModelRequest>,
) {
  fake = await startFakeProvider(answers)
  const replies = await loop(PROTOCOLS[protocol](fake.url), answers.length, more)
  return { replies, sent: fake.requests.map(({ body }) => body as Body) }
}

describe('a tool call and its result go back as such', () => {
  it('over OpenAI chat', async () => {
    const { sent } = await bodies('chat', [CALL, { text: 'done' }])
    const call = { id: 'call-0', type: 'function', function: { name: 'look', arguments: '{"at":"here"}' } }
    expect(sent[0]?.messages).toEqual([
      { role: 'system', content: 'the rules' },
      { role: 'user', content: 'the goal, the plan\n\nquestion 1' },
    ])
    expect(sent[1]?.messages).toEqual([
      { role: 'system', content: 'the rules' },
      { role: 'user', content: 'the goal, the plan' },
      { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call-0', content: 'found 1' },
      { role: 'user', content: 'question 2' },
    ])
  })

  it('over OpenAI responses, with encrypted reasoning, and nothing kept at the server', async () => {
    const { sent, replies } = await bodies('responses', [
      { ...CALL, thinking: { text: '', signature: 'encrypted' } },
      { text: 'done' },
    ])
    expect(sent[0]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
    expect(replies[0]?.reasoning).toMatchObject([{ text: '', provider: { name: 'openai' } }])
    expect(sent[1]?.input?.slice(2)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'encrypted' },
      { role: 'assistant', content: 'Let me look.' },
      { type: 'function_call', call_id: 'call-0', name: 'look', arguments: '{"at":"here"}' },
      { type: 'function_call_output', call_id: 'call-0', output: 'found 1' },
      { role: 'user' },
    ])
  })

  it('over Anthropic messages, with signed reasoning', async () => {
    const { sent, replies } = await bodies('anthropic', [
      { ...CALL, thinking: { text: 'hm', signature: 'signed' } },
      { text: 'done' },
    ])
    expect(replies[0]?.reasoning).toEqual([
      { text: 'hm', provider: { name: 'anthropic', options: { anthropic: { signature: 'signed' } } } },
    ])
    expect(sent[1]?.messages?.[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'signed' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call-0', name: 'look', input: { at: 'here' } },
      ],
    })
    expect(sent[1]?.messages?.[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call-0', content: 'found 1' },
        { type: 'text', text: 'question 2' },
      ],
    })
  })

  it('over Gemini, with the signature of the call', async () => {
    const signed = { ...CALL, calls: [{ name: 'look', input: '{"at":"here"}', signature: 'c2lnbmVk' }] }
    const { sent, replies } = await bodies('google', [signed, { text: 'done' }])
    expect(replies[0]?.toolCalls?.[0]?.provider).toEqual({
      name: 'google',
      options: { google: { thoughtSignature: 'c2lnbmVk' } },
    })
    expect(sent[1]?.contents?.slice(1)).toMatchObject([
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { functionCall: { name: 'look', args: { at: 'here' } }, thoughtSignature: 'c2lnbmVk' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'look' } }] },
      { role: 'user', parts: [{ text: 'question 2' }] },
    ])
  })
})

it.each(['chat', 'responses', 'anthropic', 'google'] as const)(
  'everything but the last message stays byte-equal over %s',
  async (protocol) => {
    const { sent } = await bodies(protocol, [CALL, CALL, CALL, CALL])
    const lists = sent.map(({ messages, input, contents }) =>
      withoutMarks(messages ?? input ?? contents ?? []),
    )
    for (const [i, list] of lists.entries()) {
      if (i === 0) continue
      const before = lists[i - 1]?.slice(0, -1) ?? []
      expect(list.slice(0, before.length)).toEqual(before)
      expect(list.length).toBeGreaterThan(before.length)
    }
  },
)

/** Breakpoints move; what stands between them does not. */
function withoutMarks(list: unknown[]): string[] {
  return list.map((item) =>
    JSON.stringify(item, (key, value) => (key === 'cache_control' ? undefined : value)),
  )
}

describe('cache breakpoints', () => {
  const marked = ({ system = [], messages = [] }: Body) =>
    [...system, ...messages.flatMap(({ content }) => content as Item[])]
      .filter(({ cache_control }) => cache_control !== undefined)
      .map(({ type, text, content }) => text ?? content ?? type)

  it('of Anthropic stand at the ends of what stays: at most four, never in the last message', async () => {
    const { sent } = await bodies('anthropic', [CALL, CALL, CALL, { text: 'done' }])
    expect(sent.map(marked)).toEqual([
      ['the rules', 'the goal, the plan'],
      ['the rules', 'the goal, the plan', 'found 1'],
      ['the rules', 'the goal, the plan', 'found 1', 'found 2'],
      ['the rules', 'the goal, the plan', 'found 2', 'found 3'],
    ])
  })

  it('include the words about a schema, which stand before all that changes', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    const { sent } = await bodies('anthropic', [CALL, { text: '{"a":1}' }], { schema })
    const [system] = sent[1]?.system ?? []
    expect(system?.text).toMatch(/^the rules\n\nCall tools, or answer with one JSON value/)
    expect(system?.cache_control).toEqual({ type: 'ephemeral' })
    expect(sent[0]?.system).toEqual(sent[1]?.system)
  })

  it('are not sent to others', async () => {
    for (const protocol of ['chat', 'responses', 'google'] as const) {
      const { sent } = await bodies(protocol, [CALL, { text: 'done' }])
      expect(JSON.stringify(sent)).not.toContain('ephemeral')
      await fake?.close()
    }
  })
})

it('what was read from the cache is in the usage, and what was written to it in the price', async () => {
  const { replies } = await bodies('anthropic', [
    { text: 'a', usage: { input: 100, output: 10, cached: 3_000, written: 1_000 } },
  ])
  expect(replies[0]?.usage).toEqual({
    inputTokens: 4_100,
    outputTokens: 10,
    cachedInputTokens: 3_000,
    costUsd: (100 * 5 + 3_000 * 0.5 + 1_000 * 6.25 + 10 * 25) / 1e6,
  })
})

it('what came from the cache is in the journal, the outcome and the roles of a run', async () => {
  fake = await startFakeProvider(() => ({
    text: '{"do":"return","result":"done"}',
    usage: { input: 100, output: 10, cached: 3_000 },
  }))
  const engine = createEngine({ model: PROTOCOLS.anthropic(fake.url) })
  const run = await engine.start('anything', { strategy: 'minimal' })
  const { usage, roles } = await run.outcome
  const state = await engine.state(run.id)
  await engine.close()
  const expected = { calls: 1, inputTokens: 3_100, cachedInputTokens: 3_000 }
  expect(usage).toMatchObject(expected)
  expect(Object.values(roles)).toMatchObject([expected])
  expect(state.usage).toMatchObject(expected)
})

describe('reasoning', () => {
  it('is kept without a signature only where it led to a call', async () => {
    const thinking = { text: 'hm', signature: '' }
    const { replies, sent } = await bodies('chat', [
      { ...CALL, thinking },
      { text: 'done', thinking },
    ])
    expect(replies[0]?.reasoning).toMatchObject([{ text: 'hm' }])
    expect(replies[1]?.reasoning).toBeUndefined()
    expect(sent[1]?.messages?.[2]).toMatchObject({ reasoning_content: 'hm' })
  })

  it('never goes to another provider', async () => {
    fake = await startFakeProvider(() => ({ text: 'done' }))
    const model = await openModel(PROTOCOLS.anthropic(fake.url))
    const provider = { name: 'google', options: { google: { thoughtSignature: 'theirs' } } }
    const toolCalls = [{ id: 'c', name: 'look', input: {}, provider }]
    const messages: Message[] = [
      STABLE,
      { role: 'assistant', content: 'hm', reasoning: [{ text: 'secret thought', provider }], toolCalls },
      { role: 'tool', content: 'found', answers: { id: 'c', name: 'look' } },
      question(2),
    ]
    await model.call(ask('', { tools: TOOLS, messages }), testIo())
    const body = JSON.stringify(fake.requests[0]?.body)
    expect(body).toContain('"tool_use"')
    expect(body).not.toMatch(/secret thought|theirs/)
  })

  it('stands where it stood between text and calls', async () => {
    fake = await startFakeProvider(() => ({ text: 'done' }))
    const model = await openModel(PROTOCOLS.anthropic(fake.url))
    const thought = (text: string, where: object) => ({
      text,
      provider: { name: 'anthropic', options: { anthropic: { signature: text } }, ...where },
    })
    const reasoning = [thought('one', {}), thought('two', { afterText: 5, afterCalls: 1 })]
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'look', input: {} }))
    const messages: Message[] = [
      STABLE,
      { role: 'assistant', content: 'first', reasoning, toolCalls },
      ...toolCalls.map(
        ({ id, name }): Message => ({ role: 'tool', content: 'found', answers: { id, name } }),
      ),
    ]
    await model.call(ask('', { tools: TOOLS, messages }), testIo())
    const [sent] = fake.requests.map(({ body }) => body as Body)
    const parts = (sent?.messages?.[1]?.content ?? []) as Item[]
    expect(parts.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'thinking', 'tool_use'])
  })

  it('that a server refuses is left out from then on', async () => {
    fake = await startFakeProvider(({ body }) =>
      JSON.stringify(body).includes('reasoning_content')
        ? { status: 400, body: { error: { message: "property 'reasoning_content' is unsupported" } } }
        : body.messages && (body.messages as unknown[]).length > 2
          ? { text: 'done' }
          : { ...CALL, thinking: { text: 'hm', signature: '' } },
    )
    const replies = await loop(PROTOCOLS.chat(fake.url), 2)
    expect(replies[1]?.text).toBe('done')
  })
})

describe('a conversation that a provider would refuse', () => {
  const calls = [{ id: 'c1', name: 'look', input: { at: 'here' } }]

  it.each<[what: string, messages: Message[], tools: typeof TOOLS | undefined, words: RegExp]>([
    [
      'a call without its result',
      [{ role: 'assistant', content: 'hm', toolCalls: calls }],
      TOOLS,
      /hm\\n\{\\"name\\":\\"look\\"/,
    ],
    [
      'a result without its call',
      [{ role: 'tool', content: 'found', answers: { id: 'c0', name: 'look' } }],
      TOOLS,
      /Result of look \(c0\):\\nfound/,
    ],
    [
      'calls without tools to call',
      [
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', content: 'found', answers: { id: 'c1', name: 'look' } },
      ],
      undefined,
      /Result of look \(c1\):\\nfound/,
    ],
  ])('%s is told in words', async (_, turns, tools, words) => {
    fake = await startFakeProvider(() => ({ text: 'done' }))
    const model = await openModel(PROTOCOLS.anthropic(fake.url))
    const messages = [STABLE, ...turns, question(2)]
    await model.call(ask('', { messages, ...(tools && { tools }) }), testIo())
    const body = JSON.stringify(fake.requests[0]?.body.messages)
    expect(body).toMatch(words)
    expect(body).not.toMatch(/tool_use|tool_result/)
  })
})
