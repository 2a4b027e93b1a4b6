/** Values on their way into the journal, and out of it. */
import { decodingLimit } from '../protocol/decoding-budget.ts'
import { bytesText, ThinkonError } from '../protocol/index.ts'
import type { KernelServices } from './services.ts'

/** A copy as the journal will have it: what is done to the original later is not recorded. Throws when it is not JSON. */
export function asRecorded(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value ?? null
  const copy = plainCopy(value, 0)
  return copy === UNUSUAL ? JSON.parse(JSON.stringify(value)) : copy
}

const UNUSUAL = Symbol('unusual')
const MAX_LEVELS = 100

/** The same as a round trip through JSON text, several times as fast. Values that JSON has rules of its own for are left to it. */
function plainCopy(value: unknown, level: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : UNUSUAL
  if (typeof value !== 'object' || level > MAX_LEVELS) return UNUSUAL
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return listCopy(value as readonly unknown[], level)
  return prototype === Object.prototype ? objectCopy(value as Record<string, unknown>, level) : UNUSUAL
}

function listCopy(list: readonly unknown[], level: number): unknown {
  const copies: unknown[] = []
  for (let i = 0; i < list.length; i++) {
    const copy = plainCopy(list[i], level + 1)
    if (copy === UNUSUAL) return UNUSUAL
    copies.push(copy)
  }
  return copies
}

function objectCopy(parts: Readonly<Record<string, unknown>>, level: number): unknown {
  const copies: Record<string, unknown> = {}
  for (const name of Object.keys(parts)) {
    const part = parts[name]
    if (part === undefined) continue
    const copy = plainCopy(part, level + 1)
    if (copy === UNUSUAL || name === '__proto__') return UNUSUAL
    copies[name] = copy
  }
  return copies
}

/** What a strategy is given can't be changed by it: it is the journal's. */
export function freeze(value: unknown): void {
  if (typeof value === 'object' && value !== null) freezeParts(value)
}

/** Its parts first: an object that is frozen takes longer to walk through. */
function freezeParts(value: object): void {
  if (Array.isArray(value)) for (const part of value) freeze(part)
  else
    for (const name in value) {
      const part: unknown = value[name as keyof typeof value]
      if (typeof part === 'object') freeze(part)
    }
  Object.freeze(value)
}

/** Without secrets. Throws TOO_LARGE for a value that could not be read again; `what` begins the message. */
export function recordable<T>({ clean }: Pick<KernelServices, 'clean'>, value: T, what: string): T {
  return requireRecordable(clean(value), what)
}

/** Returns the value. Throws TOO_LARGE if its JSON is longer than what is read of an event. `what` begins the message. */
export function requireRecordable<T>(value: T, what: string): T {
  const limit = decodingLimit()
  const size = sizeOf(value, limit)
  // A character of JSON is one of the text, or one of its six-character escapes.
  if (size * LONGEST_ESCAPE <= limit) return value
  if (size <= limit && (JSON.stringify(value)?.length ?? 0) <= limit) return value
  throw tooLargeToRecord(what, limit)
}

export function tooLargeToRecord(what: string, limit: number): ThinkonError {
  const message = `${what} is larger than the ${bytesText(limit)} that an event may have: put it into a file and name the file. THINKON_MAX_DECODED_MIB=<n> allows more`
  return new ThinkonError('TOO_LARGE', message, { data: { limit } })
}

const LONGEST_ESCAPE = 6
/** Of a number, a key's quotes or a bracket. */
const PART_CHARS = 4

/** At least a sixth of the length as JSON. Stops counting beyond `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return PART_CHARS
  let size = PART_CHARS
  for (const [key, part] of Object.entries(value)) {
    size += key.length + PART_CHARS + sizeOf(part, most - size)
    if (size > most) break
  }
  return size
}
