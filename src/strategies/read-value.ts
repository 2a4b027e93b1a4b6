import type { Schema } from '../kernel/schema.ts'
import { isObject, type ModelReply, ThinkonError } from '../protocol/index.ts'

/** The value of a reply, or its text read as JSON. */
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

/** The value, or undefined where the text is not JSON: for callers with checks of their own. */
export function tryValue(reply: ModelReply): unknown {
  try {
    return readValue(reply)
  } catch {
    return undefined
  }
}

/** The reply as its schema reads it, or null where it can't be used. */
export function tryReply<T>(schema: Schema<T>, reply: ModelReply): T | null {
  try {
    return schema.check(readValue(reply))
  } catch {
    return null
  }
}

/** The value as one JSON object; throws INVALID_FORMAT for anything else. */
export function asObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw invalidReply('it must be one JSON object', value)
}

/** A reply that can be read but not used. */
export function invalidReply(what: string, value: unknown): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', `the reply can't be used: ${what}`, {
    data: { text: JSON.stringify(value)?.slice(0, 500) },
  })
}
