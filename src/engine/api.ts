/** The engine as its callers see it. */

import type { Replayed } from '../hosts/local/replay.ts'
import type { Clock } from '../kernel/clock.ts'
import type { EngineHost, JoinOptions, Kernel, Listener, ResumeOptions } from '../kernel/durable.ts'
import type { ModelChoices } from '../kernel/model-choice.ts'
import type { RunKey } from '../kernel/run-key.ts'
import type { OnOutage } from '../kernel/services.ts'
import type { AsyncStore, QuestionQuery, RunOrigin, RunQuery, RunRow, Store } from '../kernel/store.ts'
import type {
  ApprovalConfig,
  Event,
  ForkEdit,
  Goal,
  KnownTool,
  Limits,
  ModelRetry,
  Outcome,
  PendingQuestion,
  Role,
  RoleUsage,
  RunState,
  Standing,
  Status,
  TextDelta,
} from '../protocol/index.ts'
import type {
  AnyOwn,
  OptionsByName,
  OptionsOf,
  StrategyFallbacks,
  StrategyName,
  StrategyRoute,
} from '../protocol/strategy-registry.ts'
import type { Imported } from '../store/import-run.ts'
import type { GivenStrategy, InferredStrategies } from '../strategies/strategy-module.ts'
import type { RunQuestion } from '../streams/run-questions.ts'
import type { ThoughtStep } from '../views/thoughts.ts'
import type { UIMessageChunk } from '../views/ui-message-chunk.ts'
import type { UIMessageOptions } from '../views/ui-message-chunks.ts'
import type { OnQuestion } from './attendance.ts'
import type { GivenSchema, InferOutput } from './schemas/given-schema.ts'
import type { CallerTool } from './tools/caller-tools.ts'
import type { ToolSources } from './tools/tool-source.ts'

export interface EngineOptions<Strategies extends InferredStrategies = readonly GivenStrategy[]> {
  /**
   * A model, an AI SDK language model, a spec such as `openai:gpt-5` or `module:./my-model.ts`, or one of these with its
   * settings; or a list of these, of which the next answers while the first is out. The default is `embedded:mini`, a
   * small language model for arithmetic, which is often wrong.
   */
  model?: ModelChoices
  /** Other models for some roles, or the same with other settings. Default: `model`. */
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
  /**
   * One source of tools, or a list: a `tool()`, a record of AI SDK tools, what `builtinTools()` or `mcpTools()` returns. What is opened
   * is closed with the engine. Default: none.
   */
  tools?: ToolSources
  /** The folder of runs that name none. Default: that of `builtinTools()`, or the current one. */
  workspace?: string
  /** A file, ':memory:' (the default) or your own store. */
  store?: string | Store | AsyncStore
  /** Where runs are executed and kept, if not in this process and its store: what `cluster()` of `thinkon/cluster` returns. */
  host?: HostOpener
  /** 'full' (the default): replies survive a power cut. 'normal': they survive kill -9. */
  synchronous?: 'full' | 'normal'
  /** Strategies in addition to the built-in ones; one of the same name replaces a built-in one. */
  strategies?: Strategies
  /** The time, for tests. The system's, unless given. */
  clock?: Clock
  /**
   * Signs the runs that are written to the store, so that `origin` recognises them: one key for all processes that work on the same runs, of at
   * least 32 characters. A function is called once, when the key is first needed. Signatures are in no event, export or page.
   */
  key?: RunKey
}

/** Called once, on the engine's first use. */
export type HostOpener = () => Promise<OpenedHost>

export interface OpenedHost {
  /** Closed with the engine. */
  readonly store: AsyncStore
  hostOf(kernel: Kernel): EngineHost
}

/** Paths in rules are relative to the run's workspace. */
export type ApprovalOptions = Omit<ApprovalConfig, 'workspace'> & Partial<Pick<ApprovalConfig, 'workspace'>>

/** `Own` are the options, by name, of strategies that were given to the engine. */
export interface StartOptions<
  Output extends GivenSchema = never,
  Name extends StrategyName = StrategyName,
  Own = AnyOwn,
