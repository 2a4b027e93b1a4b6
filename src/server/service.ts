/**
 * What every front door works with: an engine that stays open, what runs are started with, and how they are found again.
 *
 * 1. A request is data: it names models, limits and paths that the operator has allowed, and nothing else.
 * 2. Runs that the service starts are marked in their recorded configuration. A service that is started again goes on with them, and leaves
 *    those of others alone.
 * 3. A run that waits for its model is tried again, after pauses that grow.
 * 4. `close` leaves all runs so that they can be resumed.
 * 5. After a crash the runs that may have caused it are resumed one at a time. One that has crashed two processes is set aside: the
 *    service works without it until a caller resumes it (see crash-record.ts).
 */
import type { Engine, OutcomeOf, Run, RunEndingAs, StartOptions } from '../engine/api.ts'
import { type AskedRun, requireSameRun } from '../engine/same-run.ts'
import type { GivenSchema } from '../engine/schemas/given-schema.ts'
import type { CallerTool } from '../engine/tools/caller-tools.ts'
import type { Listener } from '../kernel/durable.ts'
import { originReason } from '../kernel/run-key.ts'
import type { RunRow } from '../kernel/run-query.ts'
import type { RunOrigin } from '../kernel/store.ts'
import {
  defined,
  ENDED,
  type Event,
  type EventOf,
  errorText,
  type Goal,
  type Limits,
  type ModelRetry,
  type RunConfig,
  type TextDelta,
  ThinkonError,
} from '../protocol/index.ts'
import { type Strategies, withOwn } from '../strategies/registry.ts'
import type { GivenStrategy } from '../strategies/strategy-module.ts'
import { crashRecord, type MarkStanding } from './crash-record.ts'
import { type FollowOptions, followRun } from './follow-run.ts'
import { routedEngine } from './routed-engine.ts'
import { runsAtWork } from './runs-at-work.ts'
import { type Caller, missingScope, SCOPES, type Scope } from './scopes.ts'
import {
  allowedBudget,
  allowedModel,
  requireFits,
  requireInside,
  requireWhole,
  START_REQUEST,
  type StartRequest,
  takeFiles,
} from './start-request.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

export type { FollowOptions } from './follow-run.ts'
export type { StartRequest } from './start-request.ts'

export interface Service {
  /** To look at runs, steer, fork and delete them, whoever works on them. */
  readonly engine: Engine
  /** With the operator's own. */
  readonly strategies: Strategies
  readonly workspace: string | undefined
  /** Specs that a request may name; the first is the default. */
  readonly models: readonly string[]
  /** What requests may ask for at most. */
  readonly budget: Partial<Limits>
  /** Who is told of runs that have ended or wait. */
  readonly webhooks?: Webhooks
  /** Starts a run with the operator's defaults under what the request says. Refuses what the operator has not allowed. */
  start<const Output extends GivenSchema = never>(
    goal: Goal,
    request?: StartRequest,
    more?: StartMore<Output>,
  ): Promise<RunEndingAs<OutcomeOf<Output>>>
  /**
   * The handle of a run that is worked on here, or in the cluster; resumes one that has stopped, if it may. That of one that has ended
   * resolves at once.
   */
  attach(run: string, options?: AttachOptions): Promise<Run>
  /** Throws UNTRUSTED unless the run, or a fork of it, may be resumed here. */
  requireOwn(run: string): Promise<void>
  /** Lets a run that was not started here, and its forks, be resumed until the service is closed. Throws DENIED unless it `mayTrust`. */
  trust(run: string): Promise<void>
  /**
   * Events from number `from` on, whoever works on the run, until it ends: no gap, none twice. With `deltas` also streamed text of runs
   * that are worked on here or followed. Ends early when the service is closed.
   */
  follow(run: string, options?: FollowOptions): AsyncIterable<Event | ModelRetry | TextDelta>
  /** Runs that are not resumed because they crashed the process, with the reason in words. */
  readonly setAside: ReadonlyMap<string, string>
  /** Aborted when the service is closed; its reason is the error that requests get from then on. */
  readonly closing: AbortSignal
  /** Resumes what was open when the last service on this store ended. */
  open(): Promise<void>
  /** Leaves all runs so that they can be resumed; ends followers. */
  close(): Promise<void>
}

