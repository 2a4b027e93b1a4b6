/** What a block awaits: one `all` or one `first` at a time. Ends come in here after their commit. */

import type { Ended } from '../../kernel/durable.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { LocalOp } from './op.ts'

type Waiting =
  | { kind: 'all'; ops: readonly LocalOp[]; missing: number; resolve: (ends: Ended[]) => void }
  | { kind: 'first'; ops: readonly LocalOp[]; won: (winner: LocalOp) => void }

export class Awaiting {
  private waiting: Waiting | null = null

  all(ops: readonly LocalOp[]): Promise<Ended[]> {
    this.assertFree()
    let missing = 0
    for (const op of ops) {
      if (op.ended !== null || op.awaited) continue
      op.awaited = true
      missing++
    }
    if (missing === 0) return Promise.resolve(ops.map(endOf))
    return new Promise((resolve) => {
      this.waiting = { kind: 'all', ops, missing, resolve }
    })
  }

  first(ops: readonly LocalOp[]): Promise<LocalOp> {
    this.assertFree()
    const ended = ops.filter((op) => op.ended !== null)
    if (ended.length > 0) return Promise.resolve(earliest(ended))
    return new Promise((resolve) => {
      for (const op of ops) op.awaited = true
      this.waiting = { kind: 'first', ops, won: resolve }
    })
  }

  ended(op: LocalOp): void {
    const { waiting } = this
    if (!op.awaited || waiting === null) return
    op.awaited = false
    if (waiting.kind === 'first') {
      for (const other of waiting.ops) other.awaited = false
      this.waiting = null
      waiting.won(op)
    } else if (--waiting.missing === 0) {
      this.waiting = null
      waiting.resolve(waiting.ops.map(endOf))
    }
  }

  /** The block was ended from outside: what it awaits never comes. */
  forget(): void {
    this.waiting = null
  }

  private assertFree(): void {
    if (this.waiting === null) return
    throw new ThinkonError(
      'STRATEGY_ERROR',
      'a block awaits one thing at a time: put the operations into one all or first',
    )
  }
}

/** What a block that was ended from outside awaits. */
export function forever<T>(): Promise<T> {
  return new Promise(() => {})
}

function endOf(op: LocalOp): Ended {
  return op.ended as Ended
}

function earliest(ops: readonly LocalOp[]): LocalOp {
  return ops.reduce((a, b) => (b.endOrder < a.endOrder ? b : a))
}