> {
  /** `auto`, unless given. */
  strategy?: Name
  /** The strategy's own options, typed by its name. */
  options?: OptionsOf<Name, Own>
  /** Default options of strategies, by name; options given where a strategy is chosen override them. */
  strategyOptions?: OptionsByName<Own>
  /** Which strategy solves a block if its caller leaves that open: the first match counts. Recorded with the run. */
  routes?: readonly StrategyRoute<Own>[]
  /** By strategy: which one tries its block once more if it ended partial with budget left. Recorded with the run. */
  fallbacks?: StrategyFallbacks<Own>
  /** For the whole run. Default: depth 8, 2,000,000 tokens, 1,000 calls, an hour of active time, 10 US dollars. */
  budget?: Partial<Limits>
  /**
   * What the result is to be as a value: any Standard Schema (zod, Valibot, ArkType …), a JSON Schema or `{ json, check }`. The run is
   * `completed` only with a value that fits, which is the outcome's `value`. Its JSON Schema is recorded with the run.
   */
  output?: Output
  /** Cancels the run when it is aborted. */
  signal?: AbortSignal
  /** Gets every event once it is recorded, streamed text, and failed attempts of models. */
  onEvent?: Listener
  /**
   * Receives each open question once, with `answer()`; several may be open at once. A run without `approval` then asks for what it would
   * deny otherwise.
   */
  onQuestion?: OnQuestion
  /** The run's id; an existing run is resumed. Made up, unless given. */
  id?: string
  /** Makes randomness repeatable across runs. Made up, unless given. */
  seed?: string
  /** The folder that the run's tools work in: recorded, so that a resume from anywhere uses it. Default: the engine's. */
  workspace?: string
  /**
   * What tools may do without asking, and who is asked. `allow-all`: every tool may do everything. Without it, your own tools may
   * do everything; built-in tools and MCP servers may read, and ask for the rest if the run has `onQuestion` or its `questions` are iterated,
   * else they are denied. Holds for the whole run.
   */
  approval?: ApprovalOptions | 'allow-all'
  /**
   * Tools that you execute: a call is a step `tool` of `run.thoughts` with a `question`, and the block waits until
   * `run.answer(result, { question })` gives the result, also in another process. Not for `solve`, which has no run to give it to.
   */
  callerTools?: readonly CallerTool[]
  /** Who starts it, such as `service`: recorded, so that you find your runs again. Exports have none. */
  startedBy?: string
}

export interface ForkOptions extends ResumeOptions {
  /** Refuse before anything is written what `resume` would refuse; `strict` does so, too. */
  toResume?: boolean
}

export interface ResumeRunOptions<Output extends GivenSchema = never>
  extends Pick<StartOptions<Output>, 'signal' | 'onEvent' | 'onQuestion' | 'output'>,
    JoinOptions {}

/** `roles`: what each model role and the tools have spent of `usage`. */
export interface EndedRun extends Omit<Outcome, 'value'> {
  roles: RoleUsage
  run: string
}

/** Of a run with an `output`: `completed` implies a value. */
export type EndedWithValue<Value> =
  | (EndedRun & { status: 'completed'; value: Value })
  | (EndedRun & { status: Exclude<Status, 'completed'>; value?: Value })

/** Of a run with an `output`, `Value` is what its schema makes; without one there is no value. */
export type RunOutcome<Value = never> = [Value] extends [never] ? EndedRun : EndedWithValue<Value>

/** The same by the schema: in a generic function, too, it is clear whether there is one. */
export type OutcomeOf<Output extends GivenSchema> = [Output] extends [never]
  ? EndedRun
  : EndedWithValue<InferOutput<Output>>

/**
 * Every event from the first on, until the run ends or stops here; also failed attempts of models, which have no `seq`. Each reader gets
 * all of them, in order: nothing of a block before its `block-start`.
 */
export interface RunEvents extends AsyncIterable<Event | ModelRetry> {
  /**
   * With `deltas`: also the text that models write, as it comes, between the start and the end of its step. `from` is the number of the
   * first event, 1 unless given. `signal` ends the iteration.
   */
  with(options: {
    deltas?: boolean
    from?: number
    signal?: AbortSignal
  }): AsyncIterable<Event | ModelRetry | TextDelta>
}

export type Run<Value = never> = RunEndingAs<RunOutcome<Value>>

export interface RunEndingAs<Ended> {
  readonly id: string
  /** Rejects only if the run can't continue here, or waits for its model (MODEL_OUTAGE); it can then be resumed. */
  readonly outcome: Promise<Ended>
  /**
   * Another process works on the run. Its events are read from the store, without text as it is streamed; signals reach it there. If that
   * process dies or stops, the run continues in this one.
   */
  readonly isFollowed: boolean
  readonly events: RunEvents
  /**
   * The answer's text as it is written, clean whatever form the model's reply has. Joined, it is the outcome's `result`. Each reader gets
   * all of it. Throws what `outcome` rejects with, after what was written; and if an answer that was being written broke off or was
   * cancelled, so that the result is another text (TEXT_REPLACED, CANCELLED).
   */
  readonly text: AsyncIterable<string>
  /**
   * The run as steps that people read: what is worked on, planned, thought, called, asked and found. A step is given again, whole, as it
   * grows: `id` says which it is. Each reader gets all of them. Throws what `outcome` rejects with, after the last of them.
   */
  readonly thoughts: AsyncIterable<ThoughtStep>
  /**
   * The run as a UI message stream of the AI SDK, for `createUIMessageStreamResponse({ stream })` and `useChat`: reasoning, tools, the
   * tree (`data-thinkon-tree`), the answer's text, metadata with status and usage. Whoever stops reading leaves the run as it is.
   */
  toUIMessageStream(options?: UIMessageOptions): ReadableStream<UIMessageChunk>
  /** The open questions, and each that is asked later, until the run ends or stops here. */
  readonly questions: AsyncIterable<RunQuestion>
  /** Answers an open question, as `engine.answer` does. */
  answer(value: unknown, options?: { question?: number }): Promise<void>
  /** Steers it: `message`, `skip`, `redo`, or a name that a strategy waits for. Does nothing once it has ended. */
  signal(path: string, name: string, value?: unknown): Promise<void>
  /** Ends it for good, with what it has. Does nothing once it has ended. */
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
  status?: Standing | readonly Standing[]
  /** Nothing is deleted. */
  dryRun?: boolean
}

