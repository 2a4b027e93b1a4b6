/** The composition root: puts store, models, strategies, kernel and host together. */

import { localHost } from '../hosts/local/host.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Listener, RunHandle } from '../kernel/durable.ts'
import { createKernel } from '../kernel/kernel.ts'
import type { Model } from '../kernel/model.ts'
import { type Store, unknownRun } from '../kernel/store.ts'
import { type ModelChoice, openModel } from '../models/open-model.ts'
import { knownSecrets, lastSecrets, redactDeep } from '../models/secrets.ts'
import {
  type Event,
  foldEvents,
  goalText,
  isInside,
  parentPath,
  ROOT_PATH,
  type Role,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { openStore } from '../store/open-store.ts'
import { abacusKind, DEFAULT_STRATEGY, viewsOf, withOwn } from '../strategies/registry.ts'
import { VERSION } from '../version.ts'
import type { Engine, EngineOptions, Run } from './api.ts'
import { checkCalls, checkRouting } from './check-routing.ts'
import { eventStream } from './event-stream.ts'
import { checkGoal, checkLimits, newRunId } from './input.ts'
import type { Toolbox } from './toolbox.ts'
import { errorsWithoutSecrets, modelWithoutSecrets } from './without-secrets.ts'

export async function compose(options: EngineOptions): Promise<Engine> {
  const clock = options.clock ?? systemClock
  const strategies = withOwn(options.strategies)
  const recorded = await recorder(options.record)
  const open = async (choice?: ModelChoice) =>
    modelWithoutSecrets(
      recorded(await openModel(choice, { clock, abacusKind: (kind) => abacusKind(strategies, kind) })),
    )
  const standard = await open(options.model)
  const byRole = new Map<Role, Model>()
  for (const [role, model] of Object.entries(options.models ?? {}))
    byRole.set(role as Role, await open(model))
  const store = await openStore(options.store ?? ':memory:', options.synchronous)
  const toolbox = await toolboxOf(options.tools, store)
  const kernel = createKernel({
    strategies,
    model: (role) => byRole.get(role) ?? standard,
    tools: toolbox.tools,
    ...(toolbox.approval && { approval: toolbox.approval }),
    clean: (value) => redactDeep(value, lastSecrets()),
  })
  const host = localHost(store, kernel, clock)

  function handle(run: RunHandle, signal: AbortSignal | undefined): Run {
    const cancel = async (reason = 'cancelled by the caller') => {
      if (host.running(run.id)) await host.cancel(run.id, redactDeep(reason))
    }
    if (signal) cancelOnAbort(run, signal, cancel)
    const outcome = run.outcome.then((ended) => ({ ...ended, roles: run.roles, run: run.id }))
    // Whoever asks for the outcome gets the error; a run nobody waits for must not end the process.
    outcome.catch(() => {})
    return {
      id: run.id,
      outcome,
      events: { [Symbol.asyncIterator]: () => eventStream(store, run.id, host.running(run.id)) },
      signal: (path, name, value) => send(run.id, path, name, value),
      cancel,
    }
  }

  /** What a person tells a block is told to all that runs below it, too: that is where the work goes on. */
  async function send(id: string, path: string, name: string, given: unknown): Promise<void> {
    const value = redactDeep(given)
    await host.signal(id, path, name, value)
    if (name !== 'message') return
    for (const block of stateOf(id).blocks.values()) {
      if (block.outcome === null && block.path !== path && isInside(block.path, path))
        await host.signal(id, block.path, name, value)
    }
  }

  /** Whoever listens, and the files that views keep where the run has a workspace. */
  async function listenerOf(id: string, workspace: string | undefined, onEvent: Listener | undefined) {
    if (workspace === undefined) return onEvent
    const { runFiles } = await import('./run-files.ts')
    const files = runFiles({ workspace, events: () => store.read(id) }, await viewsOf(strategies))
    return (event: Parameters<Listener>[0]) => {
      files(event)
      onEvent?.(event)
    }
  }

  function known(id: string): void {
    if (!store.has(id)) throw unknownRun(id)
  }

  function stateOf(id: string): RunState {
    known(id)
    return foldEvents(store.read(id))
  }

  return errorsWithoutSecrets({
    async start(asked, given = {}) {
      checkGoal(asked)
      const goal = redactDeep(asked)
      const refusal = standard.refusal?.(goalText(goal))
      if (refusal) throw refusal
      const strategy = given.strategy ?? DEFAULT_STRATEGY
      kernel.identify(strategy)
      const chosen = await strategies.get(strategy)?.load()
      const { routes, fallbacks, strategyOptions } = redactDeep({
        routes: given.routes,
        fallbacks: given.fallbacks,
        strategyOptions: given.strategyOptions,
      })
      await checkRouting({ routes, fallbacks, strategyOptions }, strategies)
      const own = { ...strategyOptions?.[strategy], ...redactDeep(given.options) }
      const checked = chosen?.options(own)
      checkCalls(chosen?.calls?.(checked) ?? [], strategies)
      const limits = checkLimits(given.budget ?? {}, chosen?.limits?.(checked) ?? {})
      const id = given.id ?? newRunId(clock.nowMs())
      // A spec is what a later process can open; a model object has only its name.
      const model = specOf(options.model) ?? standard.id
      const { workspace, approval } = redactDeep({ workspace: given.workspace, approval: given.approval })
      const config = {
        thinkon: VERSION,
        model,
        ...(workspace !== undefined && { workspace }),
        ...(approval !== undefined && { approval }),
        ...(routes !== undefined && routes.length > 0 && { routes }),
        ...(hasEntries(fallbacks) && { fallbacks }),
        ...(hasEntries(strategyOptions) && { strategyOptions }),
        ...(toolbox.known.length > 0 && { tools: redactDeep(toolbox.known) }),
      }
      const spec = { id, goal, strategy, options: own, limits, seed: given.seed ?? id, config }
      return handle(await host.start(spec, await listenerOf(id, workspace, given.onEvent)), given.signal)
    },
    async resume(id, given = {}) {
      known(id)
      knownSecrets()
      const [begun] = store.read(id, 1, 1)
      const workspace = begun?.type === 'run-start' ? begun.config.workspace : undefined
      return handle(await host.resume(id, await listenerOf(id, workspace, given.onEvent)), given.signal)
    },
    async replay(id) {
      known(id)
      const { replayRun } = await import('../hosts/local/replay.ts')
      return replayRun(store.read(id), kernel)
    },
    async fork(id, at, edit) {
      const { outcome } = stateOf(id)
      const newId = newRunId(clock.nowMs())
      const [event] = store.read(id, at, at)
      if (event?.type === 'run-end' || (event?.type === 'block-end' && event.path === ROOT_PATH && outcome)) {
        throw new ThinkonError('BAD_INPUT', `run ${id} has ended by event ${at}: fork at an earlier one`)
      }
      store.fork(id, at, newId, redactDeep(edit))
      return newId
    },
    async redo(id, path, said) {
      const message = redactDeep(said)
      const state = stateOf(id)
      if (state.outcome === null) {
        if (path === ROOT_PATH) {
          throw new ThinkonError('BAD_INPUT', `run ${id} still goes on: cancel it, then redo ${ROOT_PATH}`)
        }
        const parent = state.blocks.get(parentPath(path) ?? '')
        if (parent === undefined)
          throw new ThinkonError('BAD_INPUT', `there is no block ${path} in run ${id}`)
        if (parent.outcome !== null) {
          throw new ThinkonError(
            'BAD_INPUT',
            `block ${parent.path} has ended, so ${path} can't be done again in it: redo ${parent.path}`,
          )
        }
        await host.signal(id, path, 'redo', message)
        return id
      }
      const forked = newRunId(clock.nowMs())
      store.fork(id, lastStart(store.read(id), path) - 1, forked)
      if (message !== '') await host.signal(forked, path, 'message', message)
      return forked
    },
    async signal(id, path, name, value) {
      await send(id, path, name, value)
    },
    async list() {
      return store.list()
    },
    state: async (id) => stateOf(id),
    async events(id, from) {
      known(id)
      return store.read(id, from)
    },
    async close() {
      await host.close()
      await toolbox.close()
      if (typeof options.store !== 'object') store.close()
    },
  })
}

function hasEntries(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0
}

/** What makes a model record its traffic: all models of an engine into one file, where one is given. */
async function recorder(file: string | undefined): Promise<(model: Model) => Model> {
  if (file === undefined) return (model) => model
  const { recordingModel } = await import('../models/recording/recording-model.ts')
  const { TrafficWriter } = await import('../models/recording/traffic-file.ts')
  const writer = new TrafficWriter(file)
  return (model) => recordingModel(model, writer)
}

/** Most of it is loaded only where there are tools. */
async function toolboxOf(tools: EngineOptions['tools'], store: Store): Promise<Toolbox> {
  if (tools === undefined) return { tools: [], known: [], close: async () => {} }
  const { openToolbox } = await import('./toolbox.ts')
  return openToolbox(tools, store)
}

function cancelOnAbort(run: RunHandle, signal: AbortSignal, cancel: (reason: string) => Promise<void>): void {
  const onAbort = () =>
    void cancel(signal.reason instanceof Error ? signal.reason.message : String(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const forget = () => signal.removeEventListener('abort', onAbort)
  run.outcome.then(forget, forget)
}

/** The seq of the block's start. */
function lastStart(events: Iterable<Event>, path: string): number {
  let found = 0
  for (const event of events) if (event.type === 'block-start' && event.path === path) found = event.seq
  if (found === 0) throw new ThinkonError('BAD_INPUT', `there is no block ${path} in this run`)
  return found
}

/** The spec, where a model was chosen by one. */
function specOf(choice: ModelChoice | undefined): string | null {
  if (typeof choice === 'string') return choice
  return typeof choice === 'object' && 'model' in choice && typeof choice.model === 'string'
    ? choice.model
    : null
}
