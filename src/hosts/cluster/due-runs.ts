/**
 * Passes due runs on to the engine that assigns them, and finds the runs of dead workers. Every worker does: what one of them leaves behind
 * when it dies, another does again.
 */
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import { errorText } from '../../protocol/index.ts'
import type { Assigner } from './assigner.ts'

/** How often dead workers are looked for. */
const WATCH_MS = 250
/** How often due runs are looked for if nothing calls: each worker at its own pace. */
const LOOK_MS = 1_000
const BATCH = 100

export class DueRuns {
  private readonly store: AssignableStore
  private readonly assigner: Assigner
  private readonly warn: (problem: string) => void
  private readonly stopListening: () => void
  private readonly watching: NodeJS.Timeout
  private looksAtMs = 0
  /** One round at a time; another follows if something became due meanwhile. */
  private round: Promise<void> | null = null
  private isDue = true
  private isClosed = false
  /** Failures in a row are one problem. */
  private hasFailed = false

  constructor(store: AssignableStore, assigner: Assigner, warn: (problem: string) => void) {
    this.store = store
    this.assigner = assigner
    this.warn = warn
    this.stopListening = store.onDue(() => {
      this.isDue = true
      this.begin()
    })
    this.watching = setInterval(() => this.begin(), WATCH_MS).unref()
  }

  close(): void {
    this.isClosed = true
    this.stopListening()
    clearInterval(this.watching)
  }

  private begin(): void {
    this.round ??= this.attempt().finally(() => {
      this.round = null
      if (this.isDue && !this.isClosed && !this.hasFailed) this.begin()
    })
  }

  private async attempt(): Promise<void> {
    try {
      const dead = await this.store.reclaim()
      if (dead.length > 0) await this.assigner.recover(dead)
      if (this.isDue || dead.length > 0 || performance.now() >= this.looksAtMs) await this.passOn()
      this.hasFailed = false
    } catch (thrown) {
      if (!this.hasFailed && !this.isClosed) this.warn(`due runs can't be passed on: ${errorText(thrown)}`)
      this.hasFailed = true
    }
  }

  private async passOn(): Promise<void> {
    this.isDue = false
    this.looksAtMs = performance.now() + LOOK_MS * (0.75 + Math.random() / 2)
    const runs = await this.store.claimDue(BATCH)
    for (const { id, kind } of runs) if (kind !== null && !this.isClosed) await this.assigner.offer(id, kind)
    if (runs.length === BATCH) this.isDue = true
  }
}
