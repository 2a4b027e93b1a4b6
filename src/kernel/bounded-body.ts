/**
 * A response of a provider as it may be read: what the AI SDK would collect in memory has a limit. In a stream of events that is one event,
 * otherwise the whole body. It is far above what a reply may be, because events repeat what was said and JSON escapes it.
 */
import { bytesText, ThinkonError } from '../protocol/index.ts'

export const MAX_BODY_BYTES = 32 * 1024 * 1024

export function boundedBody(response: Response, maxBytes = MAX_BODY_BYTES, error = tooLong): Response {
  if (response.body === null) return response
  const isStream = /event-stream/i.test(response.headers.get('content-type') ?? '')
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? eventEnd(chunk) : -1
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end
      if (bytes > maxBytes) throw error(maxBytes, isStream)
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

function tooLong(maxBytes: number, isStream: boolean): ThinkonError {
  const what = isStream ? 'an event of more than' : 'more than'
  return new ThinkonError('REPLY_TOO_LONG', `the server sent ${what} ${bytesText(maxBytes)} as its reply`, {
    data: { setting: 'maxReplyBytes', maxBytes },
  })
}
