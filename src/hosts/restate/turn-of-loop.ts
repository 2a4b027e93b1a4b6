import { setImmediate } from 'node:timers/promises'

/** The last one that was asked for. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that is the caller's alone. Tools that need the thread for long then take turns with everything else:
 * ends are recorded and the balancer hears that the worker lives between two of them, not after all that have come together.
 */
export function turnOfLoop(): Promise<unknown> {
  last = last.then(() => setImmediate())
  return last
}
