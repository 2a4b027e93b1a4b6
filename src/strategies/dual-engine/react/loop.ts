/**
 * The loop of a task, and the actions it can take: types alone. All that a loop knows follows from what its block consumed. An
 * action is data and functions of its parameters: a schema, a switch, a verifier, and a handler that either begins operations
 * (and may then run in the background of the loop) or runs to an end.
 */
import type { Conversation } from '../../../kernel/brief/conversation.ts'
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import type { KnownTool, Result } from '../../../protocol/index.ts'
import type { DualNotes } from '../notes.ts'
import type { Observation } from '../prompts/observation.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import type { Scope } from '../scope.ts'

export interface Loop extends Scope {
  readonly context: Context<DualOptions, DualNotes>
  readonly brief: TaskBrief
  /** How far the plan is, as it was last looked at. */
  progress: Pick<TaskBrief, 'progress' | 'current'>
  /** The tools that this loop may call. */
  readonly tools: readonly KnownTool[]
  /** What is on the table, then all that was decided, observed and said. */
  readonly conversation: Conversation
  /** The actions that were available when the loop began: what its rules list. */
  readonly listed: readonly Action[]
  /** What was done, for programs behind the model port. */
  readonly history: Done[]
  /** What spinning is recognised by. */
  readonly records: ActionRecord[]
  /** Plans that were asked for. */
  plans: number
  iteration: number
  /** Spins of equal actions. */
  spins: number
  /** How often in a row the model has judged that the loop goes round in circles. */
  circles: number
  /** What earlier runs remember about the task, as far as the model knows it, by ids. */
  readonly memories: Set<string>
  /** The action that runs while the loop goes on, if any: one at a time. */
  background: BackgroundAction | null
}

export type Done = Pick<Decision, 'params'> & Observation & { readonly action: string }

/** What the loop did. */
export interface ActionRecord {
  readonly action_type: string
  readonly action_name: string
  readonly action_params: Readonly<Record<string, unknown>>
  readonly iteration_index: number
  /** Stands for the result, which may be long. */
  readonly result_digest: string
}

export interface BackgroundAction extends Omit<Decision, 'thought'> {
  readonly begun: Begun
  readonly iteration: number
}

export type Params = Readonly<Record<string, unknown>>

export interface Action {
  readonly name: string
  readonly description: string
  /** JSON Schema of its parameters, by name. */
  readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
  /** With `"aside": true` the loop goes on while it runs. */
  readonly mayRunInBackground?: true
  /** Parameters that people like to read while they come in. */
  readonly streamFields: readonly string[]
  /** The option that switches it off. */
  readonly allowedBy?: keyof DualOptions
  /** There is something it could work on. */
  available?(loop: Loop): boolean
  /** What is wrong with the parameters here, as a sentence for the model. */
  verify?(params: Params, loop: Loop): string | null
  begin?(params: Params, loop: Loop): Begun
  run?(params: Params, loop: Loop): Promise<Observation>
}

export interface Begun {
  readonly ops: readonly Op[]
  read(results: readonly Result[]): Observation
}

/** An action that was chosen, and can be taken. */
export interface Decision {
  readonly action: Action
  readonly params: Params
  readonly thought: string
  /** Of a native tool call. */
  readonly callId?: string
}
