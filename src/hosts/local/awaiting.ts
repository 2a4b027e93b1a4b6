/** What a block awaits: one `all`, `one` or `first` at a time. Ends come in here when they may be seen. */

import type { Ended, Take, TakeAll } from '../../kernel/durable.ts'
import { awaitsTwice } from '../shared/endings.ts'
import type { Operation } from './op.ts'

/** An object and no closure: each step makes one. */
class One {
  readonly kind = 'one'
  private readonly take: Take<unknown>
  private readonly resolve: (taken: unknown) => void
  private readonly reject: (error: unknown) => void

  constructor(take: Take<unknown>, resolve: (taken: unknown) => void, reject: (error: unknown) => void) {
    this.take = take
    this.resolve = resolve
    this.reject = reject
  }

  settle(op: Operation): void {
    try {
      this.resolve(this.take(endOf(op)))
    } catch (error) {
      this.reject(error)
    }
  }
}

type Waiting =
  | One
  | { kind: 'all'; missing: number; settle(): void }
  | { kind: 'first'; ops: readonly Operation[]; settle(winner: Operation): void }

export class Awaiting {
  private waiting: Waiting | null = null

  one<T>(op: Operation, take: Take<T>): Promise<T> {
    this.assertFree()
    if (op.ended !== null) return made(() => take(endOf(op)))
    op.awaited = true
    // Not `withResolvers`, which takes several times as long.
    return new Promise((resolve, reject) => {
      this.waiting = new One(take, resolve as (taken: unknown) => void, reject)
    })
  }

  all<T>(ops: readonly Operation[], take: TakeAll<T>): Promise<T> {
    this.assertFree()
    let missing = 0
    for (const op of ops) {
      if (op.ended !== null || op.awaited) continue
      op.awaited = true
      missing++
    }
    if (missing === 0) return made(() => take(ops.map(endOf)))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const settle = () => {
      try {
        resolve(take(ops.map(endOf)))
      } catch (error) {
        reject(error)
      }
    }
    this.waiting = { kind: 'all', missing, settle }
    return promise
  }

  first(ops: readonly Operation[]): Promise<Operation> {
    this.assertFree()
    const ended = ops.filter((op) => op.ended !== null)
    if (ended.length > 0) return Promise.resolve(earliest(ended))
    for (const op of ops) op.awaited = true
    return new Promise((resolve) => {
      this.waiting = { kind: 'first', ops, settle: resolve }
    })
  }

  ended(op: Operation): void {
    const { waiting } = this
    if (!op.awaited || waiting === null) return
    op.awaited = false
    if (waiting.kind === 'all' && --waiting.missing > 0) return
    if (waiting.kind === 'first') for (const other of waiting.ops) other.awaited = false
    this.waiting = null
    waiting.settle(op)
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

/** A promise of what is made now, or of why it can't be. */
function made<T>(make: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve) => resolve(make()))
}

function endOf(op: Operation): Ended {
  return op.ended as Ended
}

function earliest(ops: readonly Operation[]): Operation {
  return ops.reduce((a, b) => (b.endOrder < a.endOrder ? b : a))
}
