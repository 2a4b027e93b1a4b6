/**
 * Limits the bytes of a response, which the AI SDK would collect in memory: `maxBytes` of a whole body, or of each event of a stream;
 * `maxStreamBytes` of all events of a stream, empty ones and comments included. Both are far above the size of a reply, because events
 * repeat it and JSON escapes it.
 */
import { bytesText, ThinkonError } from '../protocol/index.ts'

export const MAX_BODY_BYTES = 32 * 1024 * 1024

export interface BodyLimits {
  maxBytes?: number
  maxStreamBytes?: number
  /** Makes the error of a response beyond a limit; `what` is the part that exceeds it, such as "an event of more than". */
  error?: (maxBytes: number, what: string) => ThinkonError
}

/** About 400,000 events of one token each. */
export const MAX_STREAM_BYTES = 128 * 1024 * 1024

export function boundedBody(response: Response, limits: BodyLimits = {}): Response {
  const { maxBytes = MAX_BODY_BYTES, maxStreamBytes = Infinity, error = bodyTooLong } = limits
  if (response.body === null) return response
  const isStream = /event-stream/i.test(response.headers.get('content-type') ?? '')
  let bytes = 0
  let allBytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? eventEnd(chunk) : -1
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end
      allBytes += chunk.length
      if (bytes > maxBytes) throw error(maxBytes, isStream ? 'an event of more than' : 'more than')
      if (isStream && allBytes > maxStreamBytes) throw error(maxStreamBytes, 'more than')
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  const bounded = new Response(response.body.pipeThrough(counted), { status, statusText, headers })
  return Object.defineProperty(bounded, 'url', { value: response.url })
}

/** After the last empty line of the chunk. One that is divided between two chunks is not seen: the next one is. */
function eventEnd(chunk: Uint8Array): number {
  const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return Math.max(...EMPTY_LINES.map((line) => buffer.lastIndexOf(line)))
}

const EMPTY_LINES = ['\n\n', '\n\r', '\r\r']

export function bodyTooLong(maxBytes: number, what: string): ThinkonError {
  return new ThinkonError('REPLY_TOO_LONG', `the server sent ${what} ${bytesText(maxBytes)} as its reply`, {
    data: { setting: 'maxReplyBytes', maxBytes },
  })
}