/** What a front door may add to a request. */
export interface StartMore<Output extends GivenSchema = never> {
  /** A schema that is more than JSON Schema; the request's `output` otherwise. */
  output?: Output
  /** Cancels the run when it is aborted. */
  signal?: AbortSignal
  /** Tools that the caller executes, as in StartOptions. */
  callerTools?: readonly CallerTool[]
  /** Whose run it is, and what this client may do with runs of others: everything, unless given. See scopes.ts. */
  client?: string
  scopes?: readonly Scope[]
  /** Whether there is somebody to ask for permission; `person`, unless given. */
  asks?: 'person' | 'nobody'
}

export interface AttachOptions {
  strict?: boolean
  /** Goes on with this one of the service's models; with that of before, unless given. */
  model?: string
  /** Limits to be raised, within those of the operator. */
  budget?: Partial<Limits>
}

export interface ServiceOptions {
  /** Makes an engine that works with this model; all of them are on the same store, or the same cluster. */
  engineFor(model: string): Engine | Promise<Engine>
  /** The specs that requests may name; the first is the default. */
  models: readonly string[]
  /** Strategies in addition to the built-in ones. */
  strategies?: Strategies | readonly GivenStrategy[]
  workspace?: string
  /** What runs are started with, unless a request says otherwise. `budget` is also the most that a request may ask for. */
  defaults?: Pick<
    StartOptions,
    'strategy' | 'strategyOptions' | 'routes' | 'fallbacks' | 'budget' | 'approval'
  >
  /** Where runs are worked on; `local`, unless given. */
  host?: 'local' | 'cluster'
  /**
   * Whether a run may be resumed. By default one whose `origin` is `own`; of an engine without a key, one that a service has started.
   */
  isOwn?(run: string): boolean | Promise<boolean>
  /**
   * Whether clients may trust runs that were not started here: only where each client has all rights of the person, as in `thinkon studio`.
   */
  mayTrust?: boolean
  /** How many runs may be worked on at once; 256, unless given. */
  maxRuns?: number
  /** Told everything of each run that is worked on here. */
  onEvent?: Listener | readonly Listener[]
  /** Tells others of runs that have ended or wait: what `createWebhooks` returns. Opened and closed with the service. */
  webhooks?: Webhooks
  /** Told of what goes wrong with a run that nobody waits for. */
  onProblem?(message: string): void
  /** The file that counts the crashes of runs. Without it no run is set aside. */
  crashFile?: string
  /** The first pause before a run that waits for its model is tried again; it doubles up to 5 minutes. Default: 5 seconds. */
  retryMs?: number
}

/** What marks the runs of a service. */
const SERVICE = 'service'
const MAX_RUNS = 256
const RETRY_MS = 5_000
/** A run that has crashed this many processes is set aside. */
const MOST_CRASHES = 2
/** How long a suspect works alone before the next one is resumed; doubles with each crash that may have been its own. */
const PROBATION_MS = 5_000
const MAX_PROBATION_MS = 600_000

