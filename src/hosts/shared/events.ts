/** Operations as events: the bodies that both hosts append, key by key in the same order. */
import type { BlockAnswer, BlockSpec, Effect, RunSpec } from '../../kernel/durable.ts'
import {
  type EventBody,
  type EventType,
  JOURNAL_FORMAT,
  type Left,
  type Limits,
  type LostStep,
  type ModelRequest,
  type Outcome,
  type Question,
  type Reserve,
  type Result,
  ROOT_PATH,
  type RunFork,
  type Signal,
  type TimelineEntry,
  type Usage,
} from '../../protocol/index.ts'

type Body<T extends EventType> = EventBody & { type: T }

/**
 * With its place and its time: for the events of every step and block, whose objects are made whole. Fields that come later take more memory
 * and time than all that is in them. Where they are not known yet they are left blank.
 */
type Placed<T extends EventType> = Body<T> & { path: string; atMs: number }

// --- runs and blocks

export function runStart(spec: RunSpec, identity: string): Body<'run-start'> {
  const { goal, options, limits, seed, config } = spec
  return {
    type: 'run-start',
    format: JOURNAL_FORMAT,
    goal,
    strategy: identity,
    options,
    limits,
    seed,
    config,
  }
}

export function runResume(epoch: number, lost: readonly LostStep[], limits?: Limits): Body<'run-resume'> {
  const resume: Body<'run-resume'> = { type: 'run-resume', epoch }
  if (lost.length > 0) resume.lost = lost
  if (limits !== undefined) resume.limits = limits
  return resume
}

export function rootSpec({
  goal,
  strategy,
  options,
}: Pick<RunSpec, 'goal' | 'strategy' | 'options'>): BlockSpec {
  return { path: ROOT_PATH, goal, strategy, options, ancestors: [], timeline: [] }
}

/** What a person said to blocks before they began, by path. */
export type Said = ReadonlyMap<string, string>

/** A block that begins anew in a fork is told what the person said with the redo. */
export function noteSaid(said: Map<string, string>, { redo }: RunFork): void {
  if (redo?.anew) said.set(redo.path, redo.message)
}

/** The block knows what was said to it before it began. */
export function withSaid(spec: BlockSpec, said: Said): BlockSpec {
  // Most runs have none, and a path that was just put together is copied when it is looked up.
  if (said.size === 0) return spec
  const { path } = spec
  const text = said.get(path) ?? ''
  return text === '' ? spec : { ...spec, timeline: [...spec.timeline, { path, kind: 'message', text }] }
}

export function blockStart(
  { goal, options, limits }: BlockSpec,
  n: number,
  identity: string,
  kept: Reserve,
  left: Left,
  path = '',
  atMs = 0,
): Placed<'block-start'> {
  const start: Placed<'block-start'> = {
    type: 'block-start',
    n,
    goal,
    strategy: identity,
    options,
    kept,
    left,
    path,
    atMs,
  }
  if (limits !== undefined) start.limits = limits
  return start
}

/** How a block ends, besides its outcome. */
export interface BlockEnding {
  readonly outside?: true | undefined
  readonly archived?: readonly string[] | undefined
  readonly redo?: { message: string } | undefined
  readonly timeline?: readonly TimelineEntry[] | undefined
}

export function blockEnd(
  n: number,
  outcome: Outcome,
  left: Left,
  { outside, archived, redo, timeline }: BlockEnding,
  path = '',
  atMs = 0,
): Placed<'block-end'> {
  const end: Placed<'block-end'> = { type: 'block-end', n, outcome, left, path, atMs }
  if (outside) end.outside = true
  if (archived !== undefined && archived.length > 0) end.archived = archived
  if (redo !== undefined) end.redo = redo
  if (timeline !== undefined && timeline.length > 0) end.timeline = timeline
  return end
}

/** The outcome of an answer, with what was spent until now. */
export function outcomeOf(
  { status, result, value, details, reason, code, limit, violations }: BlockAnswer,
  { calls, inputTokens, outputTokens, cachedInputTokens, lostTokens, costUsd }: Usage,
): Outcome {
  const outcome: Outcome = { status, result, usage: { calls, inputTokens, outputTokens } }
  if (cachedInputTokens !== undefined) outcome.usage.cachedInputTokens = cachedInputTokens
  if (lostTokens !== undefined) outcome.usage.lostTokens = lostTokens
  if (costUsd !== undefined) outcome.usage.costUsd = costUsd
  if (value !== undefined) outcome.value = value
  if (details !== undefined) outcome.details = details
  if (reason !== undefined) outcome.reason = reason
  if (code !== undefined) outcome.code = code
  if (limit !== undefined) outcome.limit = limit
  if (violations !== undefined) outcome.violations = violations
  return outcome
}

// --- steps

export function stepStart(
  n: number,
  effect: Effect,
  reserve: Reserve,
  path = '',
  atMs = 0,
): Placed<'model-start'> | Placed<'tool-start'> {
  if (effect.kind === 'tool') {
    const { name, input, access, denied, hidden } = effect
    const start: Placed<'tool-start'> = {
      type: 'tool-start',
      n,
      name,
      input,
      access,
      reserve,
      path,
      atMs,
    }
    if (denied !== undefined) start.denied = denied
    if (hidden !== undefined) start.hidden = hidden
    return start
  }
  const start: Placed<'model-start'> = {
    type: 'model-start',
    n,
    request: withoutInput(effect.request),
    reserve,
    path,
    atMs,
  }
  if (effect.closing) start.closing = true
  if (effect.edited) start.edited = true
  return start
}

/** The messages were rendered from the input: the journal holds what was said, not both. */
function withoutInput(request: ModelRequest): Omit<ModelRequest, 'input'> {
  // A list of its own: a strategy may continue its list for the next request.
  const messages = request.messages.slice()
  // Leaving a key out takes several times as long as a copy.
  if (!('input' in request)) return { ...request, messages }
  const { input: _, ...rest } = request
  return { ...rest, messages }
}

export function stepEnd(
  kind: Effect['kind'],
  n: number,
  result: Result,
  usage: Usage,
  left: Left,
  path = '',
  atMs = 0,
): Placed<'model-end'> | Placed<'tool-end'> {
  const type = kind === 'model' ? 'model-end' : 'tool-end'
  // Its result is checked where it is made: a model's is a reply, a tool's any value.
  return { type, n, result, usage, left, path, atMs } as Placed<'model-end'>
}

// --- signals

export function signalAsked(
  n: number,
  name: string,
  question: Question | undefined,
  timeoutMs: number | undefined,
): Body<'signal-asked'> {
  const asked: Body<'signal-asked'> = { type: 'signal-asked', n, name }
  if (question !== undefined) asked.question = question
  if (timeoutMs !== undefined) asked.timeoutMs = timeoutMs
  return asked
}

/** `number` is 0 where no signal answered it. */
export function signalAnswered(
  n: number,
  name: string,
  number: number,
  result: Result,
  left: Left,
): Body<'signal-answered'> {
  return { type: 'signal-answered', n, name, number, result, left }
}

export function signalTaken({ path, name, number, value }: Signal): Body<'signal-taken'> {
  return { type: 'signal-taken', name, number, to: path, value }
}
