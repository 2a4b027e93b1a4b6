/** The operations of a strategy: what is known of each besides the durable operation behind it. */
import {
  type Chosen,
  type ModelReply,
  type Outcome,
  type Result,
  ThinkonError,
  type ToolCall,
} from '../protocol/index.ts'
import type { Brief } from './brief/brief.ts'
import type { BlockSpec, ChildEnd, Emission, Ended, Op } from './durable.ts'
import type { Linked } from './linked-list.ts'

export type Work = ModelWork | ToolWork | ChildWork | AskWork | ListenWork

/** What all of them have. One form for all kinds: the code that handles them is fast because it meets no other. */
interface Begun<Kind extends string, Of> extends Op, Linked<Work> {
  readonly kind: Kind
  /** What belongs to its kind. */
  readonly of: Of
  /** Under which the end of the operation behind it is recorded. */
  n: number
  inner: Op
  consumed: boolean
}

export function begun<W extends Work>(kind: W['kind'], inner: Op, of: W['of']): W {
  const work = { kind, of, n: inner.n, inner, consumed: false, before: null, after: null }
  return work as Begun<W['kind'], W['of']> as W
}

/** Puts another durable operation behind this one, which is then awaited again. */
export function continueWork(work: Work, inner: Op): void {
  work.n = inner.n
  work.inner = inner
  work.consumed = false
}

/** A call as it stands: the brief, which may have become a conversation, and the reading that is under way. */
export interface ModelCall {
  readonly closing: boolean
  brief: Brief
  /** Something was shortened, and the strategy has no tools of its own. */
  mayRead: boolean
  /** How many times the request was made again. */
  again: number
  /** Calls of `read_result` that the model made and that are still to be answered; the first is under way. */
  reading: ToolCall[]
}

/** Null for a request without a brief. */
export type ModelWork = Begun<'model', ModelCall | null>

export interface CalledTool {
  readonly name: string
  readonly input: unknown
  /** A person is asked for permission; the step comes after. */
  needsPermission: boolean
  /** The strategy calls it for itself: it is not an action that the block is told of. */
  readonly own: boolean
  /** The run's caller executes it. */
  readonly byCaller: true | undefined
}

export type ToolWork = Begun<'tool', CalledTool>

export interface CalledChild {
  /** The latest attempt. */
  spec: BlockSpec
  /** Who solves it instead, after it ended partial. */
  fallback: Chosen | null
  outcome: Outcome | null
  /** It is to be done again, as a person said after it had ended. */
  redo: { message: string } | null
}

export type ChildWork = Begun<'child', CalledChild>

export function childWork(inner: Op, spec: BlockSpec): ChildWork {
  return begun<ChildWork>('child', inner, { spec, fallback: null, outcome: null, redo: null })
}

/** Whether the child is to be done again, in the person's latest words. */
export function takeRedo(child: CalledChild, { redo: atEnd }: ChildEnd): { message: string } | undefined {
  const { redo: later } = child
  child.redo = null
  return later === null ? atEnd : { message: later.message || (atEnd?.message ?? '') }
}

/** Has the child done again when its end is consumed. False if it was consumed already. */
export function redoWhenConsumed(open: Iterable<Work>, { path }: BlockSpec, message: string): boolean {
  for (const work of open) {
    if (work.kind !== 'child' || work.of.spec.path !== path) continue
    work.of.redo = { message }
    return true
  }
  return false
}

/** With what later requests are told of it, by the answer. */
export type AskWork = Begun<'ask', (answer: unknown) => string>

export type ListenWork = Begun<'listen', null>

export function innerOf(work: Work): Op {
  return work.inner
}

/** A child's end is given to the strategy as its outcome; a wait for a caller's tool that has ended without a result, as its failure. */
export function resultOf(work: Work, { result }: Ended): Result {
  if (!result.ok) return result
  if (work.kind === 'child') return { ok: true, value: outcomeIn(result.value) }
  const isMissing = work.kind === 'tool' && work.of.byCaller && result.value === undefined
  return isMissing ? neverGiven(work.of.name) : result
}

/** What a strategy is given of a child's end. */
export function outcomeIn(end: unknown): Outcome {
  return (end as ChildEnd).outcome
}

function neverGiven(tool: string): Result {
  const message = `${tool} is executed by whoever started the run, and no result came in time: it may or may not have been executed`
  return { ok: false, error: { code: 'TIMEOUT', message, data: { toolName: tool } } }
}

/** Nothing is repaired in secret: a reply that had to be, or was asked for again, is an event of its own. */
export function repairNote(n: number, result: Result): Emission | null {
  if (!result.ok) return null
  const { repairs, asks } = result.value as ModelReply
  if ((repairs === undefined || repairs.length === 0) && (asks ?? 1) <= 1) return null
  return { type: 'note', name: 'reply-repaired', data: { n, repairs: repairs ?? [], asks: asks ?? 1 } }
}

/** An estimate that took the place of a reported usage is recorded as a note. */
export function usageNote(n: number, { usageProblem }: Ended): Emission | null {
  if (usageProblem === undefined) return null
  return { type: 'note', name: 'usage-estimated', data: { n, problem: usageProblem } }
}

/** The value of an operation that has ended well; throws the error of one that has not. */
export function valueFrom<T>(work: Work, end: Ended): T {
  const result = resultOf(work, end)
  if (result.ok) return result.value as T
  throw ThinkonError.fromJSON(result.error)
}
