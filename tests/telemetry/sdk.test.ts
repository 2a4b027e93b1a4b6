/** With the SDK of OpenTelemetry: spans in its in-memory exporter, metrics in its reader, and its own encoding of both. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { readableSpan, resourceOf } from '../../src/server/telemetry/readable-span.ts'
import { createTelemetry, otlpTraces, traceOf } from '../../src/telemetry.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { gate, until } from '../conformance/async.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-telemetry-'))
  folders.push(folder)
  return folder
}

const idsOf = (spans: readonly ReadableSpan[]) =>
  spans.map((span) => [span.spanContext().traceId, span.spanContext().spanId, span.parentSpanContext?.spanId])

const script = {
  g: [
    { do: 'tool', calls: [{ name: 'look', input: 'x' }] },
    { do: 'call', goals: ['a', 'b'] },
    { do: 'return', result: 'r' },
  ],
  a: [{ do: 'return', result: 'a' }],
  b: [{ do: 'return', status: 'failed', result: '', reason: 'no' }],
}
const tools = [{ name: 'look', description: 'looks', access: 'read' as const, run: async () => 'seen' }]

describe('a span exporter of the SDK', () => {
  it('gets the trace that the journal gives', async () => {
    const exporter = new InMemorySpanExporter()
    const telemetry = createTelemetry({ exporter })
    const engine = telemetry.observe(createEngine({ model: new ScriptedModel(script), tools }))
    const run = await engine.start('g', { strategy: 'minimal' })
    await run.outcome
    await telemetry.flush()
    const expected = traceOf(await engine.events(run.id))
    await engine.close()
    const got = exporter.getFinishedSpans()
    expect(idsOf(got)).toEqual(
      expected.map(({ traceId, spanId, parentSpanId }) => [traceId, spanId, parentSpanId]),
    )
    expect(got.map(({ name, attributes }) => ({ name, attributes }))).toEqual(
      expected.map(({ name, attributes }) => ({ name, attributes })),
    )
  })

  it('gets one trace of a run that one process left and another resumed: what was not exported, and nothing twice', async () => {
    const folder = newFolder()
    const store = join(folder, 'runs.db')
    const record = join(folder, 'runs.db.telemetry')
    const held = gate()
    const exporter = new InMemorySpanExporter()
    const first = createTelemetry({ exporter, record })
    const model = (wait: () => Promise<void>) =>
      new ScriptedModel({ ...script, b: async () => wait().then(() => script.b[0] as never) })
    const engine = first.observe(createEngine({ model: model(() => held.opened), tools, store }))
    const run = await engine.start('g', { strategy: 'minimal' })
    const hasA = async () => (await engine.state(run.id)).blocks.get('1-1')?.outcome != null
    await until(hasA, 'the first child ends')
    await engine.close()
    await first.close()
    const before = exporter.getFinishedSpans().length
    expect(before).toBeGreaterThan(2)

    const second = createTelemetry({ exporter, record })
    const again = second.observe(createEngine({ model: model(async () => {}), tools, store }))
    await (await again.resume(run.id)).outcome
    await second.flush()
    const whole = traceOf(await again.events(run.id))
    await again.close()
    await second.close()
    held.open()
    const got = exporter.getFinishedSpans()
    expect(got.length).toBeGreaterThan(before)
    expect(idsOf(got)).toEqual(
      whole.map(({ traceId, spanId, parentSpanId }) => [traceId, spanId, parentSpanId]),
    )
  })

  it('gets each span once of a run that several attach to', async () => {
    const held = gate()
    const exporter = new InMemorySpanExporter()
    const telemetry = createTelemetry({ exporter })
    const model = new ScriptedModel({ ...script, b: () => held.opened.then(() => script.b[0]) })
    const engine = telemetry.observe(createEngine({ model, tools }))
    const run = await engine.start('g', { strategy: 'minimal', id: 'one' })
    const others = [await engine.start('g', { strategy: 'minimal', id: 'one' }), await engine.resume('one')]
    held.open()
    await Promise.all([run, ...others].map(({ outcome }) => outcome))
    await telemetry.flush()
    const expected = traceOf(await engine.events('one'))
    await engine.close()
    expect(exporter.getFinishedSpans()).toHaveLength(expected.length)
  })

  it('that throws, fails or never answers does not disturb the run; it is told once', async () => {
    for (const behaviour of ['throws', 'fails', 'hangs'] as const) {
      const problems: string[] = []
      const exporter = {
        export(_: unknown, done: (result: { code: number; error?: Error }) => void) {
          if (behaviour === 'throws') throw new Error('broken')
          if (behaviour === 'fails') done({ code: 1, error: new Error('refused') })
        },
      }
      const telemetry = createTelemetry({ exporter, onProblem: (message) => problems.push(message) })
      const engine = telemetry.observe(createEngine({ model: new ScriptedModel(script), tools }))
      const run = await engine.start('g', { strategy: 'minimal' })
      expect((await run.outcome).status).toBe('completed')
      await telemetry.flush(100)
      await telemetry.close(100)
      await engine.close()
      expect(problems, behaviour).toHaveLength(1)
      expect(problems[0]).toContain('Runs are not affected')
    }
  })

  it('is given spans that the SDK encodes as we do', async () => {
    const engine = createEngine({ model: new ScriptedModel(script, { id: 'openai:gpt-5' }), tools })
    const run = await engine.start('g', { strategy: 'minimal' })
    await run.outcome
    const spans = traceOf(await engine.events(run.id), { content: true })
    await engine.close()
    const resource = { 'service.name': 'mine' }
    const shared = resourceOf(resource)
    const readable = spans.map((span) => readableSpan(span, shared))
    const bytes = JsonTraceSerializer.serializeRequest(readable as unknown as ReadableSpan[])
    const official = JSON.parse(new TextDecoder().decode(bytes))
    const scope = official.resourceSpans[0].scopeSpans[0]
    const own = JSON.parse(JSON.stringify(otlpTraces(spans, resource)))
    expect(own.resourceSpans[0].resource).toEqual(official.resourceSpans[0].resource)
    expect(own.resourceSpans[0].scopeSpans[0]).toEqual(scope)
  })
})

describe('a meter of the SDK', () => {
  it('gets tokens, cost, durations and outcomes; nothing names a run', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
    const meterProvider = new MeterProvider({ readers: [reader] })
    const telemetry = createTelemetry({ meterProvider })
    const model = new ScriptedModel(script, { id: 'openai:gpt-5', cost: () => 0.25 })
    const engine = telemetry.observe(createEngine({ model, tools }))
    const run = await engine.start('g', { strategy: 'minimal' })
    const { usage } = await run.outcome
    await telemetry.flush()
    await meterProvider.forceFlush()
    await engine.close()
    const metrics = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    await meterProvider.shutdown()
    const points = (name: string) =>
      metrics
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as DataPoint<number | Histogram>[])
    const named = new Set(metrics.map(({ descriptor }) => descriptor.name))
    for (const name of [
      'gen_ai.client.token.usage',
      'gen_ai.client.operation.duration',
      'gen_ai.execute_tool.duration',
      'gen_ai.invoke_agent.duration',
      'gen_ai.workflow.duration',
      'thinkon.cost',
      'thinkon.runs',
      'thinkon.blocks',
    ])
      expect(named).toContain(name)
    const sumOf = (type: string) =>
      points('gen_ai.client.token.usage')
        .filter(({ attributes }) => attributes['gen_ai.token.type'] === type)
        .reduce((sum, { value }) => sum + ((value as Histogram).sum ?? 0), 0)
    expect(sumOf('input')).toBe(usage.inputTokens)
    expect(sumOf('output')).toBe(usage.outputTokens)
    expect(points('thinkon.cost')[0]?.value).toBeCloseTo(usage.costUsd ?? 0)
    expect(points('thinkon.runs')).toMatchObject([
      { value: 1, attributes: { 'thinkon.status': 'completed', 'gen_ai.workflow.name': 'minimal' } },
    ])
    expect(
      points('thinkon.blocks').map(({ value, attributes }) => [attributes['thinkon.status'], value]),
    ).toEqual(
      expect.arrayContaining([
        ['completed', 2],
        ['failed', 1],
      ]),
    )
    expect(JSON.stringify(metrics)).not.toContain(run.id)
  })
})
