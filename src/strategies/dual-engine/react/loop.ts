/**
 * The loop of a task, and the actions it can take: types alone. All that a loop knows follows from what its block consumed. An
 * action is data and functions of its parameters: a schema, a switch, a verifier, and a handler that either begins operations
 * (and may then run in the background of the loop) or runs to an end.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import type { Result } from '../../../protocol/index.ts'
import type { DualNotes } from '../notes.ts'
import type { Observation } from '../prompts/observation.ts'
import type { LoopState, OfferedAction } from '../prompts/react.ts'
import type { DualOptions } from '../schema.ts'
import type { ActionRecord } from './spin.ts'

export interface Loop extends LoopState {
  readonly context: Context<DualOptions, DualNotes>
  /** What spinning is recognised by. */
  readonly records: ActionRecord[]
  readonly reflections: string[]
  iteration: number
  spins: number
  memories: string
  background: BackgroundAction | null
}

export interface BackgroundAction {
  readonly action: Action
  readonly params: Params
  readonly begun: Begun
  readonly iteration: number
}

export type Params = Readonly<Record<string, unknown>>

export interface Action extends OfferedAction {
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
}
