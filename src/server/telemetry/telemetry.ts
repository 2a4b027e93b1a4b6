/**
 * Sends the traces and metrics of runs while they go on.
 *
 * 1. A run never waits for it, and nothing that goes wrong here reaches a run.
 * 2. A span is sent once. With a record of what has arrived, a process that resumes a run sends what the dead one had not sent; only a kill
 *    between the arrival and its record makes a span arrive twice, with the same ids.
 * 3. A run is sampled by its trace id: all processes that work on it decide alike.
 * 4. On a cluster many work on one run: the worker that ends it sends its trace, whole.
 */
import type { Engine, Run } from '../../engine/api.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'
import { type Event, errorText } from '../../protocol/index.ts'
import { collectTrace, createTrace } from '../../views/trace.ts'
import { traceIdOf } from '../../views/trace-ids.ts'
import type { Span } from '../../views/trace-span.ts'
import { observeEngine } from '../observe-engine.ts'
import { createMeasures, type Measures, type MeterLike } from './metrics.ts'
import type { SentRecord } from './sent-record.ts'
import { type SpanQueue, spanQueue } from './span-queue.ts'

/** Of an engine with `observe`; of a worker as its `observer`. */
export interface Telemetry extends WorkerObserver {
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
  const followed = new Map<string, Followed>()
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

  async function sendWhole(run: string, events: () => Promise<Iterable<Event>>): Promise<void> {
    const { spans } = collectTrace(await events(), parts)
    for (const span of spans) measures.span(span)
    if (isInSample(run, sample)) await queue.addMany(spans)
  }

  /** Who attaches to a run that is followed already gets no trace of their own. */
  function onRun(run: Run, before: number): void {
    if (isClosed || followed.get(run.id)?.isOver === false) return
    const entry = remember(run.id, follow(run, before))
    const over = () => {
      entry.isOver = true
    }
    run.outcome.then(over, over)
  }

  function remember(run: string, following: Promise<void>, isOver = false): Followed {
    const before = followed.get(run)?.done
    const done = following
      .catch((thrown) => warn(`run ${run} could not be traced to its end: ${errorText(thrown)}`))
      .then(() => before)
    const entry: Followed = { done, isOver }
    followed.set(run, entry)
    void done.finally(() => followed.get(run) === entry && followed.delete(run))
    return entry
  }

  async function flush(timeoutMs = FLUSH_MS): Promise<void> {
    const endMs = Date.now() + timeoutMs
    const over = [...followed.values()].filter(({ isOver }) => isOver).map(({ done }) => done)
    await within(timeoutMs, Promise.all(over))
    await queue.flush(Math.max(1, endMs - Date.now()))
    await parts.flushMetrics?.(AbortSignal.timeout(Math.max(1, endMs - Date.now())))
  }

  return {
    observe: (engine) => observeEngine(engine, { onRun, onClose: () => flush() }),
    runEnded(run, events) {
      if (!isClosed) remember(run, sendWhole(run, events), true)
    },
    retried: (retry) => measures.retry(retry),
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
