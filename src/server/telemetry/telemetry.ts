/**
 * Sends the traces and metrics of runs while they go on.
 *
 * 1. A run never waits for it, and nothing that goes wrong here reaches a run.
 * 2. A span is sent once. With a record of what has arrived, a process that resumes a run sends what the dead one had not sent; only a kill
 *    between the arrival and its record makes a span arrive twice, with the same ids.
 * 3. A run is sampled by its trace id: all processes that work on it decide alike.
 */
import type { Engine, Run } from '../../engine/api.ts'
import { type Event, errorText } from '../../protocol/index.ts'
import { createTrace } from '../../views/trace.ts'
import { traceIdOf } from '../../views/trace-ids.ts'
import type { Span } from '../../views/trace-span.ts'
import { observeEngine } from '../observe-engine.ts'
import { createMeasures, type Measures, type MeterLike } from './metrics.ts'
import type { SentRecord } from './sent-record.ts'
import { type SpanQueue, spanQueue } from './span-queue.ts'

export interface Telemetry {
  /** The same engine; all runs that are started or resumed with it are traced. Closing it sends what is left. */
  observe<E extends Engine>(engine: E): E
  /** Sends what there is, within `timeoutMs` (5,000 unless given). */
  flush(timeoutMs?: number): Promise<void>
  /** The same, and ends: nothing is sent any more. */
  close(timeoutMs?: number): Promise<void>
}

export interface TelemetryParts {
  readonly content?: boolean | undefined
  readonly maxContentChars?: number | undefined
  readonly sample: number
  readonly queue: { readonly delayMs: number; readonly batchSize: number; readonly queueSize: number }
  /** Null: no traces. */
  readonly send:
    | ((spans: readonly Span[], signals: { signal: AbortSignal; hurry: AbortSignal }) => Promise<void>)
    | null
  /** Null: no metrics. */
  readonly meter: MeterLike | null
  /** Sends metrics now, where they are sent from here. */
  readonly flushMetrics?: (signal: AbortSignal) => Promise<void>
  readonly record?: SentRecord | undefined
  warn(message: string): void
  onClose?(): void
}

const FLUSH_MS = 5_000

export function telemetryOf(parts: TelemetryParts): Telemetry {
  const { send, meter, record, sample, warn } = parts
  const measures = meter === null ? NO_MEASURES : createMeasures(meter)
  const followed = new Set<Followed>()
  let isClosed = false
  const onSent = (spans: readonly Span[]) => record?.arrived(spans)
  const queue = send === null ? NO_QUEUE : spanQueue({ ...parts.queue, send, warn, onSent })

  async function follow(run: Run, before: number): Promise<void> {
    const trace = createTrace(parts)
    const sent = record === undefined ? before : record.sentUpTo(run.id)
    const out = isInSample(run.id, sample) ? queue : NO_QUEUE
    const past: Span[] = []
    const take = async (event: Event) => {
      const spans = trace.follow(event)
      if (event.seq <= before) return keepUnsent(past, event, spans, sent)
      for (const span of spans) measures.span(span)
      await out.addMany(past.splice(0))
      out.add(spans)
    }
    for await (const event of run.events) {
      if (isClosed) return
      if (event.type === 'model-retry') measures.retry(event)
      else await take(event)
    }
  }

  function onRun(run: Run, before: number): void {
    if (isClosed) return
    const done = follow(run, before).catch((thrown) =>
      warn(`run ${run.id} could not be traced to its end: ${errorText(thrown)}`),
    )
    const entry: Followed = { done, isOver: false }
    followed.add(entry)
    const over = () => {
      entry.isOver = true
    }
    run.outcome.then(over, over)
    void done.finally(() => followed.delete(entry))
  }

  async function flush(timeoutMs = FLUSH_MS): Promise<void> {
    const endMs = Date.now() + timeoutMs
    const over = [...followed].filter(({ isOver }) => isOver).map(({ done }) => done)
    await within(timeoutMs, Promise.all(over))
    await queue.flush(Math.max(1, endMs - Date.now()))
    await parts.flushMetrics?.(AbortSignal.timeout(Math.max(1, endMs - Date.now())))
  }

  return {
    observe: (engine) => observeEngine(engine, { onRun, onClose: () => flush() }),
    flush,
    async close(timeoutMs) {
      await flush(timeoutMs)
      isClosed = true
      parts.onClose?.()
    },
  }
}

const NO_MEASURES: Measures = { span() {}, retry() {} }
const NO_QUEUE: SpanQueue = { add() {}, async addMany() {}, async flush() {} }

interface Followed {
  readonly done: Promise<void>
  /** The run has ended, or was left: there are no more events than those that are being read. */
  isOver: boolean
}

/** Of a fork, the run it comes from has the spans that ended before it. */
function keepUnsent(past: Span[], event: Event, spans: readonly Span[], sent: number): void {
  if (event.type === 'run-fork') past.splice(0)
  else if (event.seq > sent) past.push(...spans)
}

/** The last 56 bits of the trace id, as other samplers have it. */
function isInSample(run: string, share: number): boolean {
  return Number.parseInt(traceIdOf(run).slice(-14), 16) < share * 2 ** 56
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}
