/**
 * Spans as the SDK of OpenTelemetry has them, for a program's own exporter. They go to it directly and not through a tracer, which would
 * make up ids and times of its own. The shapes are written out here, so that nothing of OpenTelemetry is needed to import this file.
 */
import type { Attributes, Span } from '../../views/trace-span.ts'
import { SCHEMA_URL, SCOPE } from './otlp.ts'

/** Seconds and nanoseconds. */
export type HrTime = [number, number]

export type SpanAttributes = Record<string, string | number | boolean | string[]>

/** What `SpanExporter` of `@opentelemetry/sdk-trace` is, as far as it is used. */
export interface SpanExporterLike {
  // As a method: an exporter may ask for more of a span than is named here, and a real one gets all of it.
  export(spans: ReadableSpanLike[], done: (result: { code: number; error?: Error }) => void): void
  forceFlush?(): Promise<void>
}

export interface SpanContextLike {
  traceId: string
  spanId: string
  traceFlags: number
  isRemote?: boolean
}

/** What `Resource` of `@opentelemetry/resources` is. */
export interface ResourceLike {
  readonly attributes: SpanAttributes
  merge(other: ResourceLike | null): ResourceLike
  getRawAttributes(): [string, string | number | boolean | string[]][]
}

/** What `ReadableSpan` is. */
export interface ReadableSpanLike {
  readonly name: string
  readonly kind: number
  readonly spanContext: () => SpanContextLike
  readonly parentSpanContext?: SpanContextLike
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly status: { code: number; message?: string }
  readonly attributes: SpanAttributes
  readonly links: {
    context: SpanContextLike
    attributes: SpanAttributes
  }[]
  readonly events: {
    name: string
    time: HrTime
    attributes: SpanAttributes
  }[]
  readonly duration: HrTime
  readonly ended: boolean
  readonly resource: ResourceLike
  readonly instrumentationScope: { name: string; version?: string; schemaUrl?: string }
  readonly droppedAttributesCount: number
  readonly droppedEventsCount: number
  readonly droppedLinksCount: number
}

const INTERNAL = 0
const CLIENT = 2
const ERROR = 2
const SAMPLED = 1

/** One object: exporters gather spans by it. */
const INSTRUMENTATION = { ...SCOPE, schemaUrl: SCHEMA_URL }

export function readableSpan(span: Span, resource: ResourceLike): ReadableSpanLike {
  const { traceId, spanId, parentSpanId, error } = span
  const contextOf = (id: string, trace = traceId) => ({ traceId: trace, spanId: id, traceFlags: SAMPLED })
  return {
    name: span.name,
    kind: span.kind === 'client' ? CLIENT : INTERNAL,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: hrTime(span.startMs),
    endTime: hrTime(span.endMs),
    status: error === undefined ? { code: 0 } : { code: ERROR, message: error.message ?? error.code },
    attributes: plain(span.attributes),
    links: span.links.map((link) => ({
      context: contextOf(link.spanId, link.traceId),
      attributes: plain(link.attributes),
    })),
    events: span.events.map(({ name, atMs, attributes }) => ({
      name,
      time: hrTime(atMs),
      attributes: plain(attributes),
    })),
    duration: hrTime(span.endMs - span.startMs),
    ended: true,
    resource,
    instrumentationScope: INSTRUMENTATION,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  }
}

export function resourceOf(attributes: Attributes): ResourceLike {
  return {
    attributes: plain(attributes),
    merge: (other) => resourceOf({ ...attributes, ...other?.attributes }),
    getRawAttributes: () => Object.entries(plain(attributes)),
  }
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)]
}

function plain(attributes: Attributes): SpanAttributes {
  return { ...attributes } as SpanAttributes
}
