/**
 * The trace of a run: a fold of its journal into spans for the run, its blocks, model calls and tool calls, named as the GenAI semantic
 * conventions of OpenTelemetry have it.
 *
 * 1. The same journal always gives the same spans, whoever folds it and in how many processes it was written.
 * 2. A span is given once, when the event that ends it is folded. What has not ended is no span yet.
 * 3. What was said (prompts, replies, goals, input and results of tools, messages of errors) is left out unless it is asked for.
 * 4. A fork is a trace of its own, linked to the one it comes from, which has the spans that ended before the fork.
 */
import type { Usage } from '../protocol/budget.ts'
import { accumulate, NO_USAGE } from '../protocol/budget.ts'
import type { ErrorData } from '../protocol/errors.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import { withModel } from '../protocol/fold.ts'
import { goalText } from '../protocol/goal.ts'
import type { ModelReply } from '../protocol/model.ts'
import type { Outcome } from '../protocol/outcome.ts'
import { parentPath } from '../protocol/path.ts'
import { strategyName } from './block-views.ts'
import { MOST_CONTENT_CHARS, replyContent, requestContent } from './trace-content.ts'
import { spanIdOf, traceIdOf } from './trace-ids.ts'
import { namedModel } from './trace-model.ts'
import type { Span } from './trace-span.ts'
import { begin, end, errorOf, failure, keyOf, noted, RUN, type State, said } from './trace-state.ts'

export interface TraceOptions {
  /** Also what was said. Off unless set. */
  readonly content?: boolean | undefined
  /** Of longer texts, only the beginning is given. 32,768 unless set. */
  readonly maxContentChars?: number | undefined
}

export interface Trace {
  /** The spans that end with this event. */
  follow(event: Event): readonly Span[]
  /** How many spans have begun and not ended. */
  readonly open: number
}

/** The whole trace of a journal. */
export function traceOf(events: Iterable<Event>, options?: TraceOptions): Span[] {
  return collectTrace(events, options).spans
}

/** The same, and how many spans have begun and not ended: they are not in it. */
export function collectTrace(
  events: Iterable<Event>,
  options?: TraceOptions,
): { spans: Span[]; open: number } {
  const trace = createTrace(options)
  let spans: Span[] = []
  for (const event of events) {
    spans.push(...trace.follow(event))
    if (event.type === 'run-fork') spans = []
  }
  return { spans, open: trace.open }
}

export function createTrace(options: TraceOptions = {}): Trace {
  const state: State = {
    options: { content: options.content ?? false, most: options.maxContentChars ?? MOST_CONTENT_CHARS },
    config: { thinkon: '' },
    open: new Map(),
  }
  return {
    follow: (event) => apply(state, event),
    get open() {
      return state.open.size
    },
  }
}

function apply(state: State, event: Event): readonly Span[] {
  switch (event.type) {
    case 'run-start':
      return runStarted(state, event)
    case 'run-fork':
      return runForked(state, event)
    case 'run-resume':
      return runResumed(state, event)
    case 'run-wait':
      return noted(state, RUN, event, 'thinkon.run.wait', { 'thinkon.model': event.steps[0]?.model })
    case 'run-end':
      return runEnded(state, event)
    case 'block-start':
      return blockStarted(state, event)
    case 'block-end':
      return blockEnded(state, event)
    case 'model-start':
      return modelStarted(state, event)
    case 'model-end':
      return modelEnded(state, event)
    case 'tool-start':
      return toolStarted(state, event)
    case 'tool-end':
      return toolEnded(state, event)
    case 'part-end': {
      const step = state.open.get(keyOf(event))
      if (step) accumulate(step.spent, event.usage)
      return []
    }
    case 'signal-asked':
      return event.question === undefined
        ? []
        : noted(state, event.path, event, 'thinkon.question', { 'thinkon.signal': event.name })
    case 'signal-answered':
      return noted(state, event.path, event, 'thinkon.answer', { 'thinkon.signal': event.name })
    case 'signal-taken':
      return noted(state, event.path, event, 'thinkon.signal', { 'thinkon.signal': event.name })
    case 'loop-found':
      return noted(state, event.path, event, 'thinkon.loop', { 'thinkon.loop.times': event.times })
    default:
      return []
  }
}

// --- the run

