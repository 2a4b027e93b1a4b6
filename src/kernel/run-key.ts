/** The key that signs runs in a store. */
import { must } from '../protocol/check-arguments.ts'
import type { RunOrigin } from './store.ts'

export const LEAST_KEY = 32

/** At least 32 characters. A function is called once, when the key is first needed. */
export type RunKey = string | (() => string)

/** As an argument. */
export const runKey = must(
  `a text of at least ${LEAST_KEY} characters, or a function that returns one`,
  (value) => typeof value === 'function' || (typeof value === 'string' && value.length >= LEAST_KEY),
)

/** Why a run is not one's own, for people. */
export function originReason(origin: RunOrigin): string {
  return REASONS[origin]
}

const REASONS: Readonly<Record<RunOrigin, string>> = {
  own: 'the program does not accept it',
  unsigned: 'it was imported, or written without your key',
  'other-key': 'it is signed with another key; processes that share runs need the same THINKON_KEY',
  altered: 'its journal does not match its signature',
  unchecked: 'no service has started it',
}
