import { expect, test } from 'vitest'
import { createEngine, type Model, type Strategy } from '../../index.ts'
import type { ModelIo } from '../../kernel/model.ts'
import { type ModelReply, type ModelRequest, messageText, ThinkonError } from '../../protocol/index.ts'
import { askStructured } from './ask-structured.ts'

const REQUEST: ModelRequest = {
  kind: 'test/ask',
  version: 1,
  role: 'plan',
  messages: [{ role: 'user', content: 'What now?' }],
  schema: {
    type: 'object',
    properties: { type: { enum: ['CALL', 'RETURN'] }, description: { type: 'string' } },
    required: ['type', 'description'],
  },
}
const GOOD = '{"type":"CALL","description":"x"}'
const WRONG = '{"type":"CALL","description":3}'
const USAGE = { inputTokens: 10, outputTokens: 5, costUsd: 0.01 }

test('a good reply takes one ask and has nothing to add', async () => {
  const { model, io } = asking([GOOD])
  expect(await askStructured(model, REQUEST, io)).toEqual({
    text: GOOD,
    value: JSON.parse(GOOD),
    usage: { inputTokens: 0, outputTokens: 0 },
  })
})

test('a call in words of a tool that was offered is a call, and only of such a tool', async () => {
  const tools = [{ name: 'read_result', description: 'reads', schema: {} }]
  const call = '{"name":"read_result","input":{"ref":"1-2"}}'
  const offered = asking([`I need more: ${call}`])
  expect(await askStructured(offered.model, { ...REQUEST, tools }, offered.io)).toMatchObject({
    toolCalls: [{ name: 'read_result', input: { ref: '1-2' } }],
  })
  for (const said of [`I must not use ${call}`, `For example: ${call}`, `${call}\nWait, no.`]) {
    const talked = asking([said, GOOD])
    expect(await askStructured(talked.model, { ...REQUEST, tools }, talked.io)).toMatchObject({ asks: 2 })
  }
  const hidden = asking([call, GOOD])
  expect(await askStructured(hidden.model, REQUEST, hidden.io)).toMatchObject({ asks: 2 })
})

test('names the repairs', async () => {
  const { model, io } = asking([`Sure: ${GOOD}`])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ repairs: ['prose-removed'] })
})

test('asks again with the reply and exactly what was wrong with it', async () => {
  const { model, io, asked } = asking([WRONG, GOOD])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ value: JSON.parse(GOOD), asks: 2 })
  expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(asked[1]?.messages.slice(1).map(messageText)).toEqual([
    WRONG,
    "That reply can't be used:\n- description must be a string, not 3\n" +
      'Answer again with the whole value, corrected, as JSON and nothing else.',
  ])
})

test('every refused reply stays in view, whole, and what was sent before stays as it was', async () => {
  const long = `{"type":"CALL","description":3,"more":"${'x'.repeat(40_000)}"}`
  const reasoning = [{ text: 'hm', provider: { name: 'anthropic' } }]
  const { model, io, asked } = asking([{ text: long, reasoning }, WRONG, GOOD])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ asks: 3 })
  expect(asked[1]?.messages[1]).toEqual({ role: 'assistant', content: long, reasoning })
  expect(asked[2]?.messages.slice(0, 3)).toEqual(asked[1]?.messages)
  expect(asked[2]?.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ])
})

test('after two more asks it is INVALID_FORMAT with the raw text', async () => {
  const { model, io, asked } = asking([WRONG, 'no', `${'好'.repeat(30_000)}`, GOOD])
  const error = await askStructured(model, REQUEST, io).catch((thrown: unknown) => thrown)
  expect(asked).toHaveLength(3)
  if (!ThinkonError.isInstance(error)) throw error
  expect(error).toMatchObject({ code: 'INVALID_FORMAT', retryable: false })
  expect(error.message).toContain('test/ask at 1')
  expect(error.data).toMatchObject({ violations: ['there is no JSON in it'], asks: 3, textBytes: 90_000 })
  expect(error.data.text).toBe('好'.repeat(21_845))
})

test('what was paid before a crash is not paid again', async () => {
  const { model, io, asked } = asking([GOOD], [{ text: WRONG }])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ asks: 2, value: JSON.parse(GOOD) })
  expect(asked).toHaveLength(1)
  expect(asked[0]?.messages).toHaveLength(3)
})

const CUT = { text: '{"type":"CALL","description":"a long st', cutOff: true as const }

test('a value that reached its cap is asked for again with twice the room, and nothing else changed', async () => {
  const { model, io, asked } = asking([CUT, GOOD])
  const reply = await askStructured(model, { ...REQUEST, settings: { maxOutputTokens: 100 } }, io)
  expect(reply).toEqual({
    text: GOOD,
    value: JSON.parse(GOOD),
    usage: { inputTokens: 0, outputTokens: 0 },
    repairs: ['asked-with-more-room'],
    asks: 2,
  })
  expect(asked[1]).toEqual({ ...REQUEST, settings: { maxOutputTokens: 200 } })
})

test('a value that could be closed is not taken for the whole one', async () => {
  const cut = { text: '{"type":"CALL","description":"x"', cutOff: true as const }
  const { model, io } = asking([cut, GOOD])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ asks: 2, value: JSON.parse(GOOD) })
})

