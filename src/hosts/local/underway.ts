import type { Ended } from '../../kernel/durable.ts'
import type { ErrorData, OutageStep } from '../../protocol/index.ts'
import { Awaiting } from './awaiting.ts'
import type { Operation } from './op.ts'
import { StepOp } from './steps.ts'

/** A block's operations that have not ended, and what the block awaits of them. */
export class Underway {
  readonly awaiting = new Awaiting()
  private readonly ops = new Set<Operation>()
  private endOrder = 1

  add(op: Operation): void {
    this.ops.add(op)
  }

  ended(op: Operation, end: Ended): void {
    op.ended = end
    op.endOrder = this.endOrder++
    this.ops.delete(op)
    this.awaiting.ended(op)
  }

  get isEmpty(): boolean {
    return this.ops.size === 0
  }

  /** None will end soon without a signal. */
  get idle(): boolean {
    for (const op of this.ops) if (!op.idle) return false
    return true
  }

  /** Its steps whose model is out. */
  outages(): OutageStep[] {
    return this.steps().flatMap((step) => step.outage ?? [])
  }

  steps(): StepOp[] {
    return [...this.ops].filter((op) => op instanceof StepOp)
  }

  stop(error: ErrorData): void {
    for (const op of [...this.ops]) op.stop(error)
  }

  abandon(error: unknown): void {
    for (const op of this.ops) op.abandon(error)
  }
}
