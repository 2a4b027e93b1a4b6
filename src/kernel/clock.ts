/** The clock that hosts and models read. Strategies have `context.now()` instead, which is recorded. */
export interface Clock {
  /** The time of day, which the system may set forward or back. */
  nowMs(): number
  /** Calls back once, after so many milliseconds, unless the returned function was called before. */
  after(ms: number, callback: () => void): () => void
  /**
   * The time in which this process could run, from any zero: never backwards, and not while the machine sleeps or the process
   * is stopped. A clock without it gives the time of day only, and active time is the system's.
   */
  activeMs?(): number
  /** Looks out for sleep until the returned function is called; hosts do so while runs are under way. */
  watch?(): () => void
}

/** Who counts active time: the clock itself, or the system for it. */
export function activityOf(clock: Clock): Required<Pick<Clock, 'activeMs'>> & Pick<Clock, 'watch'> {
  return clock.activeMs === undefined ? systemClock : (clock as typeof systemClock)
}

/** Like `clock.after`, in active time: a timer of the system may count sleep, and can't wait for more than 24 days. */
export function afterActive(clock: Clock, ms: number, callback: () => void): () => void {
  if (clock.activeMs === undefined) return clock.after(ms, callback)
  const activity = activityOf(clock)
  const dueMs = activity.activeMs() + ms
  let stop = () => {}
  const wait = () => {
    stop = clock.after(dueMs - activity.activeMs(), () => {
      if (dueMs - activity.activeMs() >= 1) wait()
      else callback()
    })
  }
  wait()
  return () => stop()
}

/** The longest a timer of the system can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** How often the process looks whether it is running. */
const BEAT_MS = 250
/** A longer silence, in which it used no processor, was sleep. */
const ASLEEP_MS = 1_000

let watchers = 0
let beat: NodeJS.Timeout | null = null
let seenMs = 0
let sleptMs = 0
let cpuMs = 0

export const systemClock = {
  nowMs: () => Date.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
  /** Monotonic clocks stand still while the machine sleeps on Linux only, and nowhere while the process is stopped. */
  activeMs() {
    const now = performance.now()
    const silentMs = now - seenMs
    seenMs = now
    if (beat !== null && silentMs > ASLEEP_MS && usedCpuMs() - cpuMs < silentMs / 2) sleptMs += silentMs
    return now - sleptMs
  },
  watch() {
    watchers++
    if (beat === null) {
      seenMs = performance.now()
      cpuMs = usedCpuMs()
      beat = setInterval(lookAround, BEAT_MS).unref()
    }
    let watching = true
    return () => {
      if (watching) watchers--
      watching = false
    }
  },
} satisfies Clock

/** Ends with the first beat that nobody watches: where runs follow each other, none of them begins and ends it. */
function lookAround(): void {
  if (watchers === 0 && beat !== null) {
    clearInterval(beat)
    beat = null
    return
  }
  systemClock.activeMs()
  cpuMs = usedCpuMs()
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
