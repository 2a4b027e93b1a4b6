/** Objects as server-sent events, as OpenAI's clients read them. */
import { withinTime } from '../http/event-stream.ts'
import { openAiError } from './errors.ts'

export interface SseOptions<T> {
  readonly heartbeatMs: number
  /** The name of its event, where there is one. */
  nameOf?(item: T): string
  /** What ends the stream. */
  readonly last?: string
  /** The client has gone. */
  onGone(): void
  onError(thrown: unknown): void
}

export function sseResponse<T extends object>(items: AsyncIterator<T>, options: SseOptions<T>): Response {
  const { heartbeatMs, nameOf, last, onGone, onError } = options
  const encoder = new TextEncoder()
  let next: Promise<IteratorResult<T>> | null = null
  let isGone = false
  const event = (item: T) =>
    `${nameOf === undefined ? '' : `event: ${nameOf(item)}\n`}data: ${JSON.stringify(item)}\n\n`
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text))
        try {
          next ??= items.next()
          const item = await withinTime(next, heartbeatMs)
          if (item === null) return send(': still here\n\n')
          next = null
          if (!item.done) return send(event(item.value))
          if (last !== undefined) send(last)
        } catch (thrown) {
          if (isGone) return
          onError(thrown)
          send(`data: ${JSON.stringify({ error: openAiError(thrown) })}\n\n`)
        }
        controller.close()
      },
      async cancel() {
        isGone = true
        onGone()
        await items.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}
