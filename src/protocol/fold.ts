/**
 * The fold: the journal's events in, the run's state out (K6). It is the only way to know a run's state.
 *
 * - Linear in the events; its memory is linear in the state (blocks), not in the history (steps are counted, not kept).
 * - Folding the same events twice gives equal states.
 */

import type { Todo } from './block.ts'
import {
  accumulate,
  accumulateRole,
  type Limits,
  NO_USAGE,
  type Reserve,
  type RoleUsage,
  type Usage,
} from './budget.ts'
import { checkArguments } from './check-arguments.ts'
import { checkEvent, events as checkedEvents } from './check-event.ts'
import type { Event, EventOf, ModelChange, OutageStep, RunConfig } from './event.ts'
import type { Goal } from './goal.ts'
import { doneText, type Outcome, type Status } from './outcome.ts'
import { parentPath } from './path.ts'
import { type PendingQuestion, questionOf } from './pending-question.ts'
import { answererOf } from './signal.ts'
import type { Standing, WaitsFor } from './standing.ts'
import { toolCallText } from './tool-call-text.ts'

export interface RunState {
  run: string
  goal: Goal
  strategy: string
  options: unknown
  limits: Limits | null
  config: RunConfig
  /** `stopped` and `waiting` as in lists of runs; a fold of events alone never gives `stopped`. */
  status: Standing
  /** Null unless it is `waiting`. */
  waitsFor: WaitsFor | null
  outcome: Outcome | null
  seq: number
  startedAt: string
  changedAt: string
  /** Time in which something was running: without downtime and waiting for a person. */
  activeMs: number
  usage: Usage
  /** Not spent: what steps under way have reserved and open blocks keep back for closing. */
  held: Reserve
  roles: RoleUsage
  resumes: number
  fork: { from: string; at: number } | null
  /** In order of their start. */
  blocks: Map<string, BlockState>
  /** Number of running steps. */
  openSteps: number
  /** The role of each running step and what it holds, by path and number. */
  running: Map<string, { role: string; reserve: Reserve }>
  /** Number of open questions. */
  openQuestions: number
  /** How many of them the run's caller answers. */
  openCalls: number
  /** The steps that wait for their model: the run has stopped, and asks again when it is resumed. */
  outages: readonly OutageStep[]
}

export interface BlockState {
  path: string
  parent: string | null
  goal: Goal
  strategy: string
  todo: Todo
  done: string[]
  status: 'running' | 'waiting' | Status
  outcome: Outcome | null
  children: string[]
  /** Spent by this block itself. */
  usage: Usage
  /** The open questions, oldest first. */
  questions: PendingQuestion[]
  /** Names of the signals that it waits for. */
  listens: string[]
  /** Kept back for closing. */
  kept: Reserve
  /** What the block is doing: the step that was started last; null if none is running. */
  doing: string | null
  openSteps: number
  loops: number
  startedAt: string
  endedAt: string | null
}

const FOLD = { checks: { events: checkedEvents }, needs: { events: 'the events of a run' } }

export function foldEvents(events: Iterable<Event>): RunState {
  checkArguments('foldEvents', FOLD, [events])
  const state = emptyState()
  for (const event of events) foldEvent(state, event)
  return state
}

export function emptyState(): RunState {
  return {
    run: '',
    goal: '',
    strategy: '',
    options: null,
    limits: null,
    config: { thinkon: '' },
    status: 'running',
    waitsFor: null,
    outcome: null,
    seq: 0,
    startedAt: '',
    changedAt: '',
    activeMs: 0,
    usage: { ...NO_USAGE },
    held: { calls: 0, tokens: 0, costUsd: 0 },
    roles: {},
    resumes: 0,
    fork: null,
    blocks: new Map(),
    openSteps: 0,
    running: new Map(),
    openQuestions: 0,
    openCalls: 0,
    outages: [],
  }
}

/** Applies the next event to `state`, in place. */
export function foldEvent(state: RunState, event: Event): void {
  checkEvent('foldEvent', event)
  countTime(state, event)
  state.seq = event.seq
  state.changedAt = event.ts
  apply(state, state.blocks.get(event.path), event)
  updateStanding(state)
}

function updateStanding(state: RunState): void {
  const isOpen = state.outcome === null
  state.waitsFor = isOpen ? waitsForOf(state) : null
  if (isOpen) state.status = state.waitsFor === null ? 'running' : 'waiting'
}

