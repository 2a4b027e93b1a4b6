/**
 * How much a worker takes on: a number of runs, and nothing while its event loop lags or its memory is nearly full. At most a few runs load
 * at once.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'

export interface CapacityOptions {
  /** Runs at once. Default: 200. */
  readonly runs?: number
  /** Takes nothing while its event loop lags more than this. Default: 200. */
  readonly lagMs?: number
  /** Takes nothing while more than this share of the heap's limit is in use. Default: 0.8. */
  readonly heapShare?: number
}

const RUNS = 200
const LAG_MS = 200
const HEAP_SHARE = 0.8
const LOADS = 8
/** How often the event loop is measured. */
const MEASURE_MS = 50
/** A lag is forgotten this much later. */
const REMEMBER_MS = 1_000

export class Capacity {
  private readonly runs: number
  private readonly lagMs: number
  private readonly heapShare: number
  private readonly measuring: NodeJS.Timeout
  private expectedMs = performance.now() + MEASURE_MS
  private laggedMs = Number.NEGATIVE_INFINITY
  private loading = 0
  private readonly waiting: (() => void)[] = []

  constructor({ runs = RUNS, lagMs = LAG_MS, heapShare = HEAP_SHARE }: CapacityOptions = {}) {
    this.runs = runs
    this.lagMs = lagMs
    this.heapShare = heapShare
    this.measuring = setInterval(() => this.measure(), MEASURE_MS).unref()
  }

  /** Whether a worker that has `owned` runs may take one more. */
  hasRoom(owned: number): boolean {
    return owned < this.runs && !this.isBusy
  }

  get isBusy(): boolean {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    return performance.now() - this.laggedMs < REMEMBER_MS || used > this.heapShare * limit
  }

  /** Waits for room; false if there is none after `waitMs`. */
  async room(owned: () => number, waitMs: number): Promise<boolean> {
    for (const untilMs = performance.now() + waitMs; !this.hasRoom(owned()); await pause(MEASURE_MS))
      if (performance.now() > untilMs) return false
    return true
  }

  /** Calls `load` when fewer than `LOADS` others are loading. */
  async whileLoading<T>(load: () => Promise<T>): Promise<T> {
    if (this.loading >= LOADS) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.loading++
    try {
      return await load()
    } finally {
      const next = this.waiting.shift()
      if (next === undefined) this.loading--
      else next()
    }
  }

  close(): void {
    clearInterval(this.measuring)
  }

  private measure(): void {
    const now = performance.now()
    if (now - this.expectedMs > this.lagMs) this.laggedMs = now
    this.expectedMs = now + MEASURE_MS
  }
}
