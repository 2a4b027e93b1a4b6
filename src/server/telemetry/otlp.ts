/** Spans as OTLP has them in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import { VERSION } from '../../version.ts'
import type { Attributes, AttributeValue, Span } from '../../views/trace-span.ts'

/** What this program calls itself as the source of spans and metrics. */
export const SCOPE = { name: 'thinkon', version: VERSION } as const

/** The names of attributes are those of this version of the conventions. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0'

export interface OtlpTraces {
  readonly resourceSpans: readonly unknown[]
}

export function otlpTraces(spans: readonly Span[], resource: Attributes): OtlpTraces {
  const scopeSpans = [{ scope: SCOPE, spans: spans.map(otlpSpan), schemaUrl: SCHEMA_URL }]
  return { resourceSpans: [{ resource: otlpResource(resource), scopeSpans }] }
}

export function otlpResource(attributes: Attributes) {
  return { attributes: otlpAttributes(attributes), droppedAttributesCount: 0 }
}

export function otlpAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }))
}

/** Nanoseconds do not fit into a number. */
export function nanos(ms: number): string {
  return `${BigInt(Math.round(ms)) * 1_000_000n}`
}

const INTERNAL = 1
const CLIENT = 3
const ERROR = 2
/** The span was sampled, and nothing outside this program is its parent. */
const FLAGS = 0x101

function otlpSpan(span: Span) {
  const { traceId, spanId, parentSpanId, name, kind, error, attributes, events, links } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: kind === 'client' ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: otlpAttributes(attributes),
    droppedAttributesCount: 0,
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: nanos(event.atMs),
      attributes: otlpAttributes(event.attributes),
      droppedAttributesCount: 0,
    })),
    droppedEventsCount: span.droppedEvents,
    status: error === undefined ? { code: 0 } : { code: ERROR, message: error.message ?? error.code },
    links: links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      attributes: otlpAttributes(link.attributes),
      droppedAttributesCount: 0,
      flags: FLAGS,
    })),
    droppedLinksCount: 0,
    flags: FLAGS,
  }
}

function otlpValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  return { arrayValue: { values: value.map(otlpValue) } }
}
