import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import type { Event } from '../protocol/index.ts'
import { foldEvents } from '../protocol/index.ts'
import { ScriptedModel } from '../testing/index.ts'
import { createTrace, traceOf } from './trace.ts'
import { spanIdOf, traceIdOf } from './trace-ids.ts'
import { namedModel } from './trace-model.ts'
import type { Span } from './trace-span.ts'

const GOLDEN = join(import.meta.dirname, '../../tests/golden')
const journals = readdirSync(GOLDEN).filter((file) => file.endsWith('.jsonl'))

function goldenEvents(file: string): Event[] {
  const lines = readFileSync(join(GOLDEN, file), 'utf8').trim().split('\n')
  return lines.map((line) => ({ ts: '2026-01-01T00:00:00.000Z', run: 'golden', ...JSON.parse(line) }))
}

const SECRET = 'the goal is said nowhere'

/** A run with a tool that fails, one that works, a child, and a model with prices. */
async function smallRun(): Promise<Event[]> {
  const model = new ScriptedModel(
    {
      [SECRET]: [
        { do: 'tool', calls: [{ name: 'look', input: 'quiet input' }] },
        { do: 'tool', calls: [{ name: 'fail', input: 'quiet input' }] },
        { do: 'call', goals: ['a child'] },
        { do: 'return', result: 'quiet result' },
      ],
      'a child': [{ do: 'return', status: 'failed', result: '', reason: 'quiet reason' }],
    },
    { id: 'openai:gpt-5' },
  )
  const engine = createEngine({
    model,
    tools: [
      { name: 'look', description: 'looks', access: 'read', run: async () => 'quiet output' },
      {
        name: 'fail',
        description: 'fails',
        access: 'read',
        run: async () => {
          throw new Error('quiet error')
        },
      },
    ],
  })
  const run = await engine.start(SECRET, { strategy: 'minimal', id: 'small' })
  await run.outcome
  const events = [...(await engine.events(run.id))]
  await engine.close()
  return events
}

describe('the trace of a run', () => {
  it.each(journals)('%s: every block and step is one span, below its block, below the run', (file) => {
    const events = goldenEvents(file)
    const spans = traceOf(events)
    const count = (type: string) => events.filter((event) => event.type === type).length
    const ended = ['run-end', 'block-end', 'model-end', 'tool-end'].map(count).reduce((a, b) => a + b)
    expect(spans.length).toBe(ended)
    const ids = new Map(spans.map((span) => [span.spanId, span]))
    expect(ids.size).toBe(spans.length)
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    expect(roots).toHaveLength(1)
    for (const { parentSpanId, traceId } of spans) {
      expect(traceId).toBe(traceIdOf('golden'))
      if (parentSpanId !== undefined) expect(ids.has(parentSpanId)).toBe(true)
    }
  })

  it.each(journals)('%s: the usage of all model calls is what the run has spent on models', (file) => {
    const events = goldenEvents(file)
    const { roles } = foldEvents(events)
    const models = Object.entries(roles).filter(([role]) => role !== 'tool')
    for (const [type, field] of [
      ['input', 'inputTokens'],
      ['output', 'outputTokens'],
    ] as const) {
      const spent = models.reduce((sum, [, usage]) => sum + usage[field], 0)
      const traced = traceOf(events).reduce(
        (sum, { attributes }) => sum + Number(attributes[`gen_ai.usage.${type}_tokens`] ?? 0),
        0,
      )
      expect(traced).toBe(spent)
    }
  })

  it('is the same however the journal is read, and wherever the processes changed', () => {
    const events = goldenEvents('fractal.jsonl')
    const whole = traceOf(events)
    expect(traceOf(events)).toEqual(whole)
    for (const at of [1, 5, 17, events.length - 2]) {
      // The one that died gave what ended before; the one that resumes reads all, and gives the rest.
      const first = createTrace()
      const sent = events.slice(0, at).flatMap((event) => first.follow(event))
      const second = createTrace()
      const rest = events.flatMap((event) => second.follow(event)).filter(({ seq }) => seq > at)
      expect([...sent, ...rest]).toEqual(whole)
    }
  })

  it('has names and attributes as the conventions have them', async () => {
    const spans = traceOf(await smallRun())
    const named = (name: string) => spans.find((span) => span.name === name) as Span
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set([
        'invoke_workflow minimal',
        'invoke_agent minimal',
        'chat gpt-5',
        'execute_tool look',
        'execute_tool fail',
      ]),
    )
    expect(named('chat gpt-5')).toMatchObject({
      kind: 'client',
      traceId: traceIdOf('small'),
      parentSpanId: spanIdOf('small', '1'),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5',
        'gen_ai.conversation.id': 'small',
        'gen_ai.response.finish_reasons': ['stop'],
      },
    })
    expect(named('chat gpt-5').attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0)
    const failed = named('execute_tool fail')
    expect(failed.error).toEqual({ code: 'TOOL_ERROR' })
    expect(failed.attributes).toMatchObject({
      'error.type': 'TOOL_ERROR',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'fail',
    })
    const child = spans.find(
      ({ attributes }) => attributes['thinkon.path'] === '1-1' && attributes['thinkon.status'],
    )
    expect(child).toMatchObject({ name: 'invoke_agent minimal', error: { code: 'failed' } })
    expect(named('invoke_workflow minimal').attributes).toMatchObject({ 'thinkon.status': 'completed' })
  })

  it('has nothing of what was said, unless it is asked for', async () => {
    const events = await smallRun()
    expect(JSON.stringify(traceOf(events))).not.toMatch(/quiet|nowhere/)
    const all = JSON.stringify(traceOf(events, { content: true }))
    for (const said of [SECRET, 'quiet input', 'quiet output', 'quiet result', 'quiet error', 'quiet reason'])
      expect(all).toContain(said)
  })

  it('cuts what was said where it is told to', async () => {
    const spans = traceOf(await smallRun(), { content: true, maxContentChars: 10 })
    for (const { attributes } of spans)
      expect(String(attributes['gen_ai.input.messages'] ?? '').length).toBeLessThanOrEqual(10)
  })
})

