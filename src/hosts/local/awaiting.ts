/** What a block awaits: one `all` or one `first` at a time. Ends come in here when they may be seen. */

import type { Ended, Take } from '../../kernel/durable.ts'
import { awaitsTwice } from '../shared/endings.ts'
import type { Operation } from './op.ts'

type Waiting =
  | { kind: 'all'; ops: readonly Operation[]; missing: number; take: Take<unknown>; settle: Settle }
  | { kind: 'first'; ops: readonly Operation[]; won: (winner: Operation) => void }

interface Settle {
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class Awaiting {
  private waiting: Waiting | null = null

  all(ops: readonly Operation[], take: Take<unknown>): Promise<unknown> {
    this.assertFree()
    let missing = 0
    for (const op of ops) {
      if (op.ended !== null || op.awaited) continue
      op.awaited = true
      missing++
    }
    const settle = Promise.withResolvers<unknown>()
    if (missing === 0) give(ops, take, settle)
    else this.waiting = { kind: 'all', ops, missing, take, settle }
    return settle.promise
  }

  first(ops: readonly Operation[]): Promise<Operation> {
    this.assertFree()
    const ended = ops.filter((op) => op.ended !== null)
    if (ended.length > 0) return Promise.resolve(earliest(ended))
    return new Promise((resolve) => {
      for (const op of ops) op.awaited = true
      this.waiting = { kind: 'first', ops, won: resolve }
    })
  }

  ended(op: Operation): void {
    const { waiting } = this
    if (!op.awaited || waiting === null) return
    op.awaited = false
    if (waiting.kind === 'first') {
      for (const other of waiting.ops) other.awaited = false
      this.waiting = null
      waiting.won(op)
    } else if (--waiting.missing === 0) {
      this.waiting = null
      give(waiting.ops, waiting.take, waiting.settle)
    }
  }

  get pending(): boolean {
    return this.waiting !== null
  }

  /** The block was ended from outside: what it awaits never comes. */
  abandon(): void {
    this.waiting = null
  }

  private assertFree(): void {
    if (this.waiting !== null) throw awaitsTwice()
  }
}

function give(ops: readonly Operation[], take: Take<unknown>, { resolve, reject }: Settle): void {
  try {
    const [only] = ops
    resolve(take(ops.length === 1 && only !== undefined ? [endOf(only)] : ops.map(endOf)))
  } catch (error) {
    reject(error)
  }
}

function endOf(op: Operation): Ended {
  return op.ended as Ended
}

function earliest(ops: readonly Operation[]): Operation {
  return ops.reduce((a, b) => (b.endOrder < a.endOrder ? b : a))
}
