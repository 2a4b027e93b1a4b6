/** The operations of a strategy, one class for each kind: what each knows besides the durable operation behind it. */
import type { Chosen, ModelReply, Outcome, Question, Result } from '../protocol/index.ts'
import type { BlockSpec, ChildEnd, Emission, Ended, Op } from './durable.ts'
import type { ModelCall } from './model-calls.ts'

export type Work = ModelWork | ToolWork | ChildWork | AskWork | ListenWork

abstract class Operation implements Op {
  inner: Op
  consumed = false

  constructor(inner: Op) {
    this.inner = inner
  }

  /** Under which its end is recorded. */
  get n(): number {
    return this.inner.n
  }

  /** Puts another durable operation behind this one, which is then awaited again. */
  continueWith(inner: Op): void {
    this.inner = inner
    this.consumed = false
  }
}

export class ModelWork extends Operation {
  readonly kind = 'model'
  readonly call: ModelCall

  constructor(inner: Op, call: ModelCall) {
    super(inner)
    this.call = call
  }
}

export class ToolWork extends Operation {
  readonly kind = 'tool'
  readonly name: string
  readonly input: unknown
  /** A person is asked for permission; the step comes after. */
  needsPermission: boolean

  constructor(inner: Op, name: string, input: unknown, needsPermission: boolean) {
    super(inner)
    this.name = name
    this.input = input
    this.needsPermission = needsPermission
  }
}

export class ChildWork extends Operation {
  readonly kind = 'child'
  /** The latest attempt. */
  child: BlockSpec
  /** Who solves it instead, after it ended partial. */
  fallback: Chosen | null = null
  outcome: Outcome | null = null

  constructor(inner: Op, child: BlockSpec) {
    super(inner)
    this.child = child
  }
}

export class AskWork extends Operation {
  readonly kind = 'ask'
  readonly question: Question

  constructor(inner: Op, question: Question) {
    super(inner)
    this.question = question
  }
}

export class ListenWork extends Operation {
  readonly kind = 'listen'
}

export function innerOf(work: Work): Op {
  return work.inner
}

/** A child's end is given to the strategy as its outcome. */
export function resultOf(work: Work, { result }: Ended): Result {
  return work.kind === 'child' && result.ok ? { ok: true, value: (result.value as ChildEnd).outcome } : result
}

/** Nothing is repaired in secret: a reply that had to be, or was asked for again, is an event of its own. */
export function repairNote(n: number, result: Result): Emission | null {
  if (!result.ok) return null
  const { repairs, asks } = result.value as ModelReply
  if ((repairs === undefined || repairs.length === 0) && (asks ?? 1) <= 1) return null
  return { type: 'note', name: 'reply-repaired', data: { n, repairs: repairs ?? [], asks: asks ?? 1 } }
}
