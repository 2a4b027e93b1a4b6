/** The engine as its callers see it. */

import type { Replayed } from '../hosts/local/replay.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Listener, ResumeOptions } from '../kernel/durable.ts'
import type { ModelChoices } from '../kernel/model-choice.ts'
import type { OnOutage } from '../kernel/services.ts'
import type { ListedStatus, RunQuery, RunRow, Store } from '../kernel/store.ts'
import type {
  ApprovalConfig,
  Event,
  Fallbacks,
  Goal,
  Limits,
  ModelRetry,
  Outcome,
  Role,
  RoleUsage,
  Route,
  RunConfig,
  RunState,
  StrategyOptions,
} from '../protocol/index.ts'
import type { Imported } from '../store/import-run.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import type { UserTool } from './user-tool.ts'

export interface EngineOptions {
  /**
   * A model, an AI SDK language model, a spec such as `openai:gpt-5` or `module:./my-model.ts`, or one of these with its
   * settings; or a list of these, of which the next answers while the first is out. The default is `embedded:abacus`, which
   * computes and is not a language model.
   */
  model?: ModelChoices
  /** Other models for some roles, or the same with other settings. */
  models?: Partial<Record<Role, ModelChoices>>
  /** How many tokens a request may carry; by default half of the model's window, at most 48,000. A model's own value wins. */
  promptTokens?: number
  /**
   * What happens if no model can be reached (no key, no quota, no server, retries used up). `wait`, the default: the run stops as
   * waiting and can be resumed. `fail`: the step fails, and its strategy deals with it.
   */
  onOutage?: OnOutage
  /** A file to which the traffic with the models is appended, keys removed; `replay:<file>` answers from it. */
  record?: string
  /** Tools, or a function that opens some; these are closed with the engine. */
  tools?:
    | readonly UserTool[]
    | (() => Promise<{ readonly tools: readonly UserTool[]; close(): Promise<void> }>)
  /** A file, ':memory:' (the default) or your own store. */
  store?: string | Store
  /** 'full' (the default): replies survive a power cut. 'normal': they survive kill -9. */
  synchronous?: 'full' | 'normal'
  /** Strategies in addition to the built-in ones; one of the same name replaces a built-in one. */
  strategies?: readonly GivenStrategy[]
  clock?: Clock
  /** Called for each run that is started; what it gives is recorded as `signature`, by which you know your own runs. Exports have none. */
  sign?(config: RunConfig): string | null
}

export interface StartOptions {
  strategy?: string
  /** The strategy's own options. */
  options?: Record<string, unknown>
  /** Default options of strategies, by name; options given where a strategy is chosen override them. */
  strategyOptions?: StrategyOptions
  /** Which strategy solves a block if its caller leaves that open: the first match counts. Recorded with the run. */
  routes?: readonly Route[]
  /** By strategy: which one tries its block once more if it ended partial with budget left. Recorded with the run. */
  fallbacks?: Fallbacks
  budget?: Partial<Limits>
  /** Cancels the run when it is aborted. */
  signal?: AbortSignal
  /** Gets every event once it is recorded, streamed text, and failed attempts of models. */
  onEvent?: Listener
  /** The run's id; an existing run is resumed. */
  id?: string
  /** Makes randomness repeatable across runs. */
  seed?: string
  /** The folder to work in; recorded, for when the run is resumed. */
  workspace?: string
  /** What tools may do without asking, and who is asked; without it they may do everything. Holds for the whole run. */
  approval?: ApprovalConfig
}

export interface ForkOptions extends ResumeOptions {
  /** Refuse before anything is written what `resume` would refuse; `strict` does so, too. */
  toResume?: boolean
}

/** `roles`: what each model role and the tools have spent of `usage`. */
export type RunOutcome = Outcome & { roles: RoleUsage; run: string }

export interface Run {
  readonly id: string
  /** Rejects only if the run can't continue here, or waits for its model (MODEL_OUTAGE); it can then be resumed. */
  readonly outcome: Promise<RunOutcome>
  /** Every event from the first on, until the run ends or stops here; also failed attempts of models, which have no `seq`. */
  readonly events: AsyncIterable<Event | ModelRetry>
  signal(path: string, name: string, value?: unknown): Promise<void>
  cancel(reason?: string): Promise<void>
}

export interface HouseOptions {
  /** Stops freeing; what was deleted stays deleted, and the rest is freed the next time. */
  signal?: AbortSignal
  onProgress?(done: number, of: number): void
}

export interface PruneOptions extends HouseOptions {
  /** Only runs in which nothing has happened for so long. */
  olderThanMs?: number
  /** The newest so many stay. */
  keep?: number
  /** By default runs that have ended. Runs that a process works on always stay. */
  status?: ListedStatus | readonly ListedStatus[]
  /** Nothing is deleted. */
  dryRun?: boolean
}

export interface Pruned {
  /** What was deleted, or would be. */
  readonly runs: readonly RunRow[]
  /** For later runs to use; `compact` gives it back to the disk. */
  readonly freedBytes: number
}

export interface Engine {
  start(goal: Goal, options?: StartOptions): Promise<Run>
  /** Resumes a run that was stopped. What has changed since then is in its event `run-resume`. */
  resume(run: string, options?: Pick<StartOptions, 'signal' | 'onEvent'> & ResumeOptions): Promise<Run>
  /** Throws what `resume` would refuse the run with. Writes nothing. */
  check(run: string, options?: ResumeOptions): Promise<void>
  /** Executes the run again from its journal, calling nothing. */
  replay(run: string): Promise<Replayed>
  /** A new run that shares the journal up to event `at`. Files and other side effects are not rolled back. */
  fork(run: string, at: number, edit?: Record<string, unknown>, options?: ForkOptions): Promise<string>
  /** Solves a block again. Returns the run in which it happens: a fork if the run has ended. */
  redo(run: string, path: string, message: string, options?: ForkOptions): Promise<string>
  signal(run: string, path: string, name: string, value?: unknown): Promise<void>
  /** Newest first. `status`: `running` is a run that a process works on, `stopped` one that none does. */
  list(query?: RunQuery): Promise<RunRow[]>
  /** How many there are, whatever the limit. */
  count(query?: RunQuery): Promise<number>
  state(run: string): Promise<RunState>
  /**
   * The state of a run without what lies inside blocks that have ended: open blocks, and children of open blocks. Of a large run it is
   * read much faster. Usage and time are those of the whole run. `follow` sees each event that is read for it.
   */
  outline(run: string, follow?: (event: Event) => void): Promise<RunState>
  events(run: string, from?: number): Promise<Iterable<Event>>
  /** Deletes runs, or none of them if one is being worked on. Forks of them stay whole. */
  delete(runs: string | readonly string[], options?: HouseOptions): Promise<{ freedBytes: number }>
  /** Deletes old runs. */
  prune(options: PruneOptions): Promise<Pruned>
  /** Gives freed space back to the disk; returns how many bytes. Nobody may work on a run meanwhile. */
  compact(): Promise<number>
  /** The run as the lines of a file, which `import` reads. */
  export(run: string): Promise<AsyncIterable<string>>
  /** Adds a run from such a file, in chunks of any size; `as` is its new id. A store that has this run already stays as it is. */
  import(
    file: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    options?: { as?: string; signal?: AbortSignal },
  ): Promise<Imported>
  /** Detaches from running runs, which can be resumed later, and closes the store. */
  close(): Promise<void>
}
