/** Values on their way into the journal, and out of it. */

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
