/** `toUIMessageStream` with the real `ai`: its schema of chunks, its reader of messages, its validation. */

import {
  asSchema,
  createUIMessageStreamResponse,
  readUIMessageStream,
  type UIMessage,
  uiMessageChunkSchema,
  validateUIMessages,
} from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { createEngine, type EngineOptions, type Run, type StartOptions } from '../../src/engine.ts'
import { type ModelRequest, ThinkonError } from '../../src/protocol/index.ts'
import { reply, ScriptedModel } from '../../src/testing/index.ts'
import type { ThinkonTree, UIMessageChunk } from '../../src/views/ui-message-chunk.ts'
import { answerAt } from '../answers.ts'
import { byHand } from './by-hand.ts'

const look = {
  name: 'look',
  description: 'looks',
  access: 'read' as const,
  input: { type: 'object' },
  run: async (input: unknown) => {
    if ((input as { at?: string }).at === 'nowhere') throw new Error('there is nothing')
    return { there: 'a kettle' }
  },
}

async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

/** The chunks, each held against the schema of `ai`, and the message that `ai` makes of them. */
async function read(run: Run, options?: Parameters<Run['toUIMessageStream']>[0]) {
  const chunks = await chunksOf(run.toUIMessageStream(options))
  const schema = asSchema(uiMessageChunkSchema)
  for (const chunk of chunks) expect(await schema.validate?.(chunk)).toMatchObject({ success: true })
  return { chunks, ...(await messageOf(chunks)) }
}

async function messageOf(chunks: readonly UIMessageChunk[]) {
  let message: UIMessage | undefined
  const errors: unknown[] = []
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const next of readUIMessageStream({ stream, onError: (error) => errors.push(error) }))
    message = next
  if (message === undefined) throw new Error('there is no message')
  await validateUIMessages({ messages: [message] })
  return { message, errors, parts: message.parts }
}

const start = async (model: ScriptedModel, given: StartOptions = {}, more: EngineOptions = {}) => {
  const engine = createEngine({ model, tools: [look], ...more })
  return { engine, run: await engine.start('make tea', { strategy: 'minimal', ...given }) }
}

const textOf = ({ parts }: UIMessage) =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')

describe('a run as a UI message stream', () => {
  it('has reasoning, tools, the tree, the text and how it ended', async () => {
    const model = new ScriptedModel({
      'make tea': [
        { do: 'plan', todo: ['look', 'brew'] },
        {
          do: 'tool',
          calls: [
            { name: 'look', input: { at: 'the shelf' } },
            { name: 'look', input: { at: 'nowhere' } },
          ],
        },
        { do: 'call', goals: ['boil water'] },
        reply(
          { do: 'return', result: 'A cup of tea.' },
          { deltas: ['{"do":"return","result":"A cup', ' of tea."}'] },
        ),
      ],
      'boil water': [
        reply({ do: 'return', result: 'hot water' }, { deltas: ['{"do":"return","result":"hot water"}'] }),
      ],
    })
    const { engine, run } = await start(model)
    const { chunks, message, parts, errors } = await read(run)
    const { usage } = await run.outcome
    expect(errors).toEqual([])
    expect(message).toMatchObject({ id: run.id, metadata: { run: run.id, status: 'completed', usage } })
    expect(textOf(message)).toBe('A cup of tea.')
    expect(parts.filter(({ type }) => type === 'reasoning')).toMatchObject([
      { text: 'hot water', state: 'done', providerMetadata: { thinkon: { path: '1-1' } } },
    ])
    expect(parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      {
        toolName: 'look',
        state: 'output-available',
        input: { at: 'the shelf' },
        output: { there: 'a kettle' },
      },
      { toolName: 'look', state: 'output-error', errorText: 'there is nothing' },
    ])
    const [tree, ...others] = parts.filter(({ type }) => type === 'data-thinkon-tree')
    expect(others).toEqual([])
    expect((tree as unknown as { data: ThinkonTree }).data).toEqual({
      omitted: 0,
      blocks: [
        { path: '1', parent: null, goal: 'make tea', strategy: 'minimal', status: 'completed' },
        { path: '1-1', parent: '1', goal: 'boil water', strategy: 'minimal', status: 'completed' },
      ],
    })
    expect(chunks[0]).toMatchObject({ type: 'start' })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    expect(JSON.stringify(parts)).not.toContain('"do"')
    await engine.close()
  })

  it('is taken by createUIMessageStreamResponse as it is', async () => {
    const { engine, run } = await start(new ScriptedModel([{ do: 'return', result: 'tea' }]))
    const response = createUIMessageStreamResponse({ stream: run.toUIMessageStream() })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toMatch(/"delta":"tea"[\s\S]*data: \[DONE\]/)
    await engine.close()
  })

  it('leaves out what is not wanted, and has the id that is', async () => {
    const model = new ScriptedModel({
      'make tea': [
        { do: 'call', goals: ['boil water'] },
        { do: 'return', result: 'tea' },
      ],
      'boil water': [{ do: 'return', result: 'hot water' }],
    })
    const { engine, run } = await start(model)
    const { message, parts } = await read(run, { reasoning: false, tree: false, messageId: 'mine' })
    expect(message.id).toBe('mine')
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'text'])
    await engine.close()
  })

  it('of a run that ended long ago is the same', async () => {
    const { engine, run } = await start(
      new ScriptedModel([
        { do: 'tool', calls: [{ name: 'look', input: {} }] },
        { do: 'return', result: 'tea' },
      ]),
    )
    const live = await read(run)
    const later = await read(await engine.resume(run.id))
    const stable = (parts: UIMessage['parts']) => parts.filter(({ type }) => type !== 'data-thinkon-tree')
    expect(stable(later.parts)).toEqual(stable(live.parts))
    await engine.close()
  })
})

