/** How long, and how often, something that did not come through is tried again. */
import { ThinkonError } from '../protocol/index.ts'

export interface Patience {
  /** Waits, longer each time. Throws what was thrown, if trying again is no use or has taken too long. */
  wait(thrown: unknown, signal: AbortSignal): Promise<void>
  /** The service answers, so that it is not given up; the pauses still grow. */
  reached(): void
  /** It came through. */
  restore(): void
}

export interface PatienceOptions {
  retryMs: number
  giveUpMs: number
  /** Whether what is not reached now may be reached later. */
  isWorthIt(): boolean
}

const MAX_PAUSE_MS = 30_000

export function patienceOf({ retryMs, giveUpMs, isWorthIt }: PatienceOptions): Patience {
  let pauseMs = retryMs
  let sinceMs: number | null = null
  return {
    async wait(thrown, signal) {
      if (!ThinkonError.isInstance(thrown) || !thrown.retryable || !isWorthIt()) throw thrown
      sinceMs ??= Date.now()
      if (Date.now() - sinceMs >= giveUpMs) throw thrown
      // Readers that lost the same service do not all come back at once.
      const ms = Math.max(pauseMs * (0.5 + Math.random() / 2), askedFor(thrown))
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
      await pause(Math.min(ms, MAX_PAUSE_MS), signal)
    },
    reached() {
      sinceMs = null
    },
    restore() {
      pauseMs = retryMs
      sinceMs = null
    },
  }
}

/** A service that has too much to do says when to come again. One that restarts is back sooner than any default says. */
function askedFor({ code, data }: ThinkonError): number {
  return code === 'LIMIT' && typeof data.retryAfterMs === 'number' ? data.retryAfterMs : 0
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = () => resolve()
  signal.addEventListener('abort', end, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}
