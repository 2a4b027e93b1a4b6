import type { Ledger } from '../../kernel/budget.ts'
import type { Ended, Op } from '../../kernel/durable.ts'
import type { ErrorData, EventBody, Reserve, Result, Usage } from '../../protocol/index.ts'
import { endedOf, type OpEnd } from '../shared/records.ts'
import type { Committed } from './commits.ts'
import type { LocalRun } from './run.ts'

/** What an operation needs of its block. */
export interface OpBlock {
  readonly path: string
  readonly run: LocalRun
  readonly ledger: Ledger
  /** Spent in this block and below it. */
  readonly usage: Usage
  append(body: EventBody, ticked?: boolean): number
  /** What is kept back for closing. */
  readonly kept: Reserve
  /** The same, which is now to be used or given back. */
  takeKept(): Reserve
  /** The operation's end may be seen now: it is committed, or follows from what is. */
  opEnded(op: Operation, end: Ended): void
}

/** Recorded ends come before those of this process, in the journal's order. */
const BEFORE_ALL = -(2 ** 40)

/** A started operation of a local block: under way until `ended` is set. */
export abstract class Operation implements Op, Committed {
  readonly block: OpBlock
  readonly n: number
  ended: Ended | null = null
  /** Its end, which is in the journal when `committed` is called. */
  private appended: Ended | null = null
  /** Which end of the block's operations it was. */
  endOrder = 0
  /** Its end is recorded or about to be: what comes later is dropped. */
  closed = false
  /** Counted by the block's pending `all` or `first`. */
  awaited = false

  constructor(block: OpBlock, n: number) {
    this.block = block
    this.n = n
  }

  abstract readonly kind: 'step' | 'call' | 'wait'

  /** It will not end by itself soon: its child has not ended, nobody has answered, or its model is out. */
  abstract get idle(): boolean

  /** Ends it with the error. */
  abstract stop(error: ErrorData): void

  /** The run stops in this process: nothing is recorded. */
  abstract abandon(error: unknown): void

  /** Its end was appended, and may be seen after the commit. */
  protected endAppended(result: Result, atMs: number, left: Ended['left'], usageProblem?: string): void {
    this.appended = { result, atMs, left, usageProblem }
  }

  committed(): void {
    this.block.opEnded(this, this.appended as Ended)
  }

  /** It has ended already, as the journal says. */
  restore(end: OpEnd): void {
    this.ended = endedOf(end)
    this.endOrder = BEFORE_ALL + end.seq
  }

  /** The same for one that its block may await already. */
  restoreLate(end: OpEnd): void {
    this.restore(end)
    this.block.opEnded(this, this.ended as Ended)
  }
}