describe('a person who is asked', () => {
  it('sees a tool that waits for an answer', async () => {
    const model = new ScriptedModel([
      { do: 'ask', question: { text: 'Milk?', choices: ['yes', 'no'] } },
      { do: 'return', result: 'white tea' },
    ])
    const { engine, run } = await start(model)
    const reading = read(run)
    await vi.waitFor(async () => expect((await engine.state(run.id)).openQuestions).toBe(1), {
      timeout: 60_000,
    })
    await answerAt(run, '1', 'yes')
    const { chunks, parts } = await reading
    expect(chunks.find(({ type }) => type === 'tool-input-available')).toMatchObject({
      toolName: 'ask_person',
      input: { path: '1', question: expect.any(Number), text: 'Milk?', choices: ['yes', 'no'] },
    })
    expect(parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      state: 'output-available',
      output: 'yes',
    })
    await engine.close()
  })

  it.each([
    ['yes', ['output-available', 'output-available'], true],
    ['no', ['output-denied', 'output-error'], false],
  ])('for permission is asked to approve: %s', async (answer, states, approved) => {
    const model = new ScriptedModel([
      { do: 'tool', calls: [{ name: 'look', input: { at: 'the shelf' } }] },
      { do: 'return', result: 'tea' },
    ])
    const approval = { workspace: process.cwd(), asks: 'person', ask: ['look'] } as const
    const { engine, run } = await start(model, { approval })
    const reading = read(run)
    await vi.waitFor(async () => expect((await engine.state(run.id)).openQuestions).toBe(1), {
      timeout: 60_000,
    })
    await answerAt(run, '1', answer)
    const { chunks, parts } = await reading
    expect(chunks.map(({ type }) => type)).toContain('tool-approval-request')
    const tools = parts.filter((part) => part.type === 'dynamic-tool')
    expect(tools.map(({ state }) => state)).toEqual(states)
    expect(tools[0]).toMatchObject({ toolName: 'ask_person', approval: { approved } })
    await engine.close()
  })
})

