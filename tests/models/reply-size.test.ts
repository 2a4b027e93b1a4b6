import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import type { EffectIo } from '../../src/kernel/durable.ts'
import type { Model } from '../../src/kernel/model.ts'
import { performModel } from '../../src/kernel/perform-model.ts'
import type { KernelServices } from '../../src/kernel/services.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import { boundedBody } from '../../src/protocol/bounded-body.ts'
import { DecodingBudget } from '../../src/protocol/decoding-budget.ts'
import { MAX_REPLY_BYTES, type ModelReply, ThinkonError } from '../../src/protocol/index.ts'
import { ask } from './model-io.ts'

const PIECE = 'x'.repeat(64 * 1024)
const USAGE = { inputTokens: 1, outputTokens: 1 }

describe('a reply may have 4 MiB, whatever model it comes from', () => {
  it('one that streams without end is aborted while it streams, and what has arrived is paid', async () => {
    let sent = 0
    const model = own(async (_, io) => {
      for (; !io.signal.aborted; sent += PIECE.length) {
        io.onDelta(PIECE)
        await Promise.resolve()
      }
      throw io.signal.reason
    })
    const { outcome, usage } = await solved({ model })
    expect(outcome).toMatchObject({ status: 'failed', code: 'REPLY_TOO_LONG' })
    expect(outcome.reason).toMatch(/longer than 4 MiB.*raise "maxReplyBytes"/)
    expect(sent).toBeLessThan(MAX_REPLY_BYTES + 2 * PIECE.length)
    expect(usage?.outputTokens).toBeGreaterThan(MAX_REPLY_BYTES / 4)
    expect(usage?.calls).toBe(1)
  })

  it('also one of a model that does not heed its signal', async () => {
    const stop = new AbortController()
    const model = own(async (_, io) => {
      while (!stop.signal.aborted) {
        io.onDelta(PIECE)
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return { text: '', usage: USAGE }
    })
    const { outcome } = await solved({ model })
    stop.abort()
    expect(outcome.code).toBe('REPLY_TOO_LONG')
  })

  it.each<[string, Partial<ModelReply>]>([
    ['its text', { text: 'x'.repeat(MAX_REPLY_BYTES + 1) }],
    ['its text in bytes, not in characters', { text: '語'.repeat(MAX_REPLY_BYTES / 3 + 1) }],
    ['the arguments of a call', { toolCalls: [{ id: '1', name: 'a', input: 'x'.repeat(MAX_REPLY_BYTES) }] }],
    ['what was thought', { reasoning: [{ text: 'x'.repeat(MAX_REPLY_BYTES) }] }],
    ['many calls', { toolCalls: Array(200_000).fill({ id: '1', name: 'a', input: {} }) }],
  ])('a whole reply is held against it: %s', async (_, reply) => {
    const model = own(async () => ({ text: '', usage: { inputTokens: 7, outputTokens: 8 }, ...reply }))
    const { outcome, usage } = await solved({ model })
    expect(outcome.code).toBe('REPLY_TOO_LONG')
    expect(usage).toMatchObject({ calls: 1, inputTokens: 7, outputTokens: 8 })
  })

  it('"maxReplyBytes" of a model raises and lowers it', async () => {
    const says = (length: number) =>
      own(async (_, io) => {
        io.onDelta('x'.repeat(length))
        return { text: 'x'.repeat(length), usage: USAGE }
      })
    const low = await solved({ model: { model: says(2_000), maxReplyBytes: 1_000 } })
    expect(low.outcome.reason).toMatch(/longer than 1000 bytes/)
    const high = await solved({ model: { model: says(MAX_REPLY_BYTES + 1), maxReplyBytes: 8 * 1024 * 1024 } })
    expect(high.outcome.status).toBe('completed')
  })

  it('a reply that was paid and refused before the process died is refused again, unasked', async () => {
    const model = own(async () => Promise.reject(new Error('asked')))
    const refused = new ThinkonError('REPLY_TOO_LONG', 'longer than 4 MiB').toJSON()
    const io = { path: '1', n: 1, paid: () => ({ refused }) } as unknown as EffectIo
    const services = { model: () => model, onOutage: 'wait' } as unknown as KernelServices
    const reserve = { calls: 1, tokens: 1, costUsd: 0 }
    const effect = { kind: 'model', request: ask('?'), reserve, closing: false } as const
    await expect(performModel(effect, io, services)).rejects.toMatchObject({ code: 'REPLY_TOO_LONG' })
  })

  it('a value that is nested 100,000 levels deep is an error that says so', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    for (const reply of [{ value: deep }, { toolCalls: [{ id: '1', name: 'a', input: deep }] }]) {
      const model = own(async () => ({ text: '', usage: USAGE, ...reply }))
      const { outcome } = await solved({ model })
      expect(outcome.reason).toMatch(/the reply is nested deeper than 200 levels/)
    }
  })
})