export function createService(options: ServiceOptions): Service {
  const { models, workspace, defaults = {}, maxRuns = MAX_RUNS, retryMs = RETRY_MS, webhooks } = options
  const strategies = strategiesOf(options)
  const onProblem = options.onProblem ?? ((message) => process.emitWarning(message, 'ThinkonWarning'))
  const listeners = [options.onEvent ?? [], webhooks?.onEvent ?? []].flat()
  const onEvent: Listener = (event) => {
    for (const listener of listeners) listener(event)
  }
  const closing = new AbortController()
  const engines = new Map<string, Promise<Engine>>()
  const engineFor = async (model = requireModels(models)) => {
    const made = engines.get(model) ?? Promise.resolve(options.engineFor(model))
    engines.set(model, made)
    return made
  }
  const work = runsAtWork({ maxRuns, retryMs, retry: (run) => goOn(run), onProblem })
  const record = crashRecord(options.crashFile, () => work.ids())
  const setAside = new Map<string, string>()
  /** Runs that were not started here, and that a person wants to go on. */
  const trusted = new Set<string>()
  const mayTrust = options.mayTrust === true
  const engine = routedEngine(
    async (run) => {
      requireOpen()
      return (run === undefined ? undefined : work.get(run)?.engine) ?? engineFor()
    },
    (edit) => requireEdit(edit, strategies, workspace),
  )

  async function start<const Output extends GivenSchema = never>(
    asked: Goal,
    request: StartRequest = {},
    more: StartMore<Output> = {},
  ): Promise<RunEndingAs<OutcomeOf<Output>>> {
    requireOpen()
    requireFits(request, START_REQUEST, 'the request')
    requireWhole(request.output, 'output')
    const model = allowedModel(request.model, models)
    const budget = allowedBudget(request.budget, defaults.budget)
    await requireInside(request.options, strategies, workspace)
    const { id, files = [] } = request
    const goal = await takeFiles(asked, files, workspace)
    // Whoever asks again gets the same run; the type is that of the caller's schema.
    const { strategy, options: own, seed, output } = request
    if (id !== undefined && (await isThere({ id, goal, strategy, options: own }))) {
      await requireShared(id, more)
      return attach(id) as never
    }
    const { signal, callerTools, client = '' } = more
    const given = {
      ...defaults,
      ...defined({ strategy, options: own, id, seed, output, workspace, signal, callerTools }),
      ...(more.output !== undefined && { output: more.output }),
      ...approvalFor(more.asks),
      budget,
      startedBy: markOf(client),
    } as StartOptions<Output>
    const asking = more.asks === 'nobody' ? {} : { onQuestion: leaveOpen }
    const on = await engineFor(model)
    const begin = () => observed((onEvent) => on.start(goal, { ...given, ...asking, onEvent }))
    return work.add(on, begin, { retries: true })
  }

  function approvalFor(asks: 'person' | 'nobody' = 'person'): Pick<StartOptions, 'approval'> {
    const { approval } = defaults
    if (approval === 'allow-all') return { approval }
    if (workspace === undefined && approval === undefined) return {}
    return { approval: { ...approval, ...(workspace !== undefined && { workspace }), asks } }
  }

  /** Throws if the run has another goal, strategy or option. */
  async function isThere(asked: AskedRun): Promise<boolean> {
    const start = await startOf(asked.id).catch((thrown) => {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN') return null
      throw thrown
    })
    if (start !== null) requireSameRun(start, asked)
    return start !== null
  }

  /** Throws DENIED if it is the run of another client, and this one may not get it, or resume it if it has stopped. */
  async function requireShared(
    id: string,
    { client = '', scopes = SCOPES }: Pick<StartMore, 'client' | 'scopes'>,
  ): Promise<void> {
    const { status, owned } = await engine.row(id)
    if (isRunOf((await startOf(id)).config, client)) return
    const isAtWork = (ENDED as readonly string[]).includes(status) || owned || work.get(id) !== undefined
    const missing =
      missingScope(scopes, 'share a run') ??
      (isAtWork ? null : missingScope(scopes, 'resume a run of another client'))
    if (missing !== null) throw notTheirs(id, missing)
  }

  async function attach(id: string, { strict, budget, model }: AttachOptions = {}): Promise<Run> {
    requireOpen()
    const here = work.get(id)
    if (here !== undefined && budget === undefined) return here.run
    // A deliberate resume: its crashes of earlier processes do not count.
    setAside.delete(id)
    record.clear(id)
    return resumed(id, defined({ strict, budget, model }))
  }

  /** Without a caller: a crash may count for the run. */
  async function goOn(id: string): Promise<Run> {
    requireOpen()
    const { seq } = await engine.row(id)
    record.mark(id, seq)
    const unmark = () => record.unmark(id)
    const run = await resumed(id).catch((thrown) => {
      unmark()
      throw thrown
    })
    run.outcome.then(unmark, unmark)
    return run
  }

  async function resumed(id: string, { strict, budget, model }: AttachOptions = {}): Promise<Run> {
    const here = work.get(id)
    const { status } = await engine.row(id)
    if ((ENDED as readonly string[]).includes(status)) return engine.resume(id)
    const { config } = await startOf(id)
    await requireOrigin(id, config)
    const raised = budget && allowedBudget(budget, defaults.budget)
    const last = model === undefined ? (await engine.outline(id)).config.model : allowedModel(model, models)
    // A model that the operator no longer offers is replaced by the default, which the journal says.
    const on = here?.engine ?? (await engineFor(models.find((spec) => spec === last)))
    const given = { ...defined({ strict, budget: raised }), onQuestion: leaveOpen }
    const resume = () => observed((listener) => on.resume(id, { ...given, onEvent: listener }))
    return work.add(on, resume, { retries: isMarked(config) })
  }

  /** Throws UNTRUSTED. */
  async function requireOrigin(id: string, config: RunConfig): Promise<void> {
    const origin = await engine.origin(id)
    const isOwn = options.isOwn
      ? await options.isOwn(id)
      : origin === 'unchecked'
        ? isMarked(config)
        : origin === 'own'
    if (isOwn || (await isTrusted(id))) return
    throw notOwn(id, origin, config, mayTrust)
  }

  /** A fork of a trusted run is trusted. */
  async function isTrusted(id: string): Promise<boolean> {
    for (let run: string | null = id; run !== null; run = (await engine.row(run)).forkOf)
      if (trusted.has(run)) return true
    return false
  }

  /** Observers are told of a run by the process that works on it. */
  async function observed<Ended>(
    begin: (listener: Listener) => Promise<RunEndingAs<Ended>>,
  ): Promise<RunEndingAs<Ended>> {
    let run: RunEndingAs<Ended> | undefined
    run = await begin((event) => {
      if (!run?.isFollowed) onEvent(event)
    })
    return run
  }

  async function startOf(id: string): Promise<EventOf<'run-start'>> {
    const [first] = await engine.events(id, 1, 1)
    if (first?.type === 'run-start') return first
    throw new ThinkonError('STORE_CORRUPT', `the journal of run ${id} does not begin with run-start`)
  }

  async function goOnWith(id: string): Promise<void> {
    try {
      const { config } = await startOf(id)
      if (isMarked(config)) await goOn(id)
    } catch (thrown) {
      if (ThinkonError.isInstance(thrown) && thrown.retryable) work.tryLater(id)
      else onProblem(`run ${id} can't be resumed: ${errorText(thrown)}`)
    }
  }

  /** Resumes a run that may have crashed a process, and gives it time to do so again before others are resumed. */
  async function goOnAlone({ id, seq }: RunRow): Promise<void> {
    if (record.crashes(id) >= MOST_CRASHES) return putAside(id, seq)
    const probationMs = Math.min(MAX_PROBATION_MS, PROBATION_MS * 2 ** Math.max(0, record.suspicions(id) - 1))
    await goOnWith(id)
    await work.rest(id, probationMs, closing.signal)
    if (!closing.signal.aborted) record.pass(id)
  }

  function putAside(id: string, seq: number): void {
    record.setAside(id, seq)
    const reason =
      `run ${id} is set aside: the process crashed ${MOST_CRASHES} times while it worked on the run. ` +
      `The service goes on without it; to try it again: thinkon resume ${id}`
    setAside.set(id, reason)
    onProblem(reason)
  }

  /** Of a run that was marked with `seq` when it was resumed. */
  async function standingOf(row: RunRow | undefined, seq: number | undefined): Promise<MarkStanding> {
    if (row === undefined) return 'gone'
    if (row.status === 'waiting') return 'waits'
    if (seq === undefined || row.seq <= seq) return 'stuck'
    const events = [...(await engine.events(row.id, seq + 1))]
    return events.every(({ type }) => REPEATED.has(type)) ? 'stuck' : 'progressed'
  }

  function requireOpen(): void {
    closing.signal.throwIfAborted()
    webhooks?.open(engine, isMarked)
  }

  return {
    engine,
    strategies,
    workspace,
    models,
    budget: defaults.budget ?? {},
    ...(webhooks && { webhooks }),
    start,
    attach,
    async trust(id) {
      const { config } = await startOf(id)
      if (!mayTrust) throw notOwn(id, await engine.origin(id), config, mayTrust)
      trusted.add(id)
    },
    requireOwn: async (id) => requireOrigin(id, (await startOf(id)).config),
    setAside,
    closing: closing.signal,
    follow: (run, given = {}) => followRun({ engine, work, closing: closing.signal }, run, given),
    async open() {
      if (!closing.signal.aborted) webhooks?.open(engine, isMarked)
      // Those of a cluster are worked on by others, and followed here.
      const running = options.host === 'cluster' ? (['running'] as const) : []
      const open = await engine.list({ status: ['stopped', 'waiting', ...running] })
      // Another process works on runs that are owned.
      const free = new Map(
        open.filter(({ owned }) => !owned || options.host === 'cluster').map((row) => [row.id, row]),
      )
      const suspects = (await record.assess((id, seq) => standingOf(free.get(id), seq))).map((id) =>
        free.get(id),
      )
      const others = [...free.values()].filter((row) => !suspects.includes(row))
      for (const { id } of others) if (!closing.signal.aborted) await goOnWith(id)
      for (const row of suspects) if (row !== undefined && !closing.signal.aborted) await goOnAlone(row)
    },
    async close() {
      closing.abort(stopping())
      record.close()
      // As long as there is a store in which to see how runs stand.
      await webhooks?.close()
      const made = await Promise.allSettled(engines.values())
      const open = made.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      await Promise.all([...new Set([...open, ...work.stop()])].map((one) => one.close()))
    },
  }
}

