/** The composition root: puts kernel, host, store, models and strategies together. Goal in, run handle out. */

import { checkGoal, checkLimits, newRunId } from './engine-input.ts'
import { eventStream } from './event-stream.ts'
import type { Listener, RunHandle } from './hosts/durable.ts'
import { type LocalHost, localHost } from './hosts/local/host.ts'
import { type Replayed, replayRun } from './hosts/local/replay.ts'
import { type Clock, systemClock } from './kernel/clock.ts'
import { createKernel, type StrategyEntry } from './kernel/kernel.ts'
import type { Model } from './kernel/model.ts'
import { type RunRow, type Store, unknownRun } from './kernel/store.ts'
import type { Strategy } from './kernel/strategy.ts'
import type { Tool } from './kernel/tool.ts'
import { openModel } from './models/open-model.ts'
import {
  attemptOf,
  type Event,
  foldEvents,
  type Goal,
  type Limits,
  type Outcome,
  placeOf,
  ROOT_PATH,
  type Role,
  type RunState,
  ThinkonError,
} from './protocol/index.ts'
import { openStore } from './store/open-store.ts'
import { DEFAULT_STRATEGY, STRATEGIES } from './strategies/index.ts'
import { VERSION } from './version.ts'

// biome-ignore lint/suspicious/noExplicitAny: a list of strategies whose options differ has no common type but this
type AnyStrategy = Strategy<any>

export interface EngineOptions {
  /** A model, or a spec such as `module:./my-model.ts`. Without one the embedded demonstration answers. */
  model?: Model | string
  /** Other models for some roles. */
  models?: Partial<Record<Role, Model | string>>
  tools?: readonly Tool[]
  /** A file, ':memory:' (the default) or a store of your own. */
  store?: string | Store
  /** 'full' (the default): replies survive a power cut. 'normal': they survive kill -9. */
  synchronous?: 'full' | 'normal'
  /** Strategies beside the built-in ones. */
  strategies?: readonly AnyStrategy[]
  clock?: Clock
}

export interface StartOptions {
  strategy?: string
  /** The strategy's own options. */
  options?: Record<string, unknown>
  budget?: Partial<Limits>
  /** Cancels the run when it is aborted. */
  signal?: AbortSignal
  /** Gets every event once it is recorded, and text as it comes in. */
  onEvent?: Listener
  /** The run's id; a run that exists is gone on with. */
  id?: string
  /** Makes randomness repeatable across runs. */
  seed?: string
}

export type RunOutcome = Outcome & { run: string }

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

/** Solves one goal. */
export async function solve(goal: Goal, options: EngineOptions & StartOptions = {}): Promise<RunOutcome> {
  const engine = createEngine(options)
  try {
    const run = await engine.start(goal, options)
    return await run.outcome
  } finally {
    await engine.close()
  }
}

