import type { Clock } from '../kernel/clock.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { ADVANCE, JUMP, MANUAL_CLOCK } from './entrances.ts'

/** A clock that stands still until it is advanced. */
export interface ManualClock extends Clock {
  /**
   * Lets time pass: fires the timers that are due, earliest first, each at its own time, and lets their effects settle before the
   * next one.
   */
  advance(ms: number): Promise<void>
  /** Sets the time of day forward or back, as after a sleep or by hand: no timer is nearer then. */
  jump(ms: number): void
  /** The number of timers set. */
  readonly timers: number
}

interface Timer {
  dueMs: number
  callback: () => void
}

export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  checkArguments('manualClock', MANUAL_CLOCK, [startMs])
  const timers = new Set<Timer>()
  let nowMs = startMs
  let jumpedMs = 0

  function nextDue(untilMs: number): Timer | null {
    let next: Timer | null = null
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === null || timer.dueMs < next.dueMs)) next = timer
    }
    return next
  }

  return {
    nowMs: () => nowMs + jumpedMs,
    activeMs: () => nowMs,
    after(ms, callback) {
      const timer = { dueMs: nowMs + Math.max(0, ms), callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      checkArguments('clock.advance', ADVANCE, [ms])
      const untilMs = nowMs + ms
      await settle()
      for (let timer = nextDue(untilMs); timer !== null; timer = nextDue(untilMs)) {
        timers.delete(timer)
        nowMs = Math.max(nowMs, timer.dueMs)
        timer.callback()
        await settle()
      }
      nowMs = untilMs
      await settle()
    },
    jump(ms) {
      checkArguments('clock.jump', JUMP, [ms])
      jumpedMs += ms
    },
    get timers() {
      return timers.size
    },
  }
}

const TURNS = 4

/** A few turns of the event loop: a commit takes one, its effects may need the next. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}
