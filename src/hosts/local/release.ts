import type { AnyStore } from '../../kernel/store.ts'
import { isBusy, whenFree } from '../../kernel/when-free.ts'

/** Null if it is done, else a promise that it is. The store may be the very thing that failed; the lock goes with the process. */
export function release(store: Pick<AnyStore, 'release'>, run: string, epoch: number): Promise<void> | null {
  // How the run ended does not depend on an error, and its outcome does not wait for another program.
  const failed = (error: unknown) => {
    if (isBusy(error)) void releaseWhenFree(store, run, epoch)
  }
  try {
    const released = store.release(run, epoch)
    return released instanceof Promise ? released.catch(failed) : null
  } catch (error) {
    failed(error)
    return null
  }
}

/** Until it succeeds: while this process lives, no other one takes the run. */
async function releaseWhenFree(store: Pick<AnyStore, 'release'>, run: string, epoch: number): Promise<void> {
  for (;;) {
    try {
      await whenFree(() => store.release(run, epoch))
      return
    } catch (error) {
      if (!isBusy(error)) return
    }
  }
}
