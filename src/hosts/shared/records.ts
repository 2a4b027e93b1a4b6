/** The records of operations, as both hosts read them back: checked against what is made now, and given again. */
import type { ChildEnd, Ended } from '../../kernel/durable.ts'
import {
  type BlockEnd,
  type Event,
  type EventBody,
  type EventOf,
  type EventType,
  type Reserve,
  type Result,
  type Signal,
  ThinkonError,
} from '../../protocol/index.ts'

/** What the journal holds of one operation. `start` is its only event where it has no end of its own. */
export interface OpRecord {
  readonly start: Event
  end: OpEnd | null
  readonly parts: EventOf<'part-end'>[]
  /** What a step still holds. */
  held?: Reserve
  /** A process was performing the step. */
  underWay?: boolean
  /** In a replay: the operation that waits until the end is read. */
  waiting?: { restoreLate(end: OpEnd): void }
}

/** By the operation's number. */
export type Records = Map<number, OpRecord>

/** The last event of an operation that has an end of its own. */
export type OpEnd = EventOf<'model-end' | 'tool-end' | 'signal-answered' | 'block-end'>

const OP_ENDS: ReadonlySet<EventType> = new Set(['model-end', 'tool-end', 'signal-answered', 'block-end'])

export function isOpEnd(event: Event): event is OpEnd {
  return OP_ENDS.has(event.type)
}

/** The end of an operation as its record has it. */
export function endedOf(event: OpEnd): Ended {
  const atMs = Date.parse(event.ts)
  if (event.type === 'model-end' || event.type === 'tool-end') {
    const { result, left, usageProblem } = event
    return { result, atMs, left, usageProblem }
  }
  if (event.type !== 'block-end') return { result: event.result, atMs, left: event.left }
  return { result: { ok: true, value: childEndOf(event) }, atMs, left: event.left }
}

export function childEndOf({ outcome, redo, timeline }: BlockEnd): ChildEnd {
  if (redo === undefined && timeline === undefined) return { outcome }
  return { outcome, ...(redo && { redo }), ...(timeline && { timeline }) }
}

export function takenSignal({ to, name, number, value }: EventOf<'signal-taken'>): Signal {
  return { path: to, name, number, value }
}

/** `model-start fractal/think`: what tells one operation from another. */
export function operationLabel(body: EventBody & { path?: string }): string {
  return `${body.type} ${operationName(body)}`.trim()
}

export function operationName(body: EventBody & { path?: string }): string {
  switch (body.type) {
    case 'model-start':
      return body.request.kind
    case 'tool-start':
    case 'signal-asked':
    case 'signal-taken':
    case 'note':
      return body.name
    case 'block-start':
      return body.path ?? ''
    default:
      return ''
  }
}

/** Throws NON_DETERMINISM unless the record of operation `n` of block `path` is of the operation that is made now. */
export function checkSameOperation(
  start: EventBody & { run: string; path: string },
  path: string,
  n: number,
  type: EventType,
  name: string,
): void {
  const was = operationLabel(start)
  const is = `${type} ${name}`.trim()
  if (was === is) return
  throw new ThinkonError(
    'NON_DETERMINISM',
    `run ${start.run}, block ${path}, operation ${n}: the journal has "${was}", the strategy now makes "${is}". ` +
      'A strategy must do the same when it is executed again: use context.now() and context.random(), keep no state of its own.',
    { data: { n, was, is } },
  )
}

/** Throws unless the block was begun by the strategy and version that would resume it. */
export function checkVersion({ run, path, strategy, seq }: EventOf<'block-start'>, identity: string): void {
  if (strategy === identity) return
  throw new ThinkonError(
    'VERSION_MISMATCH',
    `run ${run}, block ${path} was begun by ${strategy}, here is ${identity}. ` +
      `Resume it with the older version of thinkon, or fork before the block: thinkon fork ${run} --at ${seq - 1}`,
    { data: { was: strategy, is: identity } },
  )
}

/** The name in `name@version`. */
export function strategyName(identity: string): string {
  return identity.slice(0, identity.lastIndexOf('@'))
}

/** The version of a strategy that was not there when its block began. */
export const FAILED_VERSION = '@0'

/** A step that changes the world was under way when the process died (K2). */
export const INTERRUPTED: Result = {
  ok: false,
  error: { code: 'INTERRUPTED', message: 'interrupted: it may or may not have happened' },
}
