/** Callers in JavaScript fold what they have got from elsewhere: what is no event is refused by name. */
import { type Check, refused } from './check-arguments.ts'
import { isObject } from './json.ts'
import { wrongValue } from './problem.ts'

export function isEvent(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string' && typeof value.path === 'string'
}

/** Throws BAD_INPUT. Called for each event of a run: it must be cheap. */
export function checkEvent(entrance: string, event: unknown): void {
  if (!isEvent(event)) throw refused(entrance, [wrongValue(['event'], 'must be an event of a run', event)])
}

/** Its items are checked when they are folded: they may come from a generator. */
export const events: Check = (value, path) =>
  isIterable(value)
    ? []
    : [wrongValue(path, 'must be the events of a run, in a list or another iterable', value)]

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
