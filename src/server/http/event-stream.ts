/**
 * A run's events as server-sent events: as fast as the reader takes them, and no faster. The id of an event is its number, so that a reader
 * that comes again says where it was. What has no number is sent as `live`; the last thing is `end`, which says why.
 */
import type { Event, ModelRetry, TextDelta } from '../../protocol/index.ts'

export interface StreamOptions {
  readonly heartbeatMs: number
  /** A reader that takes nothing for so long is let go. */
  readonly stallMs: number
  /** Why it ends, when there are no more. */
  endOf(): 'run-end' | 'stopping'
  /** The reader is gone, or all is sent. May be called more than once. */
  onEnd(): void
  /** Cuts the connection of a reader that does not read, where the server lets us. */
  abandon?: (() => void) | undefined
  /** The events can't be read on. */
  onError(thrown: unknown): void
}

/** How long a reader waits before it comes again. */
const RETRY_MS = 1_000

export function eventStream(
  items: AsyncIterable<Event | ModelRetry | TextDelta>,
  { heartbeatMs, stallMs, endOf, onEnd, abandon, onError }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = items[Symbol.asyncIterator]()
  const sent = textsSent()
  let next: Promise<IteratorResult<Event | ModelRetry | TextDelta>> | null = null
  let isBegun = false
  let isGone = false
  let stalled: NodeJS.Timeout | undefined

  /** The next message; null if there are no more. */
  async function nextMessage(): Promise<string | null> {
    next ??= iterator.next()
    const item = await withinTime(next, heartbeatMs)
    if (item === null) return ': still here\n\n'
    next = null
    return item.done ? null : message(sent.note(item.value))
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stalled = setTimeout(() => {
          isGone = true
          onEnd()
          // A server prints the error of a stream, with its stack, as if something were wrong.
          if (abandon !== undefined) abandon()
          else controller.error(new Error(`the reader of a stream has taken nothing for ${stallMs / 1000} s`))
        }, stallMs + heartbeatMs).unref()
      },
      async pull(controller) {
        stalled?.refresh()
        const send = (text: string) => controller.enqueue(encoder.encode(text))
        const close = (why: string) => {
          clearTimeout(stalled)
          send(`event: end\ndata: ${JSON.stringify({ why })}\n\n`)
          onEnd()
          controller.close()
        }
        if (!isBegun) {
          isBegun = true
          return send(`retry: ${RETRY_MS}\n\n`)
        }
        try {
          const text = await nextMessage()
          if (isGone) return
          if (text === null) close(endOf())
          else send(text)
        } catch (thrown) {
          if (isGone) return
          onError(thrown)
          close('problem')
        }
      },
      async cancel() {
        isGone = true
        clearTimeout(stalled)
        onEnd()
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

type Sent = Event | ModelRetry | (TextDelta & { readonly offset: number })

/** Where in its reply each piece of text begins: a reader that comes again knows by it what it has got. */
function textsSent() {
  const lengths = new Map<string, number>()
  return {
    note(item: Event | ModelRetry | TextDelta): Sent {
      if (item.type === 'run-resume') lengths.clear()
      if (item.type === 'model-end') lengths.delete(`${item.path} ${item.n}`)
      if (item.type !== 'text-delta') return item
      const key = `${item.path} ${item.n}`
      const offset = lengths.get(key) ?? 0
      lengths.set(key, offset + item.text.length)
      return { ...item, offset }
    },
  }
}

function message(item: Sent): string {
  const data = JSON.stringify(item)
  return 'seq' in item ? `id: ${item.seq}\ndata: ${data}\n\n` : `event: live\ndata: ${data}\n\n`
}

/** Null if it takes longer. */
export async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
