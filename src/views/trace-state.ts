/** The open spans of a trace: how they begin, what is added to them, how they end. */
import type { Usage } from '../protocol/budget.ts'
import { NO_USAGE } from '../protocol/budget.ts'
import type { Event, RunConfig } from '../protocol/event.ts'
import type { Result } from '../protocol/outcome.ts'
import { contentJson } from './trace-content.ts'
import { traceIdOf } from './trace-ids.ts'
import { type AttributeValue, attributesOf, type Span, type SpanEvent, type SpanLink } from './trace-span.ts'

/** More events than these are counted, not kept. */
const MOST_EVENTS = 128

export interface OpenSpan {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: Span['kind']
  readonly startMs: number
  resumedMs?: number
  readonly attributes: Record<string, AttributeValue | undefined>
  readonly events: SpanEvent[]
  droppedEvents: number
  readonly links: SpanLink[]
  /** Of a step: what its parts have spent so far, and what was lost with a process. */
  readonly spent: Usage
}

export interface State {
  readonly options: { readonly content: boolean; readonly most: number }
  config: RunConfig
  readonly open: Map<string, OpenSpan>
}

/** The key of the run's span; a block's is its path. */
export const RUN = ''
/** The key of a step's span. */
export const keyOf = ({ path, n }: { path: string; n: number }) => `${path} ${n}`

type Begun = Pick<OpenSpan, 'spanId' | 'name' | 'attributes'> &
  Partial<Pick<OpenSpan, 'parentSpanId' | 'kind'>>

export function begin({ open }: State, key: string, { run, path, ts }: Event, begun: Begun): void {
  const { kind = 'internal', attributes } = begun
  open.set(key, {
    ...begun,
    kind,
    startMs: Date.parse(ts),
    attributes: {
      ...attributes,
      'gen_ai.conversation.id': run,
      'thinkon.run': run,
      ...(key !== RUN && { 'thinkon.path': path }),
    },
    events: [],
    droppedEvents: 0,
    links: [],
    spent: { ...NO_USAGE },
  })
}

export function end(
  { open }: State,
  key: string,
  { run, seq, ts }: Event,
  more: Readonly<Record<string, AttributeValue | undefined>>,
  error: Span['error'],
): readonly Span[] {
  const begun = open.get(key)
  if (begun === undefined) return []
  open.delete(key)
  const { attributes, spent: _, startMs, ...rest } = begun
  const span: Span = {
    ...rest,
    traceId: traceIdOf(run),
    startMs,
    // Clocks may be set back: a span never ends before it began.
    endMs: Math.max(startMs, Date.parse(ts)),
    attributes: attributesOf({ ...attributes, ...more, 'error.type': error?.code }),
    ...(error !== undefined && { error }),
    run,
    seq,
  }
  return [span]
}

/** An event of an open span. */
export function noted(
  { open }: State,
  key: string,
  { ts }: Event,
  name: string,
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
): readonly Span[] {
  const span = open.get(key)
  if (span === undefined) return []
  if (span.events.length === MOST_EVENTS) span.droppedEvents++
  else span.events.push({ name, atMs: Date.parse(ts), attributes: attributesOf(attributes) })
  return []
}

export function said({ options }: State, name: string, value: () => unknown): Record<string, string> {
  return options.content ? { [name]: contentJson(value(), options.most) } : {}
}

export function failure(state: State, result: Result<unknown>): Span['error'] {
  return result.ok ? undefined : errorOf(state, result.error)
}

/** A message may quote what was said. */
export function errorOf(
  { options }: State,
  { code, message }: { code: string; message: string },
): Span['error'] {
  return options.content ? { code, message: contentJson(message, options.most) } : { code }
}
