/**
 * The port of a provider's limits. A call waits here right before it is made, and holds its slot while it is: a block, or a
 * step that waits, holds none. Places: the process (models/resilience/limiter.ts), or a database that processes share.
 *
 * 1. Slots are given in the order in which they were asked for.
 * 2. Whoever waits can leave at any time: `acquire` rejects with the signal's reason, and nothing stays taken.
 */
import type { CallLimits } from '../protocol/index.ts'

export interface CallLimiter {
  /** Resolves when a call may be made that takes about so many tokens. */
  acquire(signal: AbortSignal, tokens: number): Promise<ReleaseSlot>
  /** The provider asks for a pause: no slot is given before so many milliseconds have passed. */
  pause(ms: number): void
}

/** Gives the slot back, once; does nothing from then on. `tokens` is what the call has taken, where that is known. */
export type ReleaseSlot = (tokens?: number) => void

/** The limiter of a provider; the limits that are given hold for everyone who asks the provider from then on. */
export type LimiterFor = (provider: string, limits: CallLimits) => CallLimiter

/** Looked up when a call is made; without one nothing is limited. */
export function lazyLimiter(found: () => CallLimiter | undefined): CallLimiter {
  return {
    acquire: async (signal, tokens) => (await found()?.acquire(signal, tokens)) ?? (() => {}),
    pause: (ms) => found()?.pause(ms),
  }
}

/** What of the settings are limits. */
export function limitsOf({ maxConcurrent, requestsPerMinute, tokensPerMinute }: CallLimits): CallLimits {
  return {
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
  }
}
