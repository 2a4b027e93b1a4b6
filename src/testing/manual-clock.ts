import type { Clock } from '../kernel/clock.ts'

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /**
   * Lets time pass: fires the timers that are due, earliest first, each at its own time, and lets what they set off happen
   * before the next one.
   */
  advance(ms: number): Promise<void>
  /** How many timers are set. */
  readonly timers: number
}

interface Timer {
  dueMs: number
  callback: () => void
}

export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<Timer>()
  let nowMs = startMs

  function nextDue(untilMs: number): Timer | null {
    let next: Timer | null = null
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === null || timer.dueMs < next.dueMs)) next = timer
    }
    return next
  }

  return {
    nowMs: () => nowMs,
    after(ms, callback) {
      const timer = { dueMs: nowMs + Math.max(0, ms), callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await reactions()
      for (let timer = nextDue(untilMs); timer !== null; timer = nextDue(untilMs)) {
        timers.delete(timer)
        nowMs = Math.max(nowMs, timer.dueMs)
        timer.callback()
        await reactions()
      }
      nowMs = untilMs
      await reactions()
    },
    get timers() {
      return timers.size
    },
  }
}

const TURNS = 4

/** A few turns of the event loop: a commit takes one, what is seen after it may need the next. */
async function reactions(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}
