/** The clock that hosts and models read. Strategies have `context.now()` instead, which is recorded. */
export interface Clock {
  nowMs(): number
  /** Calls back once, after so many milliseconds, unless the returned function was called before. */
  after(ms: number, callback: () => void): () => void
}

/** The longest a timer of the system can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}