function waitsForOf({ openQuestions, openCalls, outages }: RunState): WaitsFor | null {
  if (openQuestions > 0) return openQuestions > openCalls ? 'person' : 'caller'
  return outages.length > 0 ? 'model' : null
}

/** Takes the question out of the state: its answer was accepted, and is not in the journal yet. */
export function dropQuestion(state: RunState, path: string, name: string): void {
  closeQuestion(state, state.blocks.get(path), name)
  updateStanding(state)
}

function apply(state: RunState, block: BlockState | undefined, event: Event) {
  switch (event.type) {
    case 'run-start':
      return runStarted(state, event)
    case 'run-fork':
      return runForked(state, event)
    case 'run-resume':
      return runResumed(state, event)
    case 'run-wait':
      return setOutages(state, event.steps)
    case 'run-end':
      state.status = event.status
      return
    case 'block-start':
      return blockStarted(state, event)
    case 'block-end':
      return blockEnded(state, block, event)
    case 'todo-set':
      if (block) block.todo = event.todo
      return
    case 'done-add':
      return archive(state, block, event.from)
    case 'model-start':
    case 'tool-start':
      return stepStarted(state, block, event)
    case 'model-end':
    case 'tool-end':
      return stepEnded(state, block, event)
    case 'part-start':
      return partStarted(state, event)
    case 'part-end':
      return spend(state, block, event)
    case 'signal-asked':
      return signalAsked(state, block, event)
    case 'signal-answered':
      return signalAnswered(state, block, event.name)
    case 'loop-found':
      if (block) block.loops++
      return
    case 'signal-taken':
    case 'first-won':
    case 'note':
      return
    default:
      event satisfies never
  }
}

function runStarted(state: RunState, event: EventOf<'run-start'>): void {
  state.run = event.run
  state.goal = event.goal
  state.strategy = event.strategy
  state.options = event.options
  state.limits = event.limits
  state.config = event.config
  state.startedAt = event.ts
}

function runForked(state: RunState, { run, from, at }: EventOf<'run-fork'>): void {
  state.run = run
  state.fork = { from, at }
  setOutages(state, [])
}

function runResumed(state: RunState, { lost = [], limits, changes = [] }: EventOf<'run-resume'>): void {
  state.resumes++
  for (const change of changes) if (change.what === 'model') state.config = withModel(state.config, change)
  if (limits !== undefined) state.limits = limits
  for (const { path, n, usage } of lost) {
    const step = state.running.get(stepKey({ path, n }))
    accumulate(state.usage, usage)
    accumulateRole(state.roles, step?.role ?? 'tool', usage)
    if (step) setReserve(state, step, NO_RESERVE)
    const block = state.blocks.get(path)
    if (block) accumulate(block.usage, usage)
  }
  setOutages(state, [])
}

/** The model that is used from now on. */
export function withModel(config: RunConfig, { role, is }: ModelChange): RunConfig {
  if (role !== undefined) return { ...config, models: { ...config.models, [role]: is } }
  const { models: _, ...rest } = config
  return { ...rest, model: is }
}

function setOutages(state: RunState, steps: readonly OutageStep[]): void {
  const before = state.outages
  state.outages = steps
  for (const { path } of [...before, ...steps]) {
    const block = state.blocks.get(path)
    if (block?.outcome === null) block.status = openStatus(state, block)
  }
}

function openStatus({ outages }: RunState, { path, questions }: BlockState): 'running' | 'waiting' {
  return questions.length > 0 || outages.some((step) => step.path === path) ? 'waiting' : 'running'
}

function blockStarted(state: RunState, { path, goal, strategy, kept, ts }: EventOf<'block-start'>): void {
  hold(state, kept, 1)
  const parent = parentPath(path)
  if (parent !== null) state.blocks.get(parent)?.children.push(path)
  state.blocks.set(path, {
    path,
    parent,
    goal,
    strategy,
    todo: '',
    done: [],
    status: 'running',
    outcome: null,
    children: [],
    usage: { ...NO_USAGE },
    questions: [],
    listens: [],
    kept,
    doing: null,
    openSteps: 0,
    loops: 0,
    startedAt: ts,
    endedAt: null,
  })
}

function blockEnded(state: RunState, block: BlockState | undefined, event: EventOf<'block-end'>): void {
  if (block === undefined) return
  archive(state, block, event.archived ?? [])
  releaseKept(state, block)
  block.status = event.outcome.status
  block.outcome = event.outcome
  block.endedAt = event.ts
  block.doing = null
  if (block.parent === null) state.outcome = event.outcome
}