describe('a server that never stops', () => {
  let close = () => {}
  afterEach(() => close())

  const delta = (fields: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields }] })}\n\n`
  const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] })
  const HEAD = delta({ role: 'assistant', content: 'So ' })
  const CALL = delta(call({ id: 'c', type: 'function', function: { name: 'a', arguments: '{"a":"' } }))

  it.each<[string, string, string, string?]>([
    ['text', HEAD, delta({ content: PIECE })],
    ['what it thinks', HEAD, delta({ reasoning_content: PIECE })],
    ['the arguments of a call', HEAD + CALL, delta(call({ function: { arguments: PIECE } }))],
    ['one event', HEAD, PIECE],
    ['an event of many lines', HEAD, `data: ${PIECE}\n`],
    ['a whole body', '{"choices":[', PIECE, 'application/json'],
    ['a web page', '<html>', PIECE, 'text/html'],
    ['white space', HEAD.replace('So ', PIECE), delta({ content: ' '.repeat(64 * 1024) })],
  ])('%s', async (_, head, piece, type = 'text/event-stream') => {
    const server = await endless(head, piece, type)
    close = server.close
    const model = { model: `${server.url}#fake`, window: 100_000 }
    const { outcome, usage } = await solved({ model })
    expect(outcome).toMatchObject({ status: 'failed', code: 'REPLY_TOO_LONG' })
    expect(server.asked()).toBe(1)
    expect(usage?.calls).toBe(1)
    await expect.poll(server.open).toBe(0)
  })

  it('an error without end is cut off, too', async () => {
    const server = await endless('{"error":{"message":"', PIECE, 'application/json', 400)
    close = server.close
    const { outcome } = await solved({ model: `${server.url}#fake` })
    expect(outcome.status).toBe('failed')
    expect(server.asked()).toBe(1)
  })

  it('a stream of many events is as long as it likes, each within the limit', async () => {
    const events = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 100; i++) controller.enqueue(Buffer.from(`data: ${'x'.repeat(500)}\r\n\r\n`))
        controller.close()
      },
    })
    const headers = { 'content-type': 'text/event-stream' }
    const budget = new DecodingBudget('a stream', { limit: 1_000 })
    const text = await boundedBody(new Response(events, { headers }), budget).text()
    expect(text).toHaveLength(51_000)
    await expect(boundedBody(new Response(text), budget).text()).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})

function own(call: Model['call']): Model {
  return { id: 'own', call }
}

const ASKING: Strategy = {
  name: 'asking',
  version: 1,
  options: (given) => given,
  async solve(context) {
    const { text } = await context.one(context.model(ask('What?')))
    return text.slice(0, 10)
  },
}

async function solved(options: Pick<EngineOptions, 'model'>) {
  const engine = createEngine({ ...options, strategies: [ASKING] })
  try {
    const run = await engine.start('Ask.', { strategy: 'asking' })
    const outcome = await run.outcome
    return { outcome, usage: outcome.usage }
  } finally {
    await engine.close()
  }
}

/** Sends `piece` for as long as somebody reads. */
async function endless(head: string, piece: string, type: string, status = 200) {
  let asked = 0
  let open = 0
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') return void response.writeHead(404).end()
    asked++
    open++
    response.on('close', () => {
      open--
    })
    response.writeHead(status, { 'content-type': type })
    response.write(head)
    const more = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', more)
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    open: () => open,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
