/**
 * Waits for a store that another program has locked, such as a backup, or whose server is not there. What the store was asked for has not
 * happened then, and is asked for again; other work goes on meanwhile.
 */
import { ThinkonError } from '../protocol/index.ts'

/** After this time a line says what is waited for. */
const SAY_AFTER_MS = 3_000
const PATIENCE_MS = 120_000
const RETRY_MS = 200

/** Stores that a line was written about, while they are locked. */
const said = new Set<string>()

export function isBusy(thrown: unknown): thrown is ThinkonError {
  return ThinkonError.isInstance(thrown) && thrown.code === 'STORE_BUSY'
}

/** At once if the store is free and answers at once. Stops retrying if `isOver` returns true. `onWait` is called when waiting begins. */
export function whenFree<T>(
  action: () => T | Promise<T>,
  isOver: () => boolean = () => false,
  onWait: () => void = () => {},
): T | Promise<T> {
  const again = (thrown: unknown) => {
    if (!isBusy(thrown)) throw thrown
    onWait()
    return retry(action, isOver, String(thrown.data.store))
  }
  try {
    const value = action()
    return value instanceof Promise ? value.catch(again) : value
  } catch (thrown) {
    return again(thrown)
  }
}

async function retry<T>(action: () => T | Promise<T>, isOver: () => boolean, store: string): Promise<T> {
  for (const beganMs = performance.now(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    try {
      const value = await action()
      said.delete(store)
      return value
    } catch (thrown) {
      const waitedMs = performance.now() - beganMs
      if (!isBusy(thrown) || waitedMs > PATIENCE_MS || isOver()) throw thrown
      if (waitedMs > SAY_AFTER_MS) say(store, thrown.message)
    }
  }
}

/** A message says first what is wrong, then what to do about it. */
function say(store: string, message: string): void {
  if (said.has(store)) return
  said.add(store)
  process.emitWarning(`${message.split(': ')[0]}: waiting for it, up to ${PATIENCE_MS / 60_000} minutes`, {
    type: 'ThinkonWarning',
    code: 'STORE_LOCKED',
  })
}
