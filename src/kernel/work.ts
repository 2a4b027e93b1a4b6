/** The operations of a strategy: what is known of each besides the durable operation behind it. */
import type { Chosen, ModelReply, Outcome, Result, ToolCall } from '../protocol/index.ts'
import type { Brief } from './brief/brief.ts'
import type { BlockSpec, ChildEnd, Emission, Ended, Op } from './durable.ts'
import type { Linked } from './linked-list.ts'

export type Work = ModelWork | ToolWork | ChildWork | AskWork | ListenWork

/** What all of them have. As data: each step makes one, and a class that extends another takes several times as long to make. */
interface Begun extends Op, Linked<Work> {
  /** Under which the end of the operation behind it is recorded. */
  n: number
  inner: Op
  consumed: boolean
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

export interface ModelWork extends Begun {
  readonly kind: 'model'
  /** Null for a request without a brief. */
  readonly call: ModelCall | null
}

export function modelWork(inner: Op, call: ModelCall | null): ModelWork {
  return { kind: 'model', n: inner.n, inner, consumed: false, before: null, after: null, call }
}

export interface ToolWork extends Begun {
  readonly kind: 'tool'
  readonly name: string
  readonly input: unknown
  /** A person is asked for permission; the step comes after. */
  needsPermission: boolean
  /** The strategy calls it for itself: it is not an action that the block is told of. */
  readonly own: boolean
  /** The run's caller executes it. */
  readonly byCaller: boolean
}

type Called = Pick<ToolWork, 'name' | 'input' | 'needsPermission' | 'own' | 'byCaller'>

export function toolWork(inner: Op, called: Called): ToolWork {
  return { kind: 'tool', n: inner.n, inner, consumed: false, before: null, after: null, ...called }
}

export interface ChildWork extends Begun {
  readonly kind: 'child'
  /** The latest attempt. */
  child: BlockSpec
  /** Who solves it instead, after it ended partial. */
  fallback: Chosen | null
  outcome: Outcome | null
  /** It is to be done again, as a person said after it had ended. */
  redo: { message: string } | null
}

export function childWork(inner: Op, child: BlockSpec): ChildWork {
  const begun = { n: inner.n, inner, consumed: false, before: null, after: null }
  return { kind: 'child', ...begun, child, fallback: null, outcome: null, redo: null }
}

/** Whether the child is to be done again, in the person's latest words. */
export function takeRedo(work: ChildWork, { redo: atEnd }: ChildEnd): { message: string } | undefined {
  const { redo: later } = work
  work.redo = null
  return later === null ? atEnd : { message: later.message || (atEnd?.message ?? '') }
}

/** Has the child done again when its end is consumed. False if it was consumed already. */
export function redoWhenConsumed(open: Iterable<Work>, { path }: BlockSpec, message: string): boolean {
  for (const work of open) {
    if (work.kind !== 'child' || work.child.path !== path) continue
    work.redo = { message }
    return true
  }
  return false
}

export interface AskWork extends Begun {
  readonly kind: 'ask'
  /** What later requests are told of it, by the answer. */
  readonly says: (answer: unknown) => string
}

export function askWork(inner: Op, says: AskWork['says']): AskWork {
  return { kind: 'ask', n: inner.n, inner, consumed: false, before: null, after: null, says }
}

export interface ListenWork extends Begun {
  readonly kind: 'listen'
}

export function listenWork(inner: Op): ListenWork {
  return { kind: 'listen', n: inner.n, inner, consumed: false, before: null, after: null }
}

export function innerOf(work: Work): Op {
  return work.inner
}

/** A child's end is given to the strategy as its outcome; a wait for a caller's tool that has ended without a result, as its failure. */
export function resultOf(work: Work, { result }: Ended): Result {
  if (!result.ok) return result
  if (work.kind === 'child') return { ok: true, value: (result.value as ChildEnd).outcome }
  return work.kind === 'tool' && work.byCaller && result.value === undefined ? neverGiven(work.name) : result
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
