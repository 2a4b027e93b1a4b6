/** The two ways to have telemetry: with a program's own OpenTelemetry SDK, or by OTLP as the configuration and the environment say. */
import { randomUUID } from 'node:crypto'
import type { TelemetrySettings } from '../../config/index.ts'
import { errorText } from '../../protocol/index.ts'
import { createMeter } from './meter.ts'
import type { MeterLike } from './metrics.ts'
import { otlpTraces, SCOPE } from './otlp.ts'
import {
  type ReadableSpanLike,
  type ResourceLike,
  readableSpan,
  resourceOf,
  type SpanExporterLike,
} from './readable-span.ts'
import { traceResource } from './send-trace.ts'
import { sendOtlp } from './sender.ts'
import { openSentRecord, type SentRecord } from './sent-record.ts'
import { type Telemetry, telemetryOf } from './telemetry.ts'

/** What `createTelemetry` of `thinkon/telemetry` takes. */
export interface TelemetryOptions {
  /** Of your OpenTelemetry SDK, or your own: gets the spans of runs. */
  exporter?: SpanExporterLike
  /** Gets the metrics; its `getMeter` is called once. */
  meterProvider?: { getMeter(name: string, version?: string): MeterLike }
  /** That of your SDK. By default one with a `service.name` of "thinkon". */
  resource?: ResourceLike
  /** Also what was said: prompts, replies, goals, input and results of tools. Default: false. */
  content?: boolean
  /** The share of runs whose traces are exported. Default: 1. */
  sample?: number
  /** A file that remembers what was exported, so that a process that resumes a run exports the rest. Default: none. */
  record?: string
  /** Told once if something could not be exported. Default: a warning of the process. */
  onProblem?(message: string): void
}

/** Traces and metrics for a program's own OpenTelemetry SDK. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { exporter, meterProvider, content, sample = 1, record: file } = options
  const resource = options.resource ?? resourceOf({ 'service.name': 'thinkon' })
  const record = file === undefined ? undefined : openSentRecord(file)
  return telemetryOf({
    content,
    sample,
    queue: { delayMs: 1_000, batchSize: 512, queueSize: 2_048 },
    send:
      exporter === undefined
        ? null
        : (spans, { signal }) =>
            exported(
              exporter,
              spans.map((span) => readableSpan(span, resource)),
              signal,
            ),
    meter: meterProvider?.getMeter(SCOPE.name, SCOPE.version) ?? null,
    record,
    warn: options.onProblem ?? warning,
    onClose: () => record?.close(),
  })
}

/** Traces and metrics as the configuration and the environment say. `record` is a file, see TelemetryOptions. */
export function openTelemetry(
  settings: TelemetrySettings,
  { record: file, warn = warning }: { record?: string | undefined; warn?: (message: string) => void } = {},
): Telemetry {
  const { traces, metrics, metricsMs, batchSize, delayMs, queueSize } = settings
  const resource = traceResource(settings)
  const record = file === undefined || traces === null ? undefined : recordOr(file, warn)
  const meter = metrics === null ? null : createMeter()
  let hasWarned = false
  const sendMetrics = async (signal?: AbortSignal) => {
    const body = meter?.collect({ ...resource, 'service.instance.id': INSTANCE })
    if (metrics === null || !body) return
    try {
      await sendOtlp(metrics, body, signal === undefined ? {} : { signal, hurry: signal })
    } catch (thrown) {
      if (!hasWarned) warn(`metrics could not be sent: ${errorText(thrown)}. Runs are not affected.`)
      hasWarned = true
    }
  }
  const timer = metrics === null ? undefined : setInterval(() => void sendMetrics(), metricsMs).unref()
  return telemetryOf({
    content: settings.content,
    maxContentChars: settings.maxContentChars,
    sample: settings.sample,
    queue: { batchSize, delayMs, queueSize },
    send: traces === null ? null : (spans, signals) => sendOtlp(traces, otlpTraces(spans, resource), signals),
    meter,
    flushMetrics: async (signal) => {
      if (meter?.hasNews) await sendMetrics(signal)
    },
    record,
    warn,
    onClose() {
      clearInterval(timer)
      record?.close()
    },
  })
}

/** Sums of this process are its own: two of them must not be taken for one that went backwards. */
const INSTANCE = randomUUID()

/** Without it, what a kill leaves unsent is lost; that is no reason not to work. */
function recordOr(file: string, warn: (message: string) => void): SentRecord | undefined {
  try {
    return openSentRecord(file)
  } catch (thrown) {
    warn(`${file} can't be used, so that a resumed run sends only what is new: ${errorText(thrown)}`)
    return undefined
  }
}

const SUCCESS = 0
const EXPORT_MS = 30_000

function exported(exporter: SpanExporterLike, spans: ReadableSpanLike[], ends: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ends, AbortSignal.timeout(EXPORT_MS)])
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('the exporter takes too long'))
    signal.addEventListener('abort', late, { once: true })
    exporter.export(spans, ({ code, error }) => {
      signal.removeEventListener('abort', late)
      if (code === SUCCESS) resolve()
      else reject(error ?? new Error('the exporter failed'))
    })
  })
}

function warning(message: string): void {
  process.emitWarning(message, { type: 'ThinkonWarning', code: 'TELEMETRY' })
}
