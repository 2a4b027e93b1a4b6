/** What reading a reply gives: the value, or why there is none. */
import type { Violation } from '../schema/check-schema.ts'
import type { Read } from './repair.ts'

export interface Refused {
  /** In words for the model. */
  readonly error: string
  /** `unreadable`: no JSON in it. `ambiguous`: two readings. `invalid`: read, but it does not fit. */
  readonly kind: 'unreadable' | 'ambiguous' | 'invalid'
  readonly violations: readonly Violation[]
}

export type Reading = Read | Refused

export function unreadable(error: string): Refused {
  return { error, kind: 'unreadable', violations: [] }
}

export function invalid(violations: readonly Violation[]): Refused {
  return { error: 'the value does not fit the schema', kind: 'invalid', violations }
}

export function severalFit(count: number): Refused {
  return ambiguous(`the reply has ${count} different values that fit; give exactly one`)
}

/** What fits may be an example, and what comes after it the answer. */
export function misfitAfter(): Refused {
  return ambiguous('the reply has one value that fits and after it one that does not; give exactly one')
}

/** `doubt`: what the words around the value say against it. */
export function doubtful(doubt: string): Refused {
  return ambiguous(`${doubt}; give exactly one value, and nothing else`)
}

export function ambiguous(error: string): Refused {
  return { error, kind: 'ambiguous', violations: [] }
}
