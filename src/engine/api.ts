/** The engine as its callers see it. */

import type { Replayed } from '../hosts/local/replay.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Listener } from '../kernel/durable.ts'
import type { RunRow, Store } from '../kernel/store.ts'
import type { ModelChoice } from '../models/open-model.ts'
import type {
  ApprovalConfig,
  Event,
  Fallbacks,
  Goal,
  Limits,
  Outcome,
  Role,
  RoleUsage,
  Route,
  RunState,
  StrategyOptions,
} from '../protocol/index.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import type { UserTool } from './user-tool.ts'

export interface EngineOptions {
  /**
   * A model, an AI SDK language model, a spec such as `openai:gpt-5` or `module:./my-model.ts`, or one of these with its
   * settings. Without one `embedded:abacus` answers, which computes and is no language model.
   */
  model?: ModelChoice
  /** Other models for some roles, or the same with other settings. */
  models?: Partial<Record<Role, ModelChoice>>
  /** A file to which the traffic with the models is appended, keys removed; `replay:<file>` answers from it. */
  record?: string
  /** Tools, or how to open some: they are closed with the engine. */
  tools?:
    | readonly UserTool[]
    | (() => Promise<{ readonly tools: readonly UserTool[]; close(): Promise<void> }>)
  /** A file, ':memory:' (the default) or a store of your own. */
  store?: string | Store
  /** 'full' (the default): replies survive a power cut. 'normal': they survive kill -9. */
  synchronous?: 'full' | 'normal'
  /** Strategies beside those that ship; one of the same name replaces it. */
  strategies?: readonly GivenStrategy[]
  clock?: Clock
}

export interface StartOptions {
  strategy?: string
  /** The strategy's own options. */
  options?: Record<string, unknown>
  /** Options of strategies by name, wherever one is chosen; what is given where it is chosen goes before. */
  strategyOptions?: StrategyOptions
  /** Who solves which block, where its caller leaves that open: the first that fits. Recorded with the run. */
  routes?: readonly Route[]
  /** Who gets a block that ended partial with budget left, once, by who had it. Recorded with the run. */
  fallbacks?: Fallbacks
  budget?: Partial<Limits>
  /** Cancels the run when it is aborted. */
  signal?: AbortSignal
  /** Gets every event once it is recorded, and text as it comes in. */
  onEvent?: Listener
  /** The run's id; a run that exists is gone on with. */
  id?: string
  /** Makes randomness repeatable across runs. */
  seed?: string
  /** The folder in which the work happens; recorded, for whoever goes on with the run. */
  workspace?: string
  /** What tools may do unasked, and who is asked; without it they may do everything. Holds for the whole run. */
  approval?: ApprovalConfig
}

/** `roles`: what each role of the model, and tools, have spent of `usage`. */
export type RunOutcome = Outcome & { roles: RoleUsage; run: string }

export interface Run {
  readonly id: string
  /** How it ends. Rejects only when the run can't go on here; it can then be resumed. */
  readonly outcome: Promise<RunOutcome>
  /** Every event from the first on, until the run ends here. */
  readonly events: AsyncIterable<Event>
  signal(path: string, name: string, value?: unknown): Promise<void>
  cancel(reason?: string): Promise<void>
}

export interface Engine {
  start(goal: Goal, options?: StartOptions): Promise<Run>
  /** Goes on with a run that was stopped. */
  resume(run: string, options?: Pick<StartOptions, 'signal' | 'onEvent'>): Promise<Run>
  /** Runs the whole run again from its journal, calling nothing. */
  replay(run: string): Promise<Replayed>
  /** A new run that shares the past up to event `at`. Files and other effects on the world are not rolled back. */
  fork(run: string, at: number, edit?: Record<string, unknown>): Promise<string>
  /** Has a block solved again. Returns the run it happens in: a fork, when the run has ended. */
  redo(run: string, path: string, message: string): Promise<string>
  signal(run: string, path: string, name: string, value?: unknown): Promise<void>
  list(): Promise<RunRow[]>
  state(run: string): Promise<RunState>
  events(run: string, from?: number): Promise<Iterable<Event>>
  /** Leaves runs that go on, to be resumed later, and closes the store. */
  close(): Promise<void>
}
