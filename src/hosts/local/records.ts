/** Operations as events, and events as operations. */

import type { BlockAnswer, BlockSpec, ChildEnd, Effect, Ended } from '../../kernel/durable.ts'
import {
  type EventBody,
  type EventOf,
  type EventType,
  type ModelRequest,
  type Outcome,
  type Question,
  type Reserve,
  type Result,
  type Signal,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import type { Record as OpRecord, Records } from './load.ts'

export function startOf(
  spec: BlockSpec,
  n: number,
  strategy: string,
  kept: Reserve,
  left: Ended['left'],
): EventBody {
  const { goal, options, limits } = spec
  const start: EventBody = { type: 'block-start', n, goal, strategy, options, kept, left }
  if (limits !== undefined) start.limits = limits
  return start
}

export function stepStart(n: number, effect: Effect, reserve: Reserve): EventBody {
  if (effect.kind === 'tool') {
    const { name, input, access, denied } = effect
    const start: EventBody = { type: 'tool-start', n, name, input, access, reserve }
    if (denied !== undefined) start.denied = denied
    return start
  }
  const start: EventBody = { type: 'model-start', n, request: withoutInput(effect.request), reserve }
  if (effect.closing) start.closing = true
  return start
}

export function askOf(
  n: number,
  name: string,
  question: Question | undefined,
  timeoutMs: number | undefined,
): EventBody {
  const asked: EventBody = { type: 'signal-asked', n, name }
  if (question !== undefined) asked.question = question
  if (timeoutMs !== undefined) asked.timeoutMs = timeoutMs
  return asked
}

export function takenOf({ path, name, number, value }: Signal): EventBody & { type: 'signal-taken' } {
  return { type: 'signal-taken', name, number, to: path, value }
}

/** The end of an operation as its record has it. */
export function endedOf(event: EventOf<'model-end' | 'tool-end' | 'signal-answered' | 'block-end'>): Ended {
  const atMs = Date.parse(event.ts)
  if (event.type !== 'block-end') return { result: event.result, atMs, left: event.left }
  const { outcome, redo, timeline, left } = event
  const value: ChildEnd = { outcome, ...(redo && { redo }), ...(timeline && { timeline }) }
  return { result: { ok: true, value }, atMs, left }
}

/** What tells one operation of a kind from another. */
export function nameOfBody(body: EventBody & { path?: string }): string {
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

/** The record at this number, which must be of the same operation; null when there is none yet. */
export function recordAt(
  records: Records,
  n: number,
  type: EventType,
  name: string,
  where: string,
): OpRecord | null {
  const record = records.get(n)
  if (record === undefined) return null
  const was = `${record.start.type} ${nameOfBody(record.start)}`.trim()
  const is = `${type} ${name}`.trim()
  if (was === is) return record
  throw new ThinkonError(
    'NON_DETERMINISM',
    `${where}, operation ${n}: the journal has "${was}", the strategy now makes "${is}". ` +
      'A strategy must do the same when it is executed again: use context.now() and context.random(), keep no state of its own.',
    { data: { n, was, is } },
  )
}

/** A step that changes the world was under way when the process died (K2). */
export const INTERRUPTED: Result = {
  ok: false,
  error: { code: 'INTERRUPTED', message: 'interrupted: it may or may not have happened' },
}

export function versionMismatch(
  { run, path, strategy, seq }: EventOf<'block-start'>,
  identity: string,
): ThinkonError {
  return new ThinkonError(
    'VERSION_MISMATCH',
    `run ${run}, block ${path} was begun by ${strategy}, here is ${identity}. ` +
      `Go on with the older version of thinkon, or fork before the block: thinkon fork ${run} --at ${seq - 1}`,
    { data: { was: strategy, is: identity } },
  )
}

/** The messages were rendered from the input: the journal holds what was said, not both. */
function withoutInput(request: ModelRequest): Omit<ModelRequest, 'input'> {
  // A list of its own: a strategy may go on with its list for the next request.
  const { input: _, ...rest } = request
  return { ...rest, messages: request.messages.slice() }
}

/** The outcome of an answer, with what was spent until now. */
export function outcomeOf(
  { status, result, reason, code, limit, violations }: BlockAnswer,
  usage: Usage,
): Outcome {
  const { calls, inputTokens, outputTokens, costUsd } = usage
  const outcome: Outcome = { status, result, usage: { calls, inputTokens, outputTokens } }
  if (costUsd !== undefined) outcome.usage.costUsd = costUsd
  if (reason !== undefined) outcome.reason = reason
  if (code !== undefined) outcome.code = code
  if (limit !== undefined) outcome.limit = limit
  if (violations !== undefined) outcome.violations = violations
  return outcome
}
