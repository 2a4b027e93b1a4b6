// A stream that is alive but does not become a reply, from a real server: an attempt ends at a limit, and the next one is made.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { ResilienceSettings, RetryNote } from '../../src/protocol/index.ts'
import { startFakeProvider } from './fake-provider.ts'
import { ask, testIo } from './model-io.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const REPLY = `${chunk({ content: 'fine' })}${chunk({}, 'stop')}data: [DONE]\n\n`
const CALL = { index: 0, id: 'c', type: 'function', function: { name: 'a', arguments: '' } }

/** The first stream sends `piece` every 20 ms until it is closed; the others are a whole reply. */
function dripping(piece: string, head = ''): (response: ServerResponse, nth: number) => void {
  return (response, nth) => {
    if (nth > 1) return void response.end(REPLY)
    response.write(head)
    const timer = setInterval(() => response.write(piece), 20)
    response.on('close', () => clearInterval(timer))
  }
}

async function serverWith(answer: (response: ServerResponse, nth: number) => void) {
  const seen = { posts: 0, open: 0 }
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end()
    const nth = ++seen.posts
    seen.open++
    response.on('close', () => seen.open--)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    request.resume().on('end', () => answer(response, nth))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { spec: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1#fake`, seen }
}

async function asked(spec: string, resilience: ResilienceSettings) {
  const model = await openModel({ model: spec, resilience: { baseMs: 1, ...resilience } })
  const notes: RetryNote[] = []
  const { text } = await model.call(ask('What?'), { ...testIo(), onRetry: (note) => notes.push(note) })
  return { text, notes }
}

describe('an attempt ends without progress, though the connection is alive:', () => {
  it.each<[string, string, string?]>([
    ['comments only', ': processing\n\n'],
    ['comments after a beginning', ': processing\n\n', chunk({ content: 'So ' })],
    ['empty text', chunk({ content: '' })],
    ['empty reasoning', chunk({ reasoning_content: '' })],
    [
      'empty arguments of a call',
      chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] }),
      chunk({ tool_calls: [CALL] }),
    ],
    ['events without a choice', 'data: {"id":"1","choices":[]}\n\n'],
  ])('%s', async (_, piece, head) => {
    const { spec, seen } = await serverWith(dripping(piece, head))
    const { text, notes } = await asked(spec, { progressMs: 300 })
    expect(text).toBe('fine')
    expect(notes).toMatchObject([{ message: expect.stringContaining('did not grow for 0.3 s') }])
    expect(seen.posts).toBe(2)
    await expect.poll(() => seen.open).toBe(0)
  })
})

describe('an attempt ends at its total limit, however it grows:', () => {
  it.each<[string, object]>([
    ['a letter at a time', { content: 'x' }],
    ['a letter of reasoning at a time', { reasoning_content: 'x' }],
  ])('%s', async (_, delta) => {
    const { spec, seen } = await serverWith(dripping(chunk(delta)))
    const { text, notes } = await asked(spec, { progressMs: 5_000, attemptMs: 400 })
    expect(text).toBe('fine')
    expect(notes).toMatchObject([
      { message: expect.stringContaining('not complete after 0.4 s (attemptMs)') },
    ])
    await expect.poll(() => seen.open).toBe(0)
  })

  it('a run waits for the model if no attempt is left', async () => {
    const { spec } = await serverWith((response) => dripping(chunk({ content: 'x' }))(response, 1))
    const resilience = { baseMs: 1, maxAttempts: 2, attemptMs: 300 }
    const engine = createEngine({ model: { model: spec, resilience } })
    closers.push(() => engine.close())
    const run = await engine.start('add', { strategy: 'minimal' })
    await expect(run.outcome).rejects.toMatchObject({
      code: 'MODEL_OUTAGE',
      message: expect.stringContaining('given up after 2 attempts'),
    })
  })
})

it.each<[string, string, string]>([
  ['comments', ': \n\n'.repeat(4_096), 'more than 32 MiB as its reply'],
  [
    'comments around a few letters',
    `${': \n\n'.repeat(250_000)}${chunk({ content: 'x' })}`,
    'more than 128 MiB',
  ],
  ['empty text', chunk({ content: '' }).repeat(128), 'more than 32 MiB as its reply'],
])(
  'a flood of %s ends at a limit of the stream, and is paid',
  async (_, piece, words) => {
    const { spec, seen } = await serverWith((response) => {
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
    })
    const engine = createEngine({ model: spec })
    closers.push(() => engine.close())
    const outcome = await (await engine.start('add', { strategy: 'minimal' })).outcome
    expect(outcome).toMatchObject({ status: 'failed', code: 'REPLY_TOO_LONG', usage: { calls: 1 } })
    expect(outcome.reason).toContain(words)
    expect(seen.posts).toBe(1)
    await expect.poll(() => seen.open).toBe(0)
  },
  60_000,
)

const apiKey = 'silent-streams-test-key'
const COUNTED = { input_tokens: '12', output_tokens: '5' }
it.each<[string, (url: string) => object, Record<string, unknown>]>([
  ['chat', (url) => ({ model: `${url}#fake` }), { prompt_tokens: '12', completion_tokens: 5 }],
  ['responses', (url) => ({ model: 'openai:gpt-5', baseURL: url, apiKey }), COUNTED],
  ['anthropic', (url) => ({ model: 'anthropic:claude-opus-5', baseURL: url, apiKey }), COUNTED],
  [
    'gemini',
    (url) => ({ model: 'google:gemini-2.5-pro', baseURL: url, apiKey }),
    { promptTokenCount: 12, candidatesTokenCount: 'many' },
  ],
])('a usage of texts is an error of the model and no outage: %s', async (_, spec, rawUsage) => {
  const fake = await startFakeProvider(() => ({ text: 'Six.', rawUsage }))
  closers.push(() => fake.close())
  const model = await openModel({ ...spec(fake.url), resilience: { baseMs: 1 } } as never)
  await expect(model.call(ask('What?'), testIo())).rejects.toMatchObject({
    code: 'MODEL_ERROR',
    retryable: false,
    message: expect.stringContaining('a usage that is no count of tokens, {'),
  })
  expect(fake.requests).toHaveLength(1)
})
