/** The limits of a provider within this process. */
import type { CallLimiter, ReleaseSlot } from '../../kernel/call-limiter.ts'
import { activityOf, type Clock, systemClock } from '../../kernel/clock.ts'
import type { CallLimits } from '../../protocol/index.ts'
import { Minute } from './minute.ts'

interface Caller {
  readonly tokens: number
  turn(): void
}

export class Limiter implements CallLimiter {
  private limits: CallLimits
  private readonly clock: Clock
  private readonly minute = new Minute()
  private active = 0
  private pausedUntilMs = Number.NEGATIVE_INFINITY
  /** A Set keeps the order of insertion. */
  private readonly waiting = new Set<Caller>()
  private stopTimer = () => {}

  constructor(limits: CallLimits, clock: Clock = systemClock) {
    this.limits = limits
    this.clock = clock
  }

  acquire(signal: AbortSignal, tokens = 0): Promise<ReleaseSlot> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.waiting.size === 0 && this.waitMs(tokens) === 0) return Promise.resolve(this.take(tokens))
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(caller)
        this.next()
        reject(signal.reason)
      }
      const caller: Caller = {
        tokens,
        turn: () => {
          this.waiting.delete(caller)
          signal.removeEventListener('abort', leave)
          resolve(this.take(tokens))
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.add(caller)
      this.next()
    })
  }

  pause(ms: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.nowMs() + ms)
    this.next()
  }

  /** Limits that are not given stay as they are. */
  set(limits: CallLimits): void {
    this.limits = { ...this.limits, ...limits }
    this.next()
  }

  get load(): { active: number; waiting: number } {
    return { active: this.active, waiting: this.waiting.size }
  }

  /** How long until a call may be made; Infinity: when another one has ended. */
  private waitMs(tokens: number): number {
    const { maxConcurrent = Infinity } = this.limits
    if (this.active >= maxConcurrent) return Infinity
    const nowMs = this.nowMs()
    return Math.max(0, this.pausedUntilMs - nowMs, this.minute.waitMs(nowMs, tokens, this.limits))
  }

  private take(tokens: number): ReleaseSlot {
    this.active++
    const { requestsPerMinute, tokensPerMinute } = this.limits
    const isPaced = requestsPerMinute !== undefined || tokensPerMinute !== undefined
    const correct = isPaced ? this.minute.begin(this.nowMs(), tokens) : () => {}
    let given = false
    return (taken) => {
      if (given) return
      given = true
      this.active--
      if (taken !== undefined) correct(taken)
      this.next()
    }
  }

  private next(): void {
    this.stopTimer()
    for (const caller of this.waiting) {
      const waitMs = this.waitMs(caller.tokens)
      if (waitMs === 0) caller.turn()
      else {
        if (waitMs < Infinity) this.stopTimer = this.clock.after(waitMs, () => this.next())
        return
      }
    }
  }

  private nowMs(): number {
    return activityOf(this.clock).activeMs()
  }
}

/** One per provider and process: that is what a provider counts, whichever engine or role makes the call. */
const limiters = new WeakMap<Clock, Map<string, Limiter>>()

export function limiterFor(
  provider: string,
  limits: CallLimits,
  standard: CallLimits,
  clock: Clock = systemClock,
): Limiter {
  const ofClock = limiters.get(clock) ?? new Map<string, Limiter>()
  limiters.set(clock, ofClock)
  const known = ofClock.get(provider)
  known?.set(limits)
  const limiter = known ?? new Limiter({ ...standard, ...limits }, clock)
  ofClock.set(provider, limiter)
  return limiter
}

/** A slot of the first, then one of the second. */
export function bothLimiters(first: CallLimiter, second: CallLimiter): CallLimiter {
  return {
    async acquire(signal, tokens) {
      const releaseFirst = await first.acquire(signal, tokens)
      try {
        const releaseSecond = await second.acquire(signal, tokens)
        return (taken) => {
          releaseSecond(taken)
          releaseFirst(taken)
        }
      } catch (thrown) {
        // Nothing was asked of the provider.
        releaseFirst(0)
        throw thrown
      }
    },
    pause(ms) {
      first.pause(ms)
      second.pause(ms)
    },
  }
}