function runStarted(state: State, event: EventOf<'run-start'>): readonly Span[] {
  const { run, strategy, config, goal } = event
  const name = strategyName(strategy)
  state.config = config
  begin(state, RUN, event, {
    spanId: spanIdOf(run),
    name: `invoke_workflow ${name}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': name,
      'thinkon.version': config.thinkon,
      ...said(state, 'gen_ai.input.messages', () => [
        { role: 'user', parts: [{ type: 'text', content: goalText(goal) }] },
      ]),
    },
  })
  return []
}

function runForked(state: State, { from, at }: EventOf<'run-fork'>): readonly Span[] {
  const span = state.open.get(RUN)
  if (span === undefined) return []
  const attributes = { 'thinkon.fork.at': at }
  span.links.push({ traceId: traceIdOf(from), spanId: spanIdOf(from), attributes })
  span.attributes['thinkon.fork.from'] = from
  return []
}

function runResumed(state: State, event: EventOf<'run-resume'>): readonly Span[] {
  const { lost = [], changes = [] } = event
  for (const change of changes) if (change.what === 'model') state.config = withModel(state.config, change)
  for (const [key, span] of state.open) if (key.includes(' ')) span.resumedMs = Date.parse(event.ts)
  for (const step of lost) {
    const span = state.open.get(keyOf(step))
    if (span) accumulate(span.spent, step.usage)
  }
  return noted(state, RUN, event, 'thinkon.run.resume', { 'thinkon.lost_steps': lost.length })
}

function runEnded(state: State, event: EventOf<'run-end'>): readonly Span[] {
  const { status } = event
  const error = status === 'failed' ? { code: status } : undefined
  return end(state, RUN, event, { 'thinkon.status': status }, error)
}

// --- blocks

function blockStarted(state: State, event: EventOf<'block-start'>): readonly Span[] {
  const { run, path, strategy, goal } = event
  const name = strategyName(strategy)
  const version = strategy.slice(name.length + 1)
  const parent = parentPath(path)
  begin(state, path, event, {
    spanId: spanIdOf(run, path),
    parentSpanId: spanIdOf(run, parent ?? ''),
    name: `invoke_agent ${name}`,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.agent.version': version === '' ? undefined : version,
      ...said(state, 'gen_ai.input.messages', () => [
        { role: 'user', parts: [{ type: 'text', content: goalText(goal) }] },
      ]),
    },
  })
  return []
}

function blockEnded(state: State, event: EventOf<'block-end'>): readonly Span[] {
  const { outcome, path } = event
  const { status, code, limit, usage, reason, result } = outcome
  const attributes = {
    'thinkon.status': status,
    'thinkon.code': code,
    'thinkon.limit': limit,
    ...sumAttributes(usage),
    ...said(state, 'gen_ai.output.messages', () => [
      { role: 'assistant', parts: [{ type: 'text', content: result }], finish_reason: 'stop' },
    ]),
  }
  const error = status === 'failed' ? errorOf(state, outcomeError(outcome, reason)) : undefined
  const root = parentPath(path) === null ? state.open.get(RUN) : undefined
  if (root !== undefined) Object.assign(root.attributes, attributes)
  return end(state, path, event, attributes, error)
}

function outcomeError(
  { status, code }: Outcome,
  message = '',
): Pick<ErrorData, 'message'> & { code: string } {
  return { code: code ?? status, message }
}

/** Of everything below it: not under the names of one call's usage, which would be counted twice. */
function sumAttributes({ calls, inputTokens, outputTokens, costUsd }: Usage) {
  return {
    'thinkon.usage.calls': calls,
    'thinkon.usage.input_tokens': inputTokens,
    'thinkon.usage.output_tokens': outputTokens,
    'thinkon.usage.cost_usd': costUsd,
  }
}

// --- steps

function modelStarted(state: State, event: EventOf<'model-start'>): readonly Span[] {
  const { request, run, path, n } = event
  const { config, options } = state
  const model = namedModel(config.models?.[request.role] ?? config.model ?? '')
  const { temperature, seed, maxOutputTokens } = request.settings ?? {}
  begin(state, keyOf(event), event, {
    spanId: spanIdOf(run, path, n),
    parentSpanId: spanIdOf(run, path),
    name: model.name === '' ? 'chat' : `chat ${model.name}`,
    kind: model.isLocal ? 'internal' : 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      ...model.attributes,
      'gen_ai.output.type': request.schema === undefined ? 'text' : 'json',
      'gen_ai.request.temperature': temperature,
      'gen_ai.request.seed': seed,
      'gen_ai.request.max_tokens': maxOutputTokens,
      'thinkon.operation': n,
      'thinkon.request.kind': request.kind,
      'thinkon.request.role': request.role,
      ...(options.content && requestContent(request, options.most)),
    },
  })
  return []
}

function modelEnded(state: State, event: EventOf<'model-end'>): readonly Span[] {
  const { result } = event
  const step = state.open.get(keyOf(event))
  const usage: Usage = { ...(step?.spent ?? NO_USAGE) }
  accumulate(usage, event.usage)
  const attributes = {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'thinkon.usage.cost_usd': usage.costUsd,
    'thinkon.usage.lost_tokens': usage.lostTokens,
    ...(result.ok && replyAttributes(state, result.value)),
  }
  return end(state, keyOf(event), event, attributes, failure(state, result))
}

function replyAttributes({ options }: State, reply: ModelReply) {
  const { cutOff, toolCalls = [], model, asks, usageEstimated } = reply
  return {
    'gen_ai.response.finish_reasons': [cutOff ? 'length' : toolCalls.length > 0 ? 'tool_call' : 'stop'],
    'gen_ai.response.model': model === undefined ? undefined : namedModel(model).name,
    'thinkon.reply.asks': asks,
    'thinkon.usage.estimated': usageEstimated,
    ...(options.content && replyContent(reply, options.most)),
  }
}

function toolStarted(state: State, event: EventOf<'tool-start'>): readonly Span[] {
  const { run, path, n, name, access, input } = event
  begin(state, keyOf(event), event, {
    spanId: spanIdOf(run, path, n),
    parentSpanId: spanIdOf(run, path),
    name: `execute_tool ${name}`,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'function',
      'thinkon.operation': n,
      'thinkon.tool.access': access,
      ...said(state, 'gen_ai.tool.call.arguments', () => input),
    },
  })
  return []
}

function toolEnded(state: State, event: EventOf<'tool-end'>): readonly Span[] {
  const { result } = event
  const attributes = result.ok ? said(state, 'gen_ai.tool.call.result', () => result.value) : {}
  return end(state, keyOf(event), event, attributes, failure(state, result))
}
