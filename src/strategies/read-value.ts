import { isObject, type ModelReply, ThinkonError } from '../protocol/index.ts'

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

/** The value, or undefined where the text is no JSON at all: for whoever checks it by rules of its own. */
export function tryValue(reply: ModelReply): unknown {
  try {
    return readValue(reply)
  } catch {
    return undefined
  }
}

/** The value as one JSON object; throws INVALID_FORMAT for anything else. */
export function asObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw invalidReply('it must be one JSON object', value)
}

/** A reply that can be read, and not used. */
export function invalidReply(what: string, value: unknown): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', `the reply can't be used: ${what}`, {
    data: { text: JSON.stringify(value)?.slice(0, 500) },
  })
}
