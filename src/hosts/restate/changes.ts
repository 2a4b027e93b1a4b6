import type { SharedStore } from '../../kernel/store.ts'

/** Waits for what is written to a run. What was written between two waits ends the next one at once. */
export class Changes {
  readonly close: () => void
  private changed = false
  private wake: () => void = () => {}

  constructor(store: SharedStore, run: string) {
    this.close = store.watch(run, () => {
      this.changed = true
      this.wake()
    })
  }

  /** Resolves when something was written, or after `ms`; rejects when the signal is aborted. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.changed) await this.woken(ms, signal)
    this.changed = false
    signal.throwIfAborted()
  }

  private async woken(ms: number, signal: AbortSignal): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.wake = resolve
      timer = setTimeout(resolve, ms).unref()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    clearTimeout(timer)
  }
}
