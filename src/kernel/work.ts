import type { Chosen, ModelReply, Outcome, Question, Result } from '../protocol/index.ts'
import type { BlockSpec, ChildEnd, Emission, Ended, Op } from './durable.ts'

/** A strategy's operation: what it is, and the durable one behind it (a redo puts another in its place). */
export class Work {
  readonly kind: 'model' | 'tool' | 'call' | 'ask' | 'listen'
  inner: Op
  consumed = false
  child: BlockSpec | null = null
  /** Who got it when it had ended partial. */
  fallback: Chosen | null = null
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

/** Who had a child, and who gets it now. */
export function changeOf({ child, fallback, outcome }: Work) {
  const reason = outcome?.reason
  return {
    path: child?.path,
    from: child?.strategy,
    to: fallback?.strategy,
    ...(reason !== undefined && { reason }),
  }
}

/** A child's end is told to the strategy as its outcome. */
export function resultOf(work: Work, { result }: Ended): Result {
  return work.kind === 'call' && result.ok ? { ok: true, value: (result.value as ChildEnd).outcome } : result
}

/** Nothing is mended in secret: a reply that had to be, or was asked for again, is an event of its own. */
export function repairNote(n: number, result: Result): Emission | null {
  if (!result.ok) return null
  const { repairs = [], asks = 1 } = result.value as ModelReply
  if (repairs.length === 0 && asks <= 1) return null
  return { type: 'note', name: 'reply-repaired', data: { n, repairs, asks } }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
