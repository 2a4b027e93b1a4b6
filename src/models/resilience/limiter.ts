/** Limits concurrent calls. Callers wait in order, and can stop waiting at any time. */
export class Limiter {
  private max: number
  private active = 0
  private readonly waiting = new Set<() => void>()

  constructor(max: number) {
    this.max = max
  }

  /** Resolves with the function that releases the slot; rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.active < this.max && this.waiting.size === 0) return Promise.resolve(this.take())
    return new Promise((resolve, reject) => {
      const turn = () => {
        this.waiting.delete(turn)
        signal.removeEventListener('abort', leave)
        resolve(this.take())
      }
      const leave = () => {
        this.waiting.delete(turn)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.add(turn)
    })
  }

  setMax(max: number): void {
    this.max = max
    this.next()
  }

  get load(): { active: number; waiting: number } {
    return { active: this.active, waiting: this.waiting.size }
  }

  private take(): () => void {
    this.active++
    let given = false
    return () => {
      if (given) return
      given = true
      this.active--
      this.next()
    }
  }

  private next(): void {
    // A Set keeps insertion order.
    for (const turn of this.waiting) {
      if (this.active >= this.max) return
      turn()
    }
  }
}

/** One per provider and process: that is what a provider counts, whichever engine or role makes the call. */
const limiters = new Map<string, Limiter>()

/** The provider's limiter; `max`, if given, becomes its limit for everyone. */
export function limiterFor(provider: string, max: number | undefined, standard: number): Limiter {
  let limiter = limiters.get(provider)
  if (limiter === undefined) {
    limiter = new Limiter(max ?? standard)
    limiters.set(provider, limiter)
  } else if (max !== undefined) limiter.setMax(max)
  return limiter
}
