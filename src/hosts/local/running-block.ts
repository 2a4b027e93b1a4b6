import type { OutageStep } from '../../protocol/index.ts'

/** A block that is under way, as its run sees it. */
export interface RunningBlock {
  readonly path: string
  readonly spec: { readonly strategy: string }
  /** Takes a signal from the inbox that ends the block. True if there was one. */
  interrupt(): boolean
  checkDeadline(activeMs: number): void
  /** It can't go on before a person answers, a child ends, or a model is there again. */
  readonly idle: boolean
  /** Its steps whose model is out. */
  outages(): OutageStep[]
  /** The run stops in this process: effects are aborted, nothing is recorded. */
  abandon(error: unknown): void
}