/** The service's clients answer: a run may ask. */
function leaveOpen(): void {}

/** Events that each resume of a run writes again, without any progress. */
const REPEATED: ReadonlySet<string> = new Set<Event['type']>([
  'run-resume',
  'model-start',
  'tool-start',
  'part-start',
  'note',
])

function stopping(): ThinkonError {
  const message = 'the service is stopping: try again when it is back'
  return new ThinkonError('INTERRUPTED', message, { retryable: true })
}

function strategiesOf({ strategies }: ServiceOptions): Strategies {
  return strategies instanceof Map ? strategies : withOwn(strategies as readonly GivenStrategy[] | undefined)
}

function requireModels([first]: readonly string[]): string {
  if (first !== undefined) return first
  throw new ThinkonError('BAD_INPUT', 'createService: models is empty: name at least one model')
}

function isMarked({ startedBy }: RunConfig): boolean {
  return startedBy !== undefined && startedBy.split(' ')[0] === SERVICE
}

function markOf(client: string): string {
  return client === '' ? SERVICE : `${SERVICE} ${client}`
}

/** Whether a service has started the run for this client. */
export function isRunOf({ startedBy }: RunConfig, client: string): boolean {
  return startedBy === markOf(client)
}

/** Throws DENIED unless this client may delete the run. */
export async function requireDelete(engine: Engine, run: string, { client, scopes }: Caller): Promise<void> {
  const missing = missingScope(scopes, 'delete a run of another client')
  if (missing === null || isRunOf((await engine.outline(run)).config, client)) return
  throw notTheirs(run, missing)
}

