import type { BlockSpec, ChildEnd, Ended, Op } from '../hosts/durable.ts'
import type { Outcome, Question, Result } from '../protocol/index.ts'

/** A strategy's operation: what it is, and the durable one behind it (a redo puts another in its place). */
export class Work {
  readonly kind: 'model' | 'tool' | 'call' | 'ask' | 'listen'
  inner: Op
  consumed = false
  child: BlockSpec | null = null
  /** How the child ended. */
  outcome: Outcome | null = null
  name = ''
  input: unknown = null
  question: Question | null = null
  /** It waits for a person's leave; the step comes after. */
  gated = false

  constructor(kind: Work['kind'], inner: Op) {
    this.kind = kind
    this.inner = inner
  }

  /** Under which its end is recorded. */
  get n(): number {
    return this.inner.n
  }
}

export function innerOf(work: Work): Op {
  return work.inner
}

/** A child's end is told to the strategy as its outcome. */
export function resultOf(work: Work, { result }: Ended): Result {
  return work.kind === 'call' && result.ok ? { ok: true, value: (result.value as ChildEnd).outcome } : result
}
