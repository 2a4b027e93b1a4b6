/**
 * The time of a run: what its events are stamped with, and how much of it was active.
 *
 * 1. It never goes back. A clock that is set back is not followed; time passes as before.
 * 2. A clock that is ahead was set forward, or the machine slept: it is followed, and the difference was not active.
 * 3. While it is paused, time passes that is not active.
 */
import { activityOf, type Clock } from '../../kernel/clock.ts'

/** Clocks are corrected by less all the time. */
const JUMP_MS = 1_000

export class RunTime {
  /** The time of day in the run, as of the last `advance`. */
  atMs: number
  /** What was not active since this was last set to 0. */
  inactiveMs = 0
  isPaused = false
  /** The active time of this process that `atMs` stands for. */
  processMs: number
  /** What the clock said last. */
  private readMs = Number.NaN
  private readonly clock: Clock
  private readonly activity: ReturnType<typeof activityOf>

  /** `processMs` if this process has seen `atMs` before. */
  constructor(clock: Clock, atMs: number, processMs?: number) {
    this.clock = clock
    this.activity = activityOf(clock)
    this.atMs = atMs
    this.processMs = processMs ?? this.activity.activeMs()
  }

  /** Moves on to now; returns the active time since the last call, in whole milliseconds. */
  advance(nowMs = this.clock.nowMs()): number {
    // Steps follow each other by the microsecond, and this clock is the faster one to read.
    if (nowMs === this.readMs) return 0
    this.readMs = nowMs
    const activeMs = Math.floor(this.activity.activeMs() - this.processMs)
    this.processMs += activeMs
    this.atMs += activeMs
    const aheadMs = nowMs - this.atMs
    if (aheadMs > JUMP_MS) {
      this.atMs += aheadMs
      this.inactiveMs += aheadMs
    }
    if (!this.isPaused) return activeMs
    this.inactiveMs += activeMs
    return 0
  }
}
