/** A span as the fold of trace.ts makes it: plain data, of which src/server/telemetry makes OTLP and the objects of an SDK. */

export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue>>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** `client`: a call to something outside this process. */
  readonly kind: 'internal' | 'client'
  readonly startMs: number
  readonly endMs: number
  /** Begun again by the process that resumed the run at this time: what lies between is no latency of the call. */
  readonly resumedMs?: number
  /** Absent unless it ended in an error. */
  readonly error?: { readonly code: string; readonly message?: string }
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly droppedEvents: number
  readonly links: readonly SpanLink[]
  readonly run: string
  /** The number of the event that ended it. */
  readonly seq: number
}

export interface SpanEvent {
  readonly name: string
  readonly atMs: number
  readonly attributes: Attributes
}

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Attributes
}

/** Leaves out what is undefined. */
export function attributesOf(given: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Attributes
}
