/** Values on their way into the journal, and out of it. */

/** A copy as the journal will have it: what is done to the original later is not recorded. Throws when it is no JSON. */
export function asRecorded(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value ?? null
  return JSON.parse(JSON.stringify(value))
}

/** What a strategy is given can't be changed by it: it is the journal's. */
export function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) if (typeof part === 'object') freeze(part)
}