describe('a fork', () => {
  it('is a trace of its own, without what ended before it, and linked to where it comes from', async () => {
    const engine = createEngine({
      model: new ScriptedModel({
        g: [
          { do: 'call', goals: ['a child'] },
          { do: 'return', result: 'r' },
          { do: 'return', result: 'other' },
        ],
        'a child': [{ do: 'return', result: 'c' }],
      }),
    })
    const run = await engine.start('g', { strategy: 'minimal', id: 'one' })
    await run.outcome
    const events = [...(await engine.events('one'))]
    const at = events.findIndex((event) => event.type === 'done-add') + 1
    const fork = await engine.fork('one', at)
    await (await engine.resume(fork)).outcome
    const spans = traceOf(await engine.events(fork))
    await engine.close()
    expect(spans.map(({ name }) => name)).toEqual([
      'chat scripted',
      'invoke_agent minimal',
      'invoke_workflow minimal',
    ])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(fork)]))
    expect(spans.at(-1)?.links).toEqual([
      { traceId: traceIdOf('one'), spanId: spanIdOf('one'), attributes: { 'thinkon.fork.at': at } },
    ])
  })
})

describe('a model', () => {
  it.each([
    ['openai:gpt-5', 'openai', 'gpt-5'],
    ['google:gemini-3', 'gcp.gemini', 'gemini-3'],
    ['openai.responses:gpt-5', 'openai', 'gpt-5'],
    ['ollama:qwen3:8b,openai:gpt-5', 'ollama', 'qwen3:8b'],
    ['http://127.0.0.1:1234/v1#qwen3', 'openai_compatible', 'qwen3'],
    ['gguf:/home/me/models/small.gguf', 'llama.cpp', 'small.gguf'],
    ['embedded:abacus', 'thinkon', 'abacus'],
    ['scripted', 'custom', 'scripted'],
  ])('%s is %s %s', (spec, provider, model) => {
    const { attributes } = namedModel(spec)
    expect(attributes).toMatchObject({ 'gen_ai.provider.name': provider, 'gen_ai.request.model': model })
  })

  it('has the address of its server, without what may be a key', () => {
    expect(namedModel('https://user:key@host.example/v1?token=x#m').attributes).toEqual({
      'gen_ai.provider.name': 'openai_compatible',
      'gen_ai.request.model': 'm',
      'server.address': 'host.example',
      'server.port': 443,
    })
  })
})