export function createEngine(options: EngineOptions = {}): Engine {
  const clock = options.clock ?? systemClock
  const strategies = withOwn(options.strategies ?? [])
  let parts: Promise<{
    store: Store
    host: LocalHost
    kernel: ReturnType<typeof createKernel>
    model: string
  }> | null = null

  function ready() {
    parts ??= assemble()
    return parts
  }

  async function assemble() {
    const store = await openStore(options.store ?? ':memory:', options.synchronous)
    const standard = await openModel(options.model)
    const byRole = new Map<Role, Model>()
    for (const [role, model] of Object.entries(options.models ?? {}))
      byRole.set(role as Role, await openModel(model))
    const model = (role: Role): Model => byRole.get(role) ?? standard
    const kernel = createKernel({ strategies, model, tools: options.tools ?? [] })
    return { store, kernel, host: localHost(store, kernel, clock), model: standard.id }
  }

  async function handle(run: RunHandle, signal: AbortSignal | undefined): Promise<Run> {
    const { store, host } = await ready()
    const cancel = async (reason = 'cancelled by the caller') => {
      if (host.running(run.id)) await host.cancel(run.id, reason)
    }
    if (signal) cancelOnAbort(run, signal, cancel)
    return {
      id: run.id,
      outcome: run.outcome.then((outcome) => ({ ...outcome, run: run.id })),
      events: { [Symbol.asyncIterator]: () => eventStream(store, run.id, host.running(run.id)) },
      signal: (path, name, value) => host.signal(run.id, path, name, value),
      cancel,
    }
  }

  async function stateOf(id: string): Promise<RunState> {
    const { store } = await ready()
    if (!store.has(id)) throw unknownRun(id)
    return foldEvents(store.read(id))
  }

  return {
    async start(goal, given = {}) {
      checkGoal(goal)
      const limits = checkLimits(given.budget ?? {})
      const { host, model, kernel } = await ready()
      const strategy = given.strategy ?? DEFAULT_STRATEGY
      kernel.identify(strategy)
      const chosen = await strategies.get(strategy)?.load()
      const strategyOptions = given.options ?? {}
      chosen?.options(strategyOptions)
      const id = given.id ?? newRunId(clock.nowMs())
      const config = { thinkon: VERSION, model }
      const spec = { id, goal, strategy, options: strategyOptions, limits, seed: given.seed ?? id, config }
      return handle(await host.start(spec, given.onEvent), given.signal)
    },
    async resume(id, given = {}) {
      const { host, store } = await ready()
      if (!store.has(id)) throw unknownRun(id)
      return handle(await host.resume(id, given.onEvent), given.signal)
    },
    async replay(id) {
      const { store, kernel } = await ready()
      if (!store.has(id)) throw unknownRun(id)
      return replayRun(store.read(id), kernel)
    },
    async fork(id, at, edit) {
      const { store } = await ready()
      const { outcome } = await stateOf(id)
      const newId = newRunId(clock.nowMs())
      const [event] = store.read(id, at, at)
      if (event?.type === 'run-end' || (event?.type === 'block-end' && event.path === ROOT_PATH && outcome)) {
        throw new ThinkonError('BAD_INPUT', `run ${id} has ended by event ${at}: fork at an earlier one`)
      }
      store.fork(id, at, newId, edit)
      return newId
    },
    async redo(id, path, message) {
      const { store, host } = await ready()
      const state = await stateOf(id)
      if (state.outcome === null) {
        if (path === ROOT_PATH) {
          throw new ThinkonError('BAD_INPUT', `run ${id} still goes on: cancel it, then redo ${ROOT_PATH}`)
        }
        await host.signal(id, path, 'redo', message)
        return id
      }
      const forked = newRunId(clock.nowMs())
      store.fork(id, lastStart(store.read(id), path) - 1, forked)
      if (message !== '') await host.signal(forked, placeOf(path) === path ? path : path, 'message', message)
      return forked
    },
    async signal(id, path, name, value) {
      const { host } = await ready()
      await host.signal(id, path, name, value)
    },
    async list() {
      return (await ready()).store.list()
    },
    state: stateOf,
    async events(id, from) {
      const { store } = await ready()
      if (!store.has(id)) throw unknownRun(id)
      return store.read(id, from)
    },
    async close() {
      if (parts === null) return
      const { host, store } = await parts
      await host.close()
      if (typeof options.store !== 'object') store.close()
    },
  }
}

function withOwn(own: readonly AnyStrategy[]): ReadonlyMap<string, StrategyEntry> {
  if (own.length === 0) return STRATEGIES
  const entry = (strategy: AnyStrategy): StrategyEntry => ({
    version: strategy.version,
    load: async () => strategy,
  })
  return new Map([...STRATEGIES, ...own.map((strategy) => [strategy.name, entry(strategy)] as const)])
}

function cancelOnAbort(run: RunHandle, signal: AbortSignal, cancel: (reason: string) => Promise<void>): void {
  const onAbort = () =>
    void cancel(signal.reason instanceof Error ? signal.reason.message : String(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const forget = () => signal.removeEventListener('abort', onAbort)
  run.outcome.then(forget, forget)
}

/** The seq of the start of the latest attempt at this path. */
function lastStart(events: Iterable<Event>, path: string): number {
  let found = 0
  for (const event of events) if (event.type === 'block-start' && event.path === path) found = event.seq
  if (found === 0)
    throw new ThinkonError('BAD_INPUT', `there is no block ${path} (attempt ${attemptOf(path)})`)
  return found
}
