/**
 * What a block makes, and the records of it. Operations gather until the block awaits; then all of them are recorded in one transaction
 * (see block.ts). What was decided when an operation was made (it was answered at once, or it listens to a number) is noted with its start,
 * because a block that is executed again must give the engine the same commands.
 */
import { NOTHING } from '../../kernel/budget.ts'
import type { BlockSpec, Effect, Emission, Kernel } from '../../kernel/durable.ts'
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import {
  type ErrorData,
  type Event,
  type EventBody,
  type EventOf,
  type EventType,
  errorData,
  type Question,
  type Result,
} from '../../protocol/index.ts'
import { blockStart, signalAnswered, signalAsked, stepStart } from '../shared/events.ts'
import { checkSameOperation, FAILED_VERSION, isOpEnd, type OpEnd, operationName } from '../shared/records.ts'
import { type CalledBlock, type Desk, queuedKey, type StartBody } from './desk.ts'

export type Operation =
  | { readonly type: 'step'; readonly n: number; readonly effect: Effect }
  | { readonly type: 'call'; readonly n: number; readonly child: BlockSpec }
  | {
      readonly type: 'wait'
      readonly n: number
      readonly name: string
      readonly question: Question | undefined
      readonly timeoutMs: number | undefined
    }
  | { readonly type: 'emit'; readonly n: number; readonly emission: Emission }
  | { readonly type: 'win'; readonly n: number; readonly winner: number }

/** The start of an operation. */
export type Made = EventBody & { run: string; path: string }

export interface OperationRecord {
  /** As it is recorded or, while its operation waits for its turn, as it will be. */
  readonly start: Made
  readonly end: OpEnd | null
  /** The number of the signal that a wait listens to; null when it was answered at once. */
  readonly listens: number | null
  /** It was recorded by another host, which noted nothing: what the journal does not have is still to be noted. */
  readonly incomplete: boolean
}

/** What the store has of a block's own operations. */
export interface BlockRecords {
  readonly made: Map<number, OperationRecord>
  /** How many looks of the block are recorded. What they found are operations. */
  looked: number
}

export function loadRecords(reader: SharedReader, run: string, path: string): BlockRecords {
  const starts = new Map<number, Event>()
  const ends = new Map<number, OpEnd>()
  let last = 0
  for (const { n, kind, event } of reader.records(path)) {
    if (kind === 'start') starts.set(n, event)
    else if (kind === 'end' && isOpEnd(event)) ends.set(n, event)
    last = Math.max(last, n)
  }
  const made = new Map<number, OperationRecord>()
  for (let n = 1; ; n++) {
    const start = starts.get(n) ?? queuedAt(reader, run, path, n)
    if (start !== null) made.set(n, recordOf(reader, path, n, start, ends.get(n) ?? null))
    else if (n > last) break
  }
  return { made, looked: lookedIn(reader, path) }
}

export function recordAt(reader: SharedReader, run: string, path: string, n: number): OperationRecord | null {
  const start = madeIn(reader, run, path, n)
  if (start === null) return null
  return recordOf(reader, path, n, start, reader.find(path, n, 'end') as OpEnd | null)
}

function recordOf(
  reader: SharedReader,
  path: string,
  n: number,
  start: Made,
  end: OpEnd | null,
): OperationRecord {
  const incomplete = reader.note(incompleteKey(path, n)) !== null
  return { start, end, listens: listensAt(reader, start, n), incomplete }
}

/** Noted of an operation that is incomplete (see adopt.ts). */
export function incompleteKey(path: string, n: number): string {
  return `incomplete ${path} ${n}`
}

/** Notes what the journal does not have of an operation. */
export function completeIn(tx: SharedTransaction, path: string, operation: Operation): void {
  const { n } = operation
  tx.setNote(incompleteKey(path, n), null)
  if (operation.type === 'step') {
    noteInput(tx, path, n, operation.effect)
    tx.setNote(reserveKey(path, n), operation.effect.reserve)
  } else if (operation.type === 'call')
    tx.setNote(`block ${operation.child.path}`, { n, spec: operation.child } satisfies CalledBlock)
  else if (operation.type === 'wait') {
    const { name } = operation
    const signal = tx.pending().find((one) => one.path === path && one.name === name)
    tx.setNote(listensKey(path, n), signal?.number ?? tx.nextNumber(path, name))
  }
}

/** What a step asks to hold whose record holds nothing: it was refused, or its request was edited. */
export function reserveKey(path: string, n: number): string {
  return `reserve ${path} ${n}`
}

/** The journal holds the messages that were rendered from the input, not the input; and what a person has answered in other events. */
function noteInput(tx: SharedTransaction, path: string, n: number, effect: Effect): void {
  if (effect.kind !== 'model') return
  tx.setNote(`input ${path} ${n}`, effect.request.input ?? null)
  if (effect.said !== undefined) tx.setNote(`said ${path} ${n}`, effect.said)
}