describe('a run that does not come to its end', () => {
  it('aborts the message if it was cancelled, and takes back what was written', async () => {
    const { model, write } = byHand()
    const { engine, run } = await start(model)
    const reading = read(run)
    const seen = run.text[Symbol.asyncIterator]()
    await write('{"do":"return","result":"Half of')
    expect(await seen.next()).toMatchObject({ value: 'Half of' })
    await run.cancel('enough')
    const { chunks, message } = await reading
    expect(chunks.some(({ type }) => type === 'text-delta')).toBe(true)
    expect(textOf(message)).toBe((await run.outcome).result)
    expect(chunks.at(-1)).toMatchObject({ type: 'abort', reason: expect.stringContaining('enough') })
    expect(message.metadata).toMatchObject({ status: 'cancelled' })
    await engine.close()
  })

  it('ends with an error if it failed, or waits for its model', async () => {
    const failed = await start(new ScriptedModel([new Error('the line is dead')]))
    const { chunks, errors } = await read(failed.run)
    expect(chunks.at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('the line is dead'),
    })
    expect(errors).toHaveLength(1)
    const outage = new ThinkonError('MODEL_OUTAGE', 'no quota', { retryable: true })
    const waiting = await start(new ScriptedModel([outage]))
    const ended = await read(waiting.run, { onError: (error) => `later: ${(error as ThinkonError).code}` })
    expect(ended.chunks.at(-1)).toEqual({ type: 'error', errorText: 'later: MODEL_OUTAGE' })
    await Promise.all([failed.engine.close(), waiting.engine.close()])
  })

  it('that has ended is whole also if its value does not fit the output that is given now', async () => {
    const engine = createEngine({ model: new ScriptedModel([{ do: 'return', result: '{"cups":2}' }]) })
    const run = await engine.start('make tea', {
      strategy: 'minimal',
      output: { type: 'object', properties: { cups: { type: 'number' } }, required: ['cups'] },
    })
    await run.outcome
    const again = await engine.resume(run.id, {
      output: { type: 'object', properties: { cups: { type: 'string' } } },
    })
    const { chunks, message, errors } = await read(again)
    expect(textOf(message)).toBe('{"cups":2}')
    expect(chunks.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('does not fit') })
    expect(errors.map(String)).toEqual([expect.stringContaining('does not fit')])
    await engine.close()
  })

  it('shares a message with another: their parts are told apart', async () => {
    const script = (at: string) => [
      { do: 'tool', calls: [{ name: 'look', input: { at } }] },
      reply({ do: 'return', result: at }, { deltas: [`{"do":"return","result":"${at}`, '"}'] }),
    ]
    const runs = await Promise.all(['left', 'right'].map((at) => start(new ScriptedModel(script(at)))))
    const [left = [], right = []] = await Promise.all(
      runs.map(({ run }) => chunksOf(run.toUIMessageStream({ messageId: 'both' }))),
    )
    const mixed = left.flatMap((chunk, i) => [chunk, ...right.slice(i, i + 1)])
    const { message, parts, errors } = await messageOf([...mixed, ...right.slice(left.length)])
    expect(errors).toEqual([])
    const calls = parts.flatMap((part) => (part.type === 'dynamic-tool' ? part : []))
    expect(calls.map(({ input }) => input)).toEqual([{ at: 'left' }, { at: 'right' }])
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(runs.map(({ run }) => `${run.id}/1/2`))
    expect(textOf(message)).toBe('leftright')
    for (const { engine } of runs) await engine.close()
  })

  it('goes on if its reader goes away', async () => {
    const { model, write } = byHand()
    const { engine, run } = await start(model)
    const reader = run.toUIMessageStream().getReader()
    expect((await reader.read()).value).toMatchObject({ type: 'start' })
    const pending = reader.read()
    await reader.cancel()
    await pending
    await write('{"do":"return","result":"tea"}')
    await write(null)
    expect((await run.outcome).result).toBe('tea')
    await engine.close()
  })
})

it('a tree of hundreds of blocks is bounded, in size and in how often it comes', async () => {
  const CHILDREN = 500
  const model = new ScriptedModel((request: ModelRequest) => {
    const { goal, done } = request.input as { goal: string; done: readonly string[] }
    if (goal === 'make tea' && done.length === 0)
      return { do: 'call', goals: Array.from({ length: CHILDREN }, (_, i) => `cup ${i} ${'x'.repeat(500)}`) }
    return { do: 'return', result: 'done' }
  })
  const { engine, run } = await start(model, { budget: { calls: 2_000, tokens: 100_000_000 } })
  const chunks = await chunksOf(run.toUIMessageStream({ reasoning: false }))
  const trees = chunks.filter((chunk) => chunk.type === 'data-thinkon-tree')
  expect(trees.length).toBeLessThan(200)
  for (const { data } of trees) {
    expect(data.blocks.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(data).length).toBeLessThan(40_000)
  }
  expect(trees.at(-1)?.data.omitted).toBe(CHILDREN + 1 - 100)
  await engine.close()
})
