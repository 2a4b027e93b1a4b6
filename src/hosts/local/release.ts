import type { AnyStore } from '../../kernel/store.ts'
import { isBusy, whenFree } from '../../kernel/when-free.ts'

/** Null if it is done, else a promise that it is. The store may be the very thing that failed; the lock goes with the process. */
export function release(store: Pick<AnyStore, 'release'>, run: string, epoch: number): Promise<void> | null {
  // Nobody can do anything about an error, and how the run ended does not depend on it.
  try {
    const released = store.release(run, epoch)
    return released instanceof Promise ? released.catch(() => {}) : null
  } catch (error) {
    // Whoever awaits the outcome does not wait for another program.
    if (isBusy(error)) void (async () => whenFree(() => store.release(run, epoch)))().catch(() => {})
    return null
  }
}