test('a value that is whole stays, if only a remark after it was cut off', async () => {
  const { model, io, asked } = asking([{ text: `${GOOD}\n\nI chose this, bec`, cutOff: true as const }])
  const reply = await askStructured(model, REQUEST, io)
  expect(reply).toMatchObject({ value: JSON.parse(GOOD), repairs: ['prose-removed'] })
  expect(reply.cutOff).toBeUndefined()
  expect(asked).toHaveLength(1)
})

test('where the model gives no more room, the value is continued', async () => {
  const { model, io, asked } = asking([{ ...CUT, cutAt: 80 }, 'a long story"}'])
  const reply = await askStructured(model, { ...REQUEST, settings: { maxOutputTokens: 100 } }, io)
  expect(reply).toMatchObject({
    value: { type: 'CALL', description: 'a long story' },
    repairs: ['continued'],
    asks: 2,
  })
  expect(asked[1]?.schema).toBeUndefined()
  expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})

test('what is cut off each time is REPLY_TOO_LONG, and never a shortened value', async () => {
  const { model, io, asked } = asking([CUT, CUT, CUT, GOOD])
  await expect(
    askStructured(model, { ...REQUEST, settings: { maxOutputTokens: 100 } }, io),
  ).rejects.toMatchObject({
    code: 'REPLY_TOO_LONG',
    message: expect.stringContaining('longer than 400 tokens'),
    data: { setting: 'maxOutputTokens', tokens: 400 },
  })
  expect(asked.map(({ settings }) => settings?.maxOutputTokens)).toEqual([100, 200, 400])
})

test('a call of a tool that was cut off is not made', async () => {
  const toolCalls = [{ id: 'a', name: 'write', input: '{"path":"no' }]
  const { model, io, asked } = asking([{ text: '', toolCalls, cutOff: true as const }, GOOD])
  expect(await askStructured(model, REQUEST, io)).not.toHaveProperty('toolCalls')
  expect(asked).toHaveLength(2)
})

test('what was paid before a crash is not paid again, also while a reply is completed', async () => {
  const { model, io, asked } = asking([GOOD], [CUT, CUT])
  expect(await askStructured(model, { ...REQUEST, settings: { maxOutputTokens: 100 } }, io)).toMatchObject({
    asks: 3,
    value: JSON.parse(GOOD),
  })
  expect(asked.map(({ settings }) => settings?.maxOutputTokens)).toEqual([400])
})

test('a value that the model gives parsed is checked, not read again', async () => {
  const { model, io } = asking([{ text: 'as spoken', value: JSON.parse(GOOD) }])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({
    text: 'as spoken',
    value: JSON.parse(GOOD),
  })
})

test('tool calls are passed on', async () => {
  const toolCalls = [{ id: 'a', name: 'read', input: {} }]
  const { model, io } = asking([{ text: '', toolCalls }])
  expect(await askStructured(model, REQUEST, io)).toMatchObject({ toolCalls })
})

test('is not asked again when the run is stopped', async () => {
  const stop = new AbortController()
  const { model, io, asked } = asking([WRONG, GOOD], [], stop.signal)
  const stopping: Model = {
    id: 'stopping',
    async call(request, callIo) {
      const reply = await model.call(request, callIo)
      stop.abort(new Error('stopped'))
      return reply
    },
  }
  await expect(askStructured(stopping, REQUEST, io)).rejects.toThrow('stopped')
  expect(asked).toHaveLength(1)
})

test('in a run every ask is counted once, and the repairs are in the journal', async () => {
  const { model: one } = asking([WRONG, `\`\`\`\n${GOOD}\n\`\`\``])
  const model: Model = { id: 'asked', call: (request, io) => askStructured(one, request, io), cost: () => 0 }
  const strategy: Strategy = {
    name: 'one-ask',
    version: 1,
    options: (given) => given,
    async solve(context) {
      const [result] = await context.all([context.model(REQUEST)])
      return result?.ok ? JSON.stringify(result.value.value) : 'failed'
    },
  }
  const engine = createEngine({ model, strategies: [strategy] })
  try {
    const run = await engine.start('goal', { strategy: 'one-ask' })
    const outcome = await run.outcome
    expect(outcome).toMatchObject({ status: 'completed', result: GOOD })
    expect(outcome.usage).toMatchObject({ calls: 2, inputTokens: 20, outputTokens: 10, costUsd: 0.02 })
    let end: unknown
    for await (const event of run.events) if (event.type === 'model-end') end = event
    expect(end).toMatchObject({ result: { ok: true, value: { repairs: ['fence-removed'], asks: 2 } } })
  } finally {
    await engine.close()
  }
})

type Said = string | Omit<ModelReply, 'usage'>

/** A model that says these in turn, and the io of a step that has paid for `paid` already. */
function asking(replies: readonly Said[], paid: readonly Said[] = [], signal = new AbortController().signal) {
  const asked: ModelRequest[] = []
  const left = [...replies]
  const parts: unknown[] = [...paid]
  let next = 0
  const io: ModelIo = {
    path: '1',
    n: 1,
    signal,
    onDelta() {},
    async part<T>(run: () => Promise<{ value: T }>) {
      const n = next++
      if (n >= parts.length) parts.push((await run()).value)
      return parts[n] as T
    },
  }
  const model: Model = {
    id: 'asked',
    async call(request) {
      asked.push(request)
      const said = left.shift() ?? ''
      return { ...(typeof said === 'string' ? { text: said } : said), usage: USAGE }
    },
  }
  return { model, io, asked }
}
