/**
 * The journal's vocabulary. Every event has a `seq` that counts from 1 without gaps in its run, a time, and the path of
 * the block it belongs to. `n` is the number of the operation in that block (for `block-start` and `block-end`: the
 * number of the call in the parent's block; 0 for the root). Starts and ends balance.
 */
import type { Todo } from './block.ts'
import type { Limits, Reserve, Usage } from './budget.ts'
import type { Goal } from './goal.ts'
import type { KnownTool, ModelReply, ModelRequest, Role } from './model.ts'
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
  /** How much of the time since the event before was not active: the machine slept, or its clock was set. */
  inactiveMs?: number
}

/** What is left of the budget after an operation: neither spent nor kept back for closing. Depth follows from the path. */
export interface Left extends Omit<Limits, 'depth'> {
  /** How much of that is held by operations under way: what they do not spend comes back. */
  held?: Reserve
}

export interface RunStart {
  type: 'run-start'
  format: number
  goal: Goal
  /** `name@version` */
  strategy: string
  options: unknown
  limits: Limits
  /** Randomness is seeded by this and the path, so that a fork repeats it. */
  seed: string
  config: RunConfig
}

/** Models by their specs or names. */
export interface ModelNames {
  /** Of all roles without one of their own. */
  model?: string
  /** Of roles with one of their own. */
  models?: Readonly<Partial<Record<Role, string>>>
}

/** What a later process needs to resume the run, and a reader to understand it. */
export interface RunConfig extends ModelNames {
  thinkon: string
  /** How many tokens a request may carry, by role. Older journals lack it. */
  promptTokens?: Readonly<Partial<Record<Role, number>>>
  /** Context windows by role, of models that say theirs. */
  windows?: Readonly<Partial<Record<Role, number>>>
  workspace?: string
  /** The available tools. */
  tools?: readonly KnownTool[]
  /** Names of tools that are not offered, because each of their calls would be denied: by a rule, or because nobody is there to permit it. */
  withheld?: readonly string[]
  /** What tools may do without asking, and who is asked; without it nobody is asked. */
  approval?: ApprovalConfig
  /** Which strategy solves which block, if its caller leaves that open. */
  routes?: readonly Route[]
  /** Which strategy gets one more try at a block that ended partial. */
  fallbacks?: Fallbacks
  /** Default options of strategies; options given with a strategy's name override them. */
  strategyOptions?: StrategyOptions
  /** JSON Schema of the value that the run's result is to be given as. */
  output?: Readonly<Record<string, unknown>>
  /** Who started the run in this store, such as `service`; see StartOptions. */
  startedBy?: string
  [key: string]: unknown
}

/** What tools may do without asking, as configured. */
export interface ApprovalRules {
  /** Rules such as `read`, `write(src/**)`, `shell(npm test *)`: done without asking. Default: `read`. */
  readonly allow?: readonly string[]
  /** A person is asked. Default: `write`, `network`, `execute`. */
  readonly ask?: readonly string[]
  /** Never done. Default: none. */
  readonly deny?: readonly string[]
}

export interface ApprovalConfig extends ApprovalRules {
  /** The folder that paths in rules are relative to. */
  readonly workspace: string
  /** `nobody`: what would be asked is denied. `yes`: it is allowed. */
  readonly asks: 'person' | 'nobody' | 'yes'
}

/** Another process resumes the run. */
export interface RunResume {
  type: 'run-resume'
  epoch: number
  /** Steps that were under way when the last process died. What they had reserved is spent; they are performed again. */
  lost?: readonly LostStep[]
  /** The run's limits from now on, if they were raised. */
  limits?: Limits
  /** What is not as it was when the run was last worked on. These open blocks continue with what is here now. */
  changes?: readonly ResumeChange[]
}

export type ResumeChange = ModelChange | PromptChange

export interface ModelChange {
  what: 'model'
  /** Absent if all roles have changed from the same model to the same. */
  role?: Role
  was: string
  is: string
  blocks: readonly string[]
}

/** A block that is executed again makes a request of this kind in other words than the recorded ones. */
export interface PromptChange {
  what: 'prompt'
  kind: string
  blocks: readonly string[]
}

export interface LostStep {
  path: string
  n: number
  usage: Usage
}

/**
 * The run stops until its models can be reached again: no work is left but these steps, which stay open. The next
 * `run-resume` asks again.
 */
export interface RunWait {
  type: 'run-wait'
  steps: readonly OutageStep[]
}

/** A step that waits for its model. */
export interface OutageStep {
  path: string
  n: number
  model: string
  /** In the provider's words. */
  message: string
  /** The status of its HTTP response, if there was one. */
  status?: number
}

