import { type ModelReply, ThinkonError } from '../protocol/index.ts'

/** The value of a reply, or what its text is as JSON. */
export function readValue(reply: ModelReply): unknown {
  if (reply.value !== undefined) return reply.value
  try {
    return JSON.parse(reply.text)
  } catch (cause) {
    throw new ThinkonError('INVALID_FORMAT', 'the reply is not JSON', {
      cause,
      data: { text: reply.text.slice(0, 500) },
    })
  }
}
