import type { Clock } from '../../kernel/clock.ts'

/** The run, as its deadline sees it. */
export interface Timed {
  readonly clock: Clock
  readonly blocks: Iterable<{ checkDeadline(activeMs: number): void }>
  /** The run's active time, up to now. */
  tick(): number
}

/** The nearest deadline of a run's blocks, in active time: when it is reached, all of them look. */
export class Deadline {
  private readonly run: Timed
  private atMs = Number.POSITIVE_INFINITY
  private cancel: (() => void) | null = null

  constructor(run: Timed) {
    this.run = run
  }

  watch(atMs: number): void {
    if (atMs < this.atMs) this.set(atMs)
  }

  stop(): void {
    this.cancel?.()
  }

  private set(atMs: number): void {
    const { run } = this
    this.atMs = atMs
    this.cancel?.()
    this.cancel = run.clock.after(atMs - run.tick(), () => {
      this.cancel = null
      this.atMs = Number.POSITIVE_INFINITY
      for (const block of [...run.blocks]) block.checkDeadline(run.tick())
    })
  }
}