/** The run shares its journal up to `at` with another run. */
export interface RunFork {
  type: 'run-fork'
  from: string
  at: number
  edited: boolean
  /** Made to redo a block: of the events up to `at`, those that depended on it were left out. */
  redo?: ForkRedo
}

export interface ForkRedo {
  path: string
  message: string
  /** The block begins anew and knows the message; without it, its end asks for another attempt. */
  anew?: true
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
  /** This block's own limits, within its parent's. */
  limits?: Partial<Limits>
  /** Reserved for closing. */
  kept: Reserve
  left: Left
}

export interface BlockEnd {
  type: 'block-end'
  n: number
  outcome: Outcome
  /** Set if a signal or the parent ended the block rather than its strategy. */
  outside?: true
  /** Ended children that were archived into `done` when the block was ended from outside (K1). */
  archived?: readonly string[]
  /** Set if a redo ended the block: the parent calls the next attempt in its place. */
  redo?: { message: string }
  /** The entries that the parent's timeline takes over. */
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
  /** Paid from what the block reserved for closing. */
  closing?: true
  /** A person edited the request in a fork: it is not the one that the strategy makes. */
  edited?: true
}

export interface ModelEnd {
  type: 'model-end'
  n: number
  result: Result<ModelReply>
  usage: Usage
  left: Left
  /** The problem with the usage that the model or tool object reported, if an estimate replaced it. */
  usageProblem?: string
}

export interface ToolStart {
  type: 'tool-start'
  n: number
  name: string
  input: unknown
  /** After a crash a `read` is run again, a `write` is not: its start is on disk before it runs. */
  access: 'read' | 'write'
  /** Why the call was denied: it is not performed. */
  denied?: string
  /** A model named a tool that models are not offered: to the model there is no such tool. */
  hidden?: true
  reserve: Reserve
}

export interface ToolEnd {
  type: 'tool-end'
  n: number
  result: Result
  usage: Usage
  left: Left
  /** The problem with the usage that the model or tool object reported, if an estimate replaced it. */
  usageProblem?: string
}

/**
 * A further part of a step is admitted: the first is paid from what the step has reserved. Of a step that a kill has lost, the first is
 * admitted again, too.
 */
export interface PartStart {
  type: 'part-start'
  n: number
  part: number
  reserve: Reserve
}

/** A numbered part of a step (one ask of a structured model call), paid only once even if the step is run again. */
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
  /** The signal's number; 0 if the wait timed out. */
  number: number
  result: Result
  left: Left
}

/** A control signal took effect: when the block polled (`n` is set) or by interrupting it. */
export interface SignalTaken {
  type: 'signal-taken'
  n?: number
  /** Which of the block's polls took it, counted from 1: a poll that finds nothing is not recorded. */
  look?: number
  name: string
  number: number
  /** The path it was sent to; differs from the block's when a parent takes a redo of its child. */
  to: string
  value: unknown
}

/** The result of `first`: operation `winner` ended before the others. */
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

/** Whatever else a strategy records. */
export interface Note {
  type: 'note'
  n: number
  name: string
  data: unknown
}

export type EventBody =
  | RunStart
  | RunResume
  | RunWait
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
  | PartStart
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

/** Whether it belongs to a step, and is neither its start nor its end. */
export function isPart({ type }: Event): boolean {
  return type === 'part-start' || type === 'part-end'
}

/** What is told while it happens. It has no `seq`: it is not in the journal and may be lost. */
export type Ephemeral = TextDelta | ModelRetry | FolderWritten

/** A folder that a strategy's view leaves for people, such as the log folder of a search, was written. */
export interface FolderWritten {
  type: 'folder-written'
  run: string
  /** The block that it is about. */
  path: string
  /** Where it is, absolute. */
  folder: string
}

/** A model could not answer. It has no `seq`: it is not in the journal and may be lost. */
export interface ModelRetry extends RetryNote {
  type: 'model-retry'
  run: string
  path: string
  n: number
}

export interface RetryNote {
  model: string
  /** In the provider's words. */
  message: string
  /** The status of its HTTP response, if there was one. */
  status?: number
  /** The attempt that failed, and how many there are. */
  attempt: number
  of: number
  /** Until the next attempt; absent if the step waits for the run to be resumed. */
  waitMs?: number
}

/** A piece of a streamed reply. It has no `seq`: it is not in the journal and may be lost. */
export interface TextDelta {
  type: 'text-delta'
  run: string
  path: string
  n: number
  text: string
}