function stepStarted(
  state: RunState,
  block: BlockState | undefined,
  event: EventOf<'model-start' | 'tool-start'>,
): void {
  state.openSteps++
  const { reserve } = event
  state.running.set(stepKey(event), {
    role: event.type === 'model-start' ? event.request.role : 'tool',
    reserve,
  })
  hold(state, reserve, 1)
  if (block === undefined) return
  if (event.type === 'model-start' && event.closing) releaseKept(state, block)
  block.openSteps++
  block.doing = event.type === 'model-start' ? event.request.kind : toolCallText(event.name, event.input)
}

function stepEnded(
  state: RunState,
  block: BlockState | undefined,
  event: EventOf<'model-end' | 'tool-end'>,
): void {
  state.openSteps--
  if (block && --block.openSteps === 0) block.doing = null
  spend(state, block, event)
}

function partStarted(state: RunState, event: EventOf<'part-start'>): void {
  const step = state.running.get(stepKey(event))
  if (step) setReserve(state, step, event.reserve)
}

function signalAsked(state: RunState, block: BlockState | undefined, event: EventOf<'signal-asked'>): void {
  const question = questionOf(event)
  if (question === null) block?.listens.push(event.name)
  else if (block !== undefined) {
    countQuestion(state, question, 1)
    block.questions.push(question)
    block.status = 'waiting'
  }
}

function signalAnswered(state: RunState, block: BlockState | undefined, name: string): void {
  const listens = block?.listens.indexOf(name) ?? -1
  if (listens !== -1) block?.listens.splice(listens, 1)
  else closeQuestion(state, block, name)
}

function closeQuestion(state: RunState, block: BlockState | undefined, name: string): void {
  const closed = block?.questions.find((open) => open.name === name)
  if (block === undefined || closed === undefined) return
  countQuestion(state, closed, -1)
  block.questions = block.questions.filter((open) => open !== closed)
  if (block.outcome === null) block.status = openStatus(state, block)
}

function countQuestion(state: RunState, question: PendingQuestion, sign: 1 | -1): void {
  state.openQuestions += sign
  if (answererOf(question) === 'caller') state.openCalls += sign
}

/** The time since the last event was active, unless only questions were open or no process was running. */
function countTime(state: RunState, event: Event): void {
  if (state.changedAt === '' || event.type === 'run-resume' || event.type === 'run-fork') return
  if (state.openSteps === 0 && state.openQuestions > 0) return
  const gap = Date.parse(event.ts) - Date.parse(state.changedAt) - (event.inactiveMs ?? 0)
  if (gap > 0) state.activeMs += gap
}

function archive(state: RunState, block: BlockState | undefined, children: readonly string[]): void {
  for (const child of children) {
    const outcome = state.blocks.get(child)?.outcome
    if (outcome) block?.done.push(doneText(outcome))
  }
}

function spend(
  state: RunState,
  block: BlockState | undefined,
  event: EventOf<'model-end' | 'tool-end' | 'part-end'>,
): void {
  const { usage } = event
  const key = stepKey(event)
  const step = state.running.get(key)
  accumulate(state.usage, usage)
  accumulateRole(state.roles, step?.role ?? 'tool', usage)
  if (block) accumulate(block.usage, usage)
  if (step === undefined) return
  // What a step holds is settled with its end, or its first part.
  setReserve(state, step, NO_RESERVE)
  if (event.type !== 'part-end') state.running.delete(key)
}

/** What the step holds from now on. */
function setReserve(state: RunState, step: { reserve: Reserve }, reserve: Reserve): void {
  hold(state, step.reserve, -1)
  step.reserve = reserve
  hold(state, reserve, 1)
}

function releaseKept(state: RunState, block: BlockState): void {
  hold(state, block.kept, -1)
  block.kept = NO_RESERVE
}

function hold({ held }: RunState, { calls, tokens, costUsd }: Reserve, sign: 1 | -1): void {
  held.calls += sign * calls
  held.tokens += sign * tokens
  // Sums of fractions leave a trace: what is given back again has to come to nothing.
  held.costUsd = Number((held.costUsd + sign * costUsd).toFixed(12))
}

const NO_RESERVE: Reserve = { calls: 0, tokens: 0, costUsd: 0 }

function stepKey({ path, n }: { path: string; n: number }): string {
  return `${path} ${n}`
}
