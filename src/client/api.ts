/** A service as its callers see it: what an engine offers, as far as it goes over HTTP, with the same runs. */
import type { Engine, OutcomeOf, RunEndingAs, StartOptions } from '../engine/api.ts'
import type { GivenSchema } from '../engine/schemas/given-schema.ts'
import type { QuestionQuery, RunFigures, RunQuery, RunRow } from '../kernel/run-query.ts'
import type {
  Event,
  ForkEdit,
  Goal,
  Limits,
  Outcome,
  PendingQuestion,
  RoleUsage,
  RunState,
  Usage,
} from '../protocol/index.ts'
import type { AnyOwn, StrategyName } from '../protocol/strategy-registry.ts'
import type { StrategyViews } from '../views/block-views.ts'
import type { FileChange } from '../views/file-changes.ts'
import type { Form } from '../views/form.ts'
import type { Lang } from '../views/words.ts'

export interface ClientOptions {
  /** Of the service; with the path below which it is mounted, if there is one. */
  url: string | URL
  /** Of `serve.tokens`, or of the file that `thinkon serve` prints. Not needed if `fetch` authorizes the requests. */
  token?: string
  /** By default the one that is there. */
  fetch?: typeof globalThis.fetch
  /** The first pause before a stream that broke off is opened again; it doubles up to 30 seconds. Default: half a second. */
  retryMs?: number
  /** How long a stream tries to reach a service that it has reached before; then it throws. Default: 10 minutes. */
  giveUpMs?: number
  /** A stream that brings nothing for so long is opened again: a service says every 15 seconds that it is there. Default: a minute. */
  silenceMs?: number
  /** Views of strategies of your own, by name: what `text` and `thoughts` read their replies with. */
  views?: StrategyViews
}

/** As for an engine: `strategy` and `options` are typed by the name, `output` makes the type of the value, `signal` cancels the run. */
export interface ClientStartOptions<
  Output extends GivenSchema = never,
  Name extends StrategyName = StrategyName,
  Own = AnyOwn,
> extends Pick<
    StartOptions<Output, Name, Own>,
    'strategy' | 'options' | 'budget' | 'output' | 'seed' | 'signal'
  > {
  /** One of the service's models; the first, unless given. */
  model?: string
  /** Put into the workspace of the service, and named in the goal; bytes are given as base64. */
  files?: readonly ({ name: string } & ({ text: string } | { base64: string }))[]
  /** The run's id: whoever asks again with the same id and goal gets the same run. Made up, unless given. */
  id?: string
}

export interface FollowedRunOptions<Output extends GivenSchema = never> {
  /** The schema that the run was started with, for the type of the value and its own checks. */
  output?: Output
}

export interface ListedRun extends RunRow {
  /** If they were asked for; null for a run whose journal can't be read. */
  figures?: RunFigures | null
  /** Why the service does not resume the run, if it crashed the process twice; a resume tries it again. */
  setAside?: string
}

/** `signal` ends the request, and changes nothing on the run. */
export interface Asked {
  signal?: AbortSignal
}

export interface ListQuery extends RunQuery, Asked {
  /** Also the model of each, what it has spent, and how many questions it has open. */
  figures?: boolean
}

export interface RunDetails extends ListedRun {
  /** Null until it has ended. */
  outcome: Outcome | null
  usage: Usage
  roles: RoleUsage
  activeMs: number
  /** The open ones. */
  questions: PendingQuestion[]
  model: string | null
}

export interface StrategyInfo {
  name: string
  version: number
  summary: string
  /** JSON Schema of its options. */
  options: Record<string, unknown>
}

/** `Own` are the options, by name, of strategies that the service has besides those that ship. */
export interface Client<Own = AnyOwn>
  extends Pick<Engine, 'answer' | 'signal' | 'replay' | 'tools' | 'export' | 'import'> {
  start<const Output extends GivenSchema = never, const Name extends StrategyName<Own> = 'auto'>(
    goal: Goal,
    options?: ClientStartOptions<Output, Name, Own>,
  ): Promise<RunEndingAs<OutcomeOf<Output>>>
  /** A run that is there, to be followed and steered; nothing is asked before it is used. */
  run<const Output extends GivenSchema = never>(
    run: string,
    options?: FollowedRunOptions<Output>,
  ): RunEndingAs<OutcomeOf<Output>>
  /** Newest first, 50 unless `limit` is given; `total` is how many there are, whatever the limit. */
  list(query?: ListQuery): Promise<{ runs: ListedRun[]; total: number }>
  /** How a run stands or ended, what it has spent, what it asks. */
  show(run: string, options?: Asked): Promise<RunDetails>
  /** The tree of a run; `open` leaves out what lies inside blocks that have ended, which is faster. */
  state(run: string, options?: Asked & { open?: boolean }): Promise<RunState>
  /** A page of the journal; `next` is where the next one begins, `last` the last event there is. `run(id).events` follows it. */
  events(
    run: string,
    options?: Asked & { from?: number; limit?: number },
  ): Promise<{ events: Event[]; next: number | null; last: number }>
  /** A block in its strategy's own form, as it was at event `at`, or as it is; null if it has none. `lang`: the goal's, unless given. */
  form(run: string, path: string, options?: { at?: number; lang?: Lang }): Promise<Form | null>
  /**
   * The changes that a call awaiting permission would make to files, compared with their current content. Null if only the text of the
   * question is known.
   */
  changes(run: string, question: number): Promise<FileChange[] | null>
  /** The run as one HTML file that shows it without a service. */
  page(run: string): Promise<string>
  /** Open questions of all runs, oldest first, 50 unless `limit` is given. Those for a person, unless `for` is given. */
  questions(query?: QuestionQuery & Asked): Promise<PendingQuestion[]>
  /** Ends it for good, with what it has. */
  cancel(run: string, reason?: string): Promise<void>
  /** Goes on with a run that has stopped or waits for its model. */
  resume<const Output extends GivenSchema = never>(
    run: string,
    options?: FollowedRunOptions<Output> & { strict?: boolean; budget?: Partial<Limits> },
  ): Promise<RunEndingAs<OutcomeOf<Output>>>
  /** Lets a run that was not started there, and its forks, be resumed; refused unless the service is one person's, as `thinkon studio` is. */
  trust(run: string): Promise<void>
  /** Solves a block again. Returns the run in which it happens: a fork if the run has ended. */
  redo(run: string, path: string, message?: string): Promise<string>
  /**
   * A new run that shares the journal up to event `at`, in which `edit` stands instead: a goal, a result, an answer, or a prompt. It goes on
   * at once, with `model` if one is given, unless `resume` is false.
   */
  fork(
    run: string,
    at: number,
    options?: { edit?: ForkEdit; model?: string; resume?: boolean },
  ): Promise<string>
  delete(run: string): Promise<{ freedBytes: number }>
  /** The models that a run may use, the first of them the default, and the most that a run may be given. */
  models(): Promise<{ models: { model: string; isDefault: boolean }[]; budget: Limits }>
  strategies(): Promise<StrategyInfo[]>
  blueprints(): Promise<{
    blueprints: { name: string; verbose_name?: string; description?: string; parameters?: unknown }[]
    /** Files that can't be used. */
    broken: { name: string; message: string }[]
  }>
  /** Needs no token. */
  health(): Promise<{ ok: boolean }>
}
