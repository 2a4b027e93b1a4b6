import type { DecodingBudget } from './decoding-budget.ts'

/**
 * The response with a limit on what a reader collects in memory. `budget`: of the body, in a stream of events of each event. `stream`: of all
 * events, comments included. Reading beyond a budget fails with its error.
 */
export function boundedBody(response: Response, budget: DecodingBudget, stream?: DecodingBudget): Response {
  if (response.body === null) return response
  const isStream = /event-stream/i.test(response.headers.get('content-type') ?? '')
  const reader = response.body.getReader()
  let bytes = 0
  // Without a queue: nothing is read ahead of the consumer.
  const counted = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        const end = isStream ? eventEnd(value) : -1
        bytes = end === -1 ? bytes + value.length : value.length - end
        try {
          if (isStream) stream?.take(value.length)
          if (bytes > budget.left) throw budget.exceeded()
        } catch (error) {
          void reader.cancel().catch(() => {})
          throw error
        }
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  const bounded = new Response(counted, { status, statusText, headers })
  return Object.defineProperty(bounded, 'url', { value: response.url })
}

/** The index of the last empty line. One that is divided between two chunks is missed; the next one is found. */
function eventEnd(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at--) {
    const [before, end] = [chunk[at - 1], chunk[at]]
    if (end === LF ? before === LF : end === CR && (before === LF || before === CR)) return at
  }
  return -1
}

const LF = 10
const CR = 13
