/** One sitting of a lab: what is spent, how much runs at once, and when it is over. */
import { accumulate, type Limits, type Usage } from '../protocol/index.ts'

export interface SittingParts {
  /** In earlier sittings. */
  readonly spent: Usage
  /** Runs at once. */
  readonly concurrency: number
  /** Of the whole lab; time is that of this sitting. */
  readonly limits: Partial<Pick<Limits, 'calls' | 'tokens' | 'costUsd' | 'timeMs'>>
  readonly signal: AbortSignal
}

export type LabLimit = keyof SittingParts['limits']

export class Sitting {
  readonly #spent: Usage
  readonly #since = performance.now()
  readonly #stopped: Promise<never>
  #stop: (reason: Error) => void = () => {}
  #running = 0
  readonly #waiting: (() => void)[] = []
  reached: LabLimit | null = null

  readonly #limits: SittingParts['limits']
  readonly #concurrency: number
  readonly #signal: AbortSignal

  constructor({ spent, limits, concurrency, signal }: SittingParts) {
    this.#limits = limits
    this.#concurrency = concurrency
    this.#signal = signal
    this.#spent = { ...spent }
    this.#stopped = new Promise<never>((_, reject) => {
      this.#stop = reject
    })
    this.#stopped.catch(() => {})
    signal.addEventListener('abort', () => this.#stop(new Error('stopped')), { once: true })
    this.#look()
  }

  isOver(): boolean {
    this.#look()
    return this.reached !== null || this.#signal.aborted
  }

  spend(usage: Usage): void {
    accumulate(this.#spent, usage)
    this.#look()
  }

  /** What `promise` comes to, unless the sitting ends first: then nobody waits for it. */
  async whileOpen<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {})
    return Promise.race([promise, this.#stopped])
  }

  /** At most so many at once. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#concurrency)
      await this.whileOpen(new Promise<void>((resolve) => this.#waiting.push(resolve)))
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #look(): void {
    const { calls, inputTokens, outputTokens, costUsd = 0 } = this.#spent
    const timeMs = performance.now() - this.#since
    const spent = { calls, tokens: inputTokens + outputTokens, costUsd, timeMs }
    const names = ['calls', 'tokens', 'costUsd', 'timeMs'] as const
    const full = names.find((name) => spent[name] >= (this.#limits[name] ?? Number.POSITIVE_INFINITY))
    if (full === undefined || this.reached !== null) return
    this.reached = full
    this.#stop(new Error('limit'))
  }
}