function notTheirs(run: string, missing: Scope): ThinkonError {
  const message = `run ${run} is of another client: this token is not good for "${missing}"`
  return new ThinkonError('DENIED', message, { data: { run, missing } })
}

/** `does`: what the journal decides, so that a person can decide about it. */
function notOwn(run: string, origin: RunOrigin, config: RunConfig, mayTrust: boolean): ThinkonError {
  const { model, models, workspace, approval } = config
  const how = mayTrust
    ? `trust it in the page or with POST /api/runs/${run}/trust, or resume it`
    : 'resume it'
  return new ThinkonError(
    'UNTRUSTED',
    `run ${run} was not started here (${originReason(origin)}), and its journal decides what a resume does. If you trust where it comes from, ${how} on the command line: thinkon resume ${run} --trust; a fork of it: thinkon fork ${run} --at <event> --resume --trust`,
    { data: { run, origin, mayTrust, does: defined({ model, models, workspace, approval }) } },
  )
}

/** What a request may change in a fork. Not: limits, what was spent, the run's configuration. */
const EDITABLE = ['goal', 'value', 'result', 'request']

/** What an edit changes is executed. */
async function requireEdit(
  edit: Record<string, unknown>,
  strategies: Strategies,
  workspace: string | undefined,
): Promise<void> {
  const wrong = Object.keys(edit).find((key) => !EDITABLE.includes(key))
  if (wrong !== undefined)
    throw new ThinkonError(
      'DENIED',
      `a request can't change "${wrong}"; it can change: ${EDITABLE.join(', ')}`,
      {
        data: { key: wrong, allowed: EDITABLE },
      },
    )
  // A prompt is said, not executed.
  const { request: _, ...executed } = edit
  await requireInside(executed, strategies, workspace)
}