/** The start at this number, as it is recorded or, while its operation waits for its turn, as it will be. */
export function madeIn(reader: SharedReader, run: string, path: string, n: number): Made | null {
  return reader.find(path, n, 'start') ?? queuedAt(reader, run, path, n)
}

function queuedAt(reader: SharedReader, run: string, path: string, n: number): Made | null {
  const queued = reader.note<StartBody>(queuedKey(path, n))
  return queued && { ...queued, run }
}

export function lookedIn(reader: SharedReader, path: string): number {
  return reader.note<number>(`looked ${path}`) ?? 0
}

export function listensKey(path: string, n: number): string {
  return `listens ${path} ${n}`
}

function listensAt(reader: SharedReader, { type, path }: Made, n: number): number | null {
  return type === 'signal-asked' ? reader.note<number>(listensKey(path, n)) : null
}

/** Throws NON_DETERMINISM unless the record is of this operation. */
export function checkOperation(start: Made, path: string, operation: Operation): void {
  const [type, name] = labelOf(operation)
  checkSameOperation(start, path, operation.n, type, name)
}

function labelOf(operation: Operation): [EventType, string] {
  switch (operation.type) {
    case 'step': {
      const { effect } = operation
      return effect.kind === 'model' ? ['model-start', effect.request.kind] : ['tool-start', effect.name]
    }
    case 'call':
      return ['block-start', operation.child.path]
    case 'wait':
      return ['signal-asked', operation.name]
    case 'emit':
      return [operation.emission.type, operationName(operation.emission as EventBody)]
    case 'win':
      return ['first-won', '']
  }
}

/** Records the operation: a step and a block begin in their turn, a refusal by a limit is an end at once. */
export function makeIn(
  tx: SharedTransaction,
  desk: Desk,
  path: string,
  operation: Operation,
  kernel: Pick<Kernel, 'identify'>,
): void {
  const { n } = operation
  const at = { path, n, kind: 'start' } as const
  switch (operation.type) {
    case 'step': {
      const { effect } = operation
      noteInput(tx, path, n, effect)
      desk.beginStep({ ...stepStart(n, effect, effect.reserve), path })
      break
    }
    case 'call': {
      const { child } = operation
      callIn(tx, desk, { n, spec: child }, identityOf(kernel, child.strategy), child.limits)
      break
    }
    case 'wait':
      askIn(tx, desk, path, operation)
      break
    case 'emit':
      desk.append(path, { ...operation.emission, n } as EventBody, at)
      break
    case 'win':
      desk.append(path, { type: 'first-won', n, winner: operation.winner }, at)
  }
}

function identityOf({ identify }: Pick<Kernel, 'identify'>, strategy: string): string | ErrorData {
  try {
    return identify(strategy)
  } catch (thrown) {
    return errorData(thrown, 'NO_SUCH_STRATEGY')
  }
}

export function callIn(
  tx: SharedTransaction,
  desk: Desk,
  block: CalledBlock,
  identity: string | ErrorData,
  limits: BlockSpec['limits'],
): void {
  const { n, spec } = block
  const { path } = spec
  tx.setNote(`block ${path}`, block)
  const { left } = desk.books.open(path, limits ?? null)
  const failed = typeof identity !== 'string'
  const name = failed ? `${spec.strategy}${FAILED_VERSION}` : identity
  desk.callBlock({ ...blockStart(spec, n, name, NOTHING, left), path }, !failed)
  if (!failed) return
  const { code, message } = identity
  desk.endBlock(path, { status: 'failed', result: '', reason: message, code }, {})
}

function askIn(
  tx: SharedTransaction,
  desk: Desk,
  path: string,
  { n, name, question, timeoutMs }: Operation & { type: 'wait' },
): void {
  const asked = desk.append(path, signalAsked(n, name, question, timeoutMs), { path, n, kind: 'start' })
  if (question !== undefined) desk.books.clock.openQuestions++
  const signal = tx.pending().find((one) => one.path === path && one.name === name)
  if (signal !== undefined) answerIn(desk, asked, { ok: true, value: signal.value }, signal.number)
  else if (timeoutMs === 0) answerIn(desk, asked, { ok: true, value: question?.fallback }, 0)
  else tx.setNote(listensKey(path, n), tx.nextNumber(path, name))
}

export function answerIn(desk: Desk, asked: Event, result: Result, number: number) {
  const { path, n, name, question } = asked as EventOf<'signal-asked'>
  if (question !== undefined) desk.books.clock.openQuestions--
  const body = signalAnswered(n, name, number, result, desk.books.of(path).left)
  return desk.append(path, body, { path, n, kind: 'end' }) as EventOf<'signal-answered'>
}
