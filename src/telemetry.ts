/** `thinkon/telemetry`: traces and metrics of runs for OpenTelemetry. Needs no package of it: what an SDK is given is described here. */
export type { WorkerObserver } from './kernel/worker-observer.ts'
export type { InstrumentOptions, MeterLike, MetricAttributes } from './server/telemetry/metrics.ts'
export { createTelemetry, type TelemetryOptions } from './server/telemetry/open-telemetry.ts'
export { type OtlpTraces, otlpTraces } from './server/telemetry/otlp.ts'
export type {
  HrTime,
  ReadableSpanLike,
  ResourceLike,
  SpanAttributes,
  SpanContextLike,
  SpanExporterLike,
} from './server/telemetry/readable-span.ts'
export type { Telemetry } from './server/telemetry/telemetry.ts'
export { type TraceOptions, traceOf } from './views/trace.ts'
export { spanIdOf, traceIdOf } from './views/trace-ids.ts'
export type { Attributes, AttributeValue, Span, SpanEvent, SpanLink } from './views/trace-span.ts'
