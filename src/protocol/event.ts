/**
 * The journal's vocabulary. Every event has a `seq` that counts from 1 without gaps in its run, a time, and the path of
 * the block it belongs to. `n` is the number of the operation in that block (for `block-start` and `block-end`: the
 * number of the call in the parent's block; 0 for the root). Starts and ends balance.
 */
import type { Todo } from './block.ts'
import type { Limits, Reserve, Usage } from './budget.ts'
import type { Goal } from './goal.ts'
import type { KnownTool, ModelReply, ModelRequest } from './model.ts'
import type { Outcome, Result } from './outcome.ts'
import type { Fallbacks, Route, StrategyOptions } from './route.ts'
import type { Question } from './signal.ts'
import type { TimelineEntry } from './timeline.ts'

export const JOURNAL_FORMAT = 1

export interface Stamp {
  seq: number
  /** ISO 8601, UTC, milliseconds. */
  ts: string
  run: string
  path: string
}

/** What is left of the budget after an operation; depth follows from the path. */
export type Left = Omit<Limits, 'depth'>

export interface RunStart {
  type: 'run-start'
  format: number
  goal: Goal
  /** `name@version` */
  strategy: string
  options: unknown
  limits: Limits
  /** Randomness is seeded by this and the path, so that a fork goes the same way. */
  seed: string
  config: RunConfig
}

/** What a later process needs to go on with the run, and a reader to understand it. */
export interface RunConfig {
  thinkon: string
  /** The model's spec or name. */
  model?: string
  workspace?: string
  /** The tools there are. */
  tools?: readonly KnownTool[]
  /** What may be done unasked, and who is asked; nothing is asked without it. */
  approval?: ApprovalConfig
  /** Who solves which block, where its caller leaves that open. */
  routes?: readonly Route[]
  /** Which strategy gets one more try at a block that ended partial. */
  fallbacks?: Fallbacks
  /** Options of strategies that are named without; what is given with the name goes before. */
  strategyOptions?: StrategyOptions
  [key: string]: unknown
}

/** What may be done unasked, as the configuration has it. */
export interface ApprovalRules {
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly deny?: readonly string[]
}

export interface ApprovalConfig extends ApprovalRules {
  readonly workspace: string
  /** `nobody`: what would be asked is denied. `yes`: it is allowed. */
  readonly asks: 'person' | 'nobody' | 'yes'
}

/** Another process goes on with the run. */
export interface RunResume {
  type: 'run-resume'
  epoch: number
}

/** The run shares its past up to `at` with another run. */
export interface RunFork {
  type: 'run-fork'
  from: string
  at: number
  edited: boolean
}

export interface RunEnd {
  type: 'run-end'
  status: Outcome['status']
}

export interface BlockStart {
  type: 'block-start'
  n: number
  goal: Goal
  strategy: string
  options: unknown
  /** Limits of this block's own, within its parent's. */
  limits?: Partial<Limits>
  /** Kept back for closing. */
  kept: Reserve
  left: Left
}

export interface BlockEnd {
  type: 'block-end'
  n: number
  outcome: Outcome
  /** Set when a signal or the parent ended it, not its strategy. */
  outside?: true
  /** Children that had ended and went into `done` on the way out, when it was ended from outside (K1). */
  archived?: readonly string[]
  /** Set when a redo ended it: the parent calls the next attempt in its place. */
  redo?: { message: string }
  /** What the parent's timeline takes over. */
  timeline?: readonly TimelineEntry[]
  left: Left
}

export interface TodoSet {
  type: 'todo-set'
  n: number
  todo: Todo
}

/** Children whose outcomes were appended to `done`, in this order (K1). */
export interface DoneAdd {
  type: 'done-add'
  n: number
  from: string[]
}

export interface ModelStart {
  type: 'model-start'
  n: number
  request: Omit<ModelRequest, 'input'>
  reserve: Reserve
  /** Paid from what the block kept back. */
  closing?: true
}

export interface ModelEnd {
  type: 'model-end'
  n: number
  result: Result<ModelReply>
  usage: Usage
  left: Left
}

export interface ToolStart {
  type: 'tool-start'
  n: number
  name: string
  input: unknown
  /** `read` is run again after a crash; `write` is not, and is on disk before it begins. */
  access: 'read' | 'write'
  /** Why it may not be done: then it is not performed. */
  denied?: string
  reserve: Reserve
}

export interface ToolEnd {
  type: 'tool-end'
  n: number
  result: Result
  usage: Usage
  left: Left
}

/** A numbered part of a step (one ask of a structured model call), paid once even when the step is run again. */
export interface PartEnd {
  type: 'part-end'
  n: number
  part: number
  value: unknown
  usage: Usage
}

export interface SignalAsked {
  type: 'signal-asked'
  n: number
  name: string
  question?: Question
  timeoutMs?: number
}

/** The end of a wait: a signal's value, or a time-out. */
export interface SignalAnswered {
  type: 'signal-answered'
  n: number
  name: string
  /** The signal's number; 0 when the time was up. */
  number: number
  result: Result
  left: Left
}

/** A control signal took effect: at a look (`n` is set) or by interrupting the block. */
export interface SignalTaken {
  type: 'signal-taken'
  n?: number
  /** Which of the block's looks took it, counted from 1: a look that finds nothing leaves no record. */
  look?: number
  name: string
  number: number
  /** Where it was sent to; differs from the block's path when a parent takes a redo of its child. */
  to: string
  value: unknown
}

/** `first` was answered: operation `winner` ended before the others. */
export interface FirstWon {
  type: 'first-won'
  n: number
  winner: number
}

/** The loop guard noticed a repetition (K5). */
export interface LoopFound {
  type: 'loop-found'
  n: number
  kind: 'action' | 'goal'
  what: string
  times: number
}

/** Whatever else a strategy wants on record. */
export interface Note {
  type: 'note'
  n: number
  name: string
  data: unknown
}

export type EventBody =
  | RunStart
  | RunResume
  | RunFork
  | RunEnd
  | BlockStart
  | BlockEnd
  | TodoSet
  | DoneAdd
  | ModelStart
  | ModelEnd
  | ToolStart
  | ToolEnd
  | PartEnd
  | SignalAsked
  | SignalAnswered
  | SignalTaken
  | FirstWon
  | LoopFound
  | Note

export type EventType = EventBody['type']
export type Event = Stamp & EventBody
export type EventOf<T extends EventType> = Stamp & Extract<EventBody, { type: T }>

/** A piece of a reply as it comes in. It has no `seq`: it is not in the journal and may be lost. */
export interface TextDelta {
  type: 'text-delta'
  run: string
  path: string
  n: number
  text: string
}
