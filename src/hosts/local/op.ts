import { NOTHING } from '../../kernel/budget.ts'
import type { ChildEnd, Ended, Op } from '../../kernel/durable.ts'
import type { EventOf, Reserve } from '../../protocol/index.ts'
import type { LocalBlock } from './block.ts'
import { endedOf } from './records.ts'

/** Recorded ends come before those of this process, in the journal's order. */
const BEFORE_ALL = -(2 ** 40)

/** A started operation of a local block: under way until `ended` is set, which happens after its end was committed. */
export class LocalOp implements Op {
  readonly n: number
  readonly kind: 'model' | 'tool' | 'call' | 'wait'
  readonly block: LocalBlock
  ended: Ended | null = null
  /** Which end of the block's operations it was. */
  endOrder = 0
  /** Its end is recorded or about to be: what comes later is dropped. */
  closed = false
  /** Counted by the block's pending `all` or `first`. */
  awaited = false
  /** Held against the budget while it runs. */
  reserve: Reserve = NOTHING
  child: LocalBlock | null = null
  /** How the child ended, known a moment before it is committed. */
  childEnd: ChildEnd | null = null
  /** Who pays, of a step: a model's role, or `tool`. */
  role = ''
  /** The signal's name, of a wait. */
  name = ''
  /** A person is asked, not only listened for. */
  asks = false
  stopTimer: (() => void) | null = null
  /** Parts of the step that were paid and recorded. */
  paidParts = 0
  private controller: AbortController | null = null

  constructor(block: LocalBlock, n: number, kind: LocalOp['kind']) {
    this.block = block
    this.n = n
    this.kind = kind
  }

  /** It has ended already, as the journal says. */
  restore(end: EventOf<'model-end' | 'tool-end' | 'signal-answered' | 'block-end'>): void {
    this.ended = endedOf(end)
    this.endOrder = BEFORE_ALL + end.seq
    if (end.type === 'block-end') this.childEnd = (this.ended.result as { value: ChildEnd }).value
  }

  /** Made on first use: an effect that never looks costs nothing. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.closed && !this.controller.signal.aborted) this.controller.abort()
    return this.controller.signal
  }

  abort(reason: unknown): void {
    this.controller?.abort(reason)
  }
}
