/** Stops a working command: on Ctrl-C, on a signal of the system, or when nobody reads its output. */
import { EXIT_INTERNAL, EXIT_STOPPED } from './exit-code.ts'
import type { Output } from './output.ts'
import type { Why } from './run-words.ts'

/** npm forwards Ctrl-C to a process that has already got it from the terminal: within this time it is the same key press. */
const SAME_PRESS_MS = 300
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Stopping {
  /** Null while nothing stops it. */
  reason(): { why: Why; code: number } | null
  /** Calls `leave` the first time; the second time the process exits at once. */
  stop(): void
  /** Removes the listeners. */
  release(): void
}

export function listenForStop(out: Output, leave: () => void): Stopping {
  let reason: { why: Why; code: number } | null = null
  let sinceMs = 0
  const begin = (why: Why, code: number) => {
    if (reason !== null) return
    reason = { why, code }
    sinceMs = Date.now()
    leave()
  }
  const stop = () => {
    if (reason !== null && Date.now() - sinceMs > SAME_PRESS_MS) process.exit(EXIT_STOPPED)
    begin('asked', EXIT_STOPPED)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  out.onClosed((error) =>
    error === null ? begin('unread', EXIT_STOPPED) : begin('unwritable', EXIT_INTERNAL),
  )
  return {
    reason: () => reason,
    stop,
    release() {
      for (const signal of SIGNALS) process.off(signal, stop)
    },
  }
}
