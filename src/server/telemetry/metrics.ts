/** What is measured: from each span that ends, and from failed attempts of models, which are in no journal. */
import type { ModelRetry } from '../../protocol/index.ts'
import { namedModel } from '../../views/trace-model.ts'
import type { Attributes, AttributeValue, Span } from '../../views/trace-span.ts'
import { attributesOf } from '../../views/trace-span.ts'

/** What `Meter` of `@opentelemetry/api` is, as far as it is used. */
export interface MeterLike {
  createCounter(
    name: string,
    options?: InstrumentOptions,
  ): { add(value: number, attributes?: MetricAttributes): void }
  createHistogram(
    name: string,
    options?: InstrumentOptions,
  ): { record(value: number, attributes?: MetricAttributes): void }
}

export type MetricAttributes = Record<string, string | number | boolean | string[]>

export interface InstrumentOptions {
  description?: string
  unit?: string
  advice?: { explicitBucketBoundaries?: number[] }
}

export interface Measures {
  span(span: Span): void
  retry(retry: ModelRetry): void
}

const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
const CALL_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const AGENT_S = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]
const RUN_S = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]

export function createMeasures(meter: MeterLike): Measures {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } })
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Number of input and output tokens used.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  })
  const durations = {
    chat: seconds('gen_ai.client.operation.duration', 'GenAI operation duration.', CALL_S),
    execute_tool: seconds('gen_ai.execute_tool.duration', 'Duration of a tool call.', CALL_S),
    invoke_agent: seconds('gen_ai.invoke_agent.duration', 'Duration of a block.', AGENT_S),
    invoke_workflow: seconds('gen_ai.workflow.duration', 'Duration of a run.', RUN_S),
  }
  const cost = meter.createCounter('thinkon.cost', { description: 'What model calls cost.', unit: '{USD}' })
  const runs = meter.createCounter('thinkon.runs', { description: 'Runs that ended.', unit: '{run}' })
  const blocks = meter.createCounter('thinkon.blocks', { description: 'Blocks that ended.', unit: '{block}' })
  const retries = meter.createCounter('thinkon.model.retries', {
    description: 'Failed attempts of models.',
    unit: '{attempt}',
  })

  return {
    span(span) {
      const { attributes } = span
      const operation = attributes['gen_ai.operation.name'] as keyof typeof durations
      const names = pick(attributes, NAMES)
      durations[operation].record(durationS(span), { ...names, ...pick(attributes, ['error.type']) })
      if (operation === 'invoke_workflow')
        runs.add(1, pick(attributes, ['gen_ai.workflow.name', 'thinkon.status']))
      if (operation === 'invoke_agent')
        blocks.add(1, pick(attributes, ['gen_ai.agent.name', 'thinkon.status']))
      if (operation !== 'chat') return
      for (const type of ['input', 'output']) {
        const used = attributes[`gen_ai.usage.${type}_tokens`]
        if (typeof used === 'number') tokens.record(used, { ...names, 'gen_ai.token.type': type })
      }
      const usd = attributes['thinkon.usage.cost_usd']
      if (typeof usd === 'number' && usd > 0) cost.add(usd, names)
    },
    retry({ model, status }) {
      const named = namedModel(model).attributes
      retries.add(1, pick({ ...named, ...attributesOf({ 'error.type': status?.toString() }) }, RETRY_NAMES))
    },
  }
}

/** Few values each: neither runs nor paths are among them. */
const MODEL_NAMES = [
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'server.address',
  'server.port',
]
const NAMES = [
  'gen_ai.operation.name',
  'gen_ai.agent.name',
  'gen_ai.workflow.name',
  'gen_ai.tool.name',
  ...MODEL_NAMES,
]
const RETRY_NAMES = [...MODEL_NAMES, 'error.type']

/** Of a call that a kill has ended and another process made again: how long that took. */
function durationS({ startMs, endMs, resumedMs = startMs }: Span): number {
  return Math.max(0, endMs - Math.max(startMs, resumedMs)) / 1_000
}

function pick(attributes: Attributes, names: readonly string[]): MetricAttributes {
  const found: Record<string, AttributeValue> = {}
  for (const name of names) {
    const value = attributes[name]
    if (value !== undefined) found[name] = value
  }
  return found as MetricAttributes
}
