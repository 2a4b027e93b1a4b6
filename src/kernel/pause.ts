import type { Clock } from './clock.ts'

/** Waits, or throws the signal's reason when that comes first. */
export function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      stop()
      reject(signal.reason)
    }
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