export interface Pruned {
  /** What was deleted, or would be. */
  readonly runs: readonly RunRow[]
  /** For later runs to use; `compact` gives it back to the disk. */
  readonly freedBytes: number
}

/** `Own` are the options, by name, of the strategies that it was created with. */
export interface Engine<Own = AnyOwn> {
  start<const Output extends GivenSchema = never, const Name extends StrategyName<Own> = 'auto'>(
    goal: Goal,
    options?: StartOptions<Output, Name, Own>,
  ): Promise<RunEndingAs<OutcomeOf<Output>>>
  /**
   * Resumes a run that was stopped. What has changed since then is in its event `run-resume`. A run that was started with an `output` is
   * checked against its JSON Schema; give the schema again for its own checks, and for the type of the value.
   */
  resume<const Output extends GivenSchema = never>(
    run: string,
    options?: ResumeRunOptions<Output>,
  ): Promise<RunEndingAs<OutcomeOf<Output>>>
  /** Throws what `resume` would refuse the run with. Writes nothing. */
  check(run: string, options?: ResumeOptions): Promise<void>
  /** Executes the run again from its journal, calling nothing. */
  replay(run: string): Promise<Replayed>
  /**
   * A new run that shares the journal up to event `at`, in which `edit` stands instead: a goal, a result, an answer, or the prompt of a
   * model call that begins there. Files and other side effects are not rolled back.
   */
  fork(run: string, at: number, edit?: ForkEdit, options?: ForkOptions): Promise<string>
  /** Solves a block again. Returns the run in which it happens: a fork if the run has ended. */
  redo(run: string, path: string, message: string, options?: ForkOptions): Promise<string>
  /** Open questions of all runs, also of those that no process works on; oldest first. Those for a person, unless `for` is given. */
  questions(query?: QuestionQuery): Promise<PendingQuestion[]>
  /** How many there are, whatever the limit. */
  countQuestions(query?: QuestionQuery): Promise<number>
  /**
   * Answers an open question, also while no process works on the run. `question` is its `id`; it can be left out if the run has one open
   * question. Throws QUESTION_NOT_OPEN if it was answered, withdrawn or timed out, INVALID_ANSWER if the value is none of its choices or
   * does not fit its schema.
   */
  answer(run: string, value: unknown, options?: { question?: number }): Promise<void>
  /**
   * Steers a run, also one of another process: `message`, `skip`, `redo`, `cancel`, or a name that the block's strategy declares
   * or waits for. Throws BAD_INPUT for other names and for unknown blocks.
   */
  signal(run: string, path: string, name: string, value?: unknown): Promise<void>
  /** Newest first. `status`: `running` is a run that a process works on, `stopped` one that none does. */
  list(query?: RunQuery): Promise<RunRow[]>
  /** One of them. */
  row(run: string): Promise<RunRow>
  /** How many there are, whatever the limit. */
  count(query?: RunQuery): Promise<number>
  /** The tree of a run with all that its blocks have done. */
  state(run: string): Promise<RunState>
  /**
   * The state of a run without what lies inside blocks that have ended: open blocks, and children of open blocks. Of a large run it is
   * read much faster. Usage and time are those of the whole run. `follow` sees each event that is read for it.
   */
  outline(run: string, follow?: (event: Event) => void): Promise<RunState>
  /** What is recorded of a run, from an event's number on (1, unless given) up to another (the last). */
  events(run: string, from?: number, to?: number): Promise<Iterable<Event>>
  /** The tools that it offers to models. */
  tools(): Promise<readonly KnownTool[]>
  /** Deletes runs, or none of them if one is being worked on. Forks of them stay whole. */
  delete(runs: string | readonly string[], options?: HouseOptions): Promise<{ freedBytes: number }>
  /** Deletes old runs. */
  prune(options: PruneOptions): Promise<Pruned>
  /** Gives freed space back to the disk; returns how many bytes. Nobody may work on a run meanwhile. */
  compact(): Promise<number>
  /**
   * Copies the store as it is now to a new file, while processes work on runs in it; the runs of the copy can be resumed. This process does
   * nothing else meanwhile: for a large store, `thinkon backup` does it in another process.
   */
  backup(file: string): Promise<void>
  /**
   * Whether everything in the run's journal and inbox was written with the `key` of this engine. A run that was imported, or that came with
   * a store, was not: to resume it is to do what its journal contains.
   */
  origin(run: string): Promise<RunOrigin>
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
