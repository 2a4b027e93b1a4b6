/** The calls of a block: each has a child of its own, and ends when that does. */
import type { ChildEnd, Ended } from '../../kernel/durable.ts'
import { accumulate, type ErrorData } from '../../protocol/index.ts'
import { childEndOf, type OpEnd } from '../shared/records.ts'
import { Operation } from './op.ts'

/** The child, as its call sees it. */
export interface CallableBlock {
  /** `onEnd` is called when the end is appended, before it is committed. */
  begin(onEnd: BlockEnded): void
  endedByParent(reason: string): void
}

export type BlockEnded = (end: ChildEnd, atMs: number, left: Ended['left']) => void

export class CallOp extends Operation {
  readonly kind = 'call'
  /** How the child ended, known before it is committed. */
  childEnd: ChildEnd | null = null
  private child: CallableBlock | null = null

  override restore(end: OpEnd): void {
    super.restore(end)
    if (end.type === 'block-end') this.childEnd = childEndOf(end)
  }

  begin(child: CallableBlock): void {
    const { block } = this
    this.child = child
    child.begin((end, atMs, left) => {
      this.childEnd = end
      accumulate(block.usage, end.outcome.usage)
      this.endAppended({ ok: true, value: end }, atMs, left)
      block.run.whenCaughtUp(this)
    })
  }

  get idle(): boolean {
    return this.childEnd === null
  }

  stop(error: ErrorData): void {
    this.child?.endedByParent(error.message)
  }

  /** The child is abandoned by the run, like every other block. */
  abandon(): void {
    this.closed = true
  }
}
