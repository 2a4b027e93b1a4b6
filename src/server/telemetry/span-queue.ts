/**
 * Spans on their way out. A receiver that is slow, down or refuses costs the run nothing: the queue is bounded, what does not fit or can't
 * be sent is dropped, and the first loss is told, once.
 */
import { errorText } from '../../protocol/index.ts'
import type { Span } from '../../views/trace-span.ts'

export interface SpanQueueOptions {
  /** `hurry` is aborted when the process wants to end: pauses between attempts are short then. */
  send(spans: readonly Span[], signals: { signal: AbortSignal; hurry: AbortSignal }): Promise<void>
  /** They have arrived. */
  onSent?(spans: readonly Span[]): void
  warn(message: string): void
  readonly delayMs: number
  readonly batchSize: number
  readonly queueSize: number
}

export interface SpanQueue {
  /** Never waits: what does not fit is dropped. */
  add(spans: readonly Span[]): void
  /** Waits for room: for what happened in the past, and is in the journal. */
  addMany(spans: readonly Span[]): Promise<void>
  /** Sends what there is. Resolves when that is done, after `timeoutMs` at the latest; then what is left is dropped. */
  flush(timeoutMs: number): Promise<void>
}

/** What is said may be long: a batch is cut here, and so is the queue, whatever the number of spans. */
const BATCH_CHARS = 2_000_000
const QUEUE_CHARS = 64_000_000

export function spanQueue(options: SpanQueueOptions): SpanQueue {
  const { delayMs, batchSize, queueSize } = options
  const queue: Span[] = []
  let chars = 0
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null
  let ending = new AbortController()
  let hurry = new AbortController()
  let hasWarned = false

  function lost(why: string): void {
    if (hasWarned) return
    hasWarned = true
    options.warn(
      `telemetry is incomplete: ${why}. Runs are not affected; thinkon trace <run> --send sends a run's trace again. Later losses are not reported.`,
    )
  }

  function takeBatch(): Span[] {
    let size = 0
    let count = 0
    for (const span of queue) {
      size += sizeOf(span)
      if (count === batchSize || (count > 0 && size > BATCH_CHARS)) break
      count++
    }
    const batch = queue.splice(0, count)
    for (const span of batch) chars -= sizeOf(span)
    return batch
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && !ending.signal.aborted) {
      const batch = takeBatch()
      try {
        await options.send(batch, { signal: ending.signal, hurry: hurry.signal })
        options.onSent?.(batch)
      } catch (thrown) {
        lost(errorText(thrown))
      }
    }
  }

  function startSending(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }

  function add(spans: readonly Span[]): void {
    for (const span of spans) {
      const size = sizeOf(span)
      if (queue.length >= queueSize || chars + size > QUEUE_CHARS) {
        lost(`spans come faster than they are sent, and more than ${queueSize} wait`)
        continue
      }
      queue.push(span)
      chars += size
    }
    if (queue.length >= batchSize) void startSending()
    else if (queue.length > 0) timer ??= setTimeout(startSending, delayMs).unref()
  }

  return {
    add,
    async addMany(spans) {
      for (let from = 0; from < spans.length; from += batchSize) {
        add(spans.slice(from, from + batchSize))
        if (from + batchSize < spans.length) await startSending()
      }
    },
    async flush(timeoutMs) {
      hurry.abort()
      const late = setTimeout(() => ending.abort(), timeoutMs)
      try {
        // One that is under way ends with what was there when it began.
        await startSending()
        if (queue.length > 0) await startSending()
        if (queue.length > 0) lost(`${queue.length} spans could not be sent in time`)
      } finally {
        clearTimeout(late)
        queue.splice(0)
        chars = 0
        ending = new AbortController()
        hurry = new AbortController()
      }
    },
  }
}

/** Roughly. */
function sizeOf({ attributes }: Span): number {
  let size = 500
  for (const value of Object.values(attributes)) if (typeof value === 'string') size += value.length
  return size
}
