/** How a command that works is stopped: by Ctrl-C, by the system, or because nobody reads its output. */
import { EXIT_INTERNAL, EXIT_STOPPED } from './exit-code.ts'
import type { Output } from './output.ts'

/** npm passes Ctrl-C on to a process that the terminal has told already: so soon, it is the same key press. */
const SAME_PRESS_MS = 300
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Stopping {
  /** Why, to be put after "stopped", and the exit code; null while it does not stop. */
  reason(): { why: string; code: number } | null
  /** The first time `leave` is called; the second time the process ends at once. */
  stop(): void
  /** Listens no more. */
  release(): void
}

export function listenForStop(out: Output, leave: () => void): Stopping {
  let reason: { why: string; code: number } | null = null
  let sinceMs = 0
  const begin = (why: string, code: number) => {
    if (reason !== null) return
    reason = { why, code }
    sinceMs = Date.now()
    leave()
  }
  const stop = () => {
    if (reason !== null && Date.now() - sinceMs > SAME_PRESS_MS) process.exit(EXIT_STOPPED)
    begin('', EXIT_STOPPED)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  out.onClosed((error) =>
    error === null
      ? begin(', nobody reads the output any more', EXIT_STOPPED)
      : begin(": the output can't be written", EXIT_INTERNAL),
  )
  return {
    reason: () => reason,
    stop,
    release() {
      for (const signal of SIGNALS) process.off(signal, stop)
    },
  }
}
