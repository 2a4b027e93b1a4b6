/** What an engine is made of: store, models, strategies, tools, kernel and host. */
import { type LocalHost, localHost } from '../hosts/local/host.ts'
import { foldOpen } from '../hosts/local/outline.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import type { Kernel } from '../kernel/durable.ts'
import { createKernel } from '../kernel/kernel.ts'
import type { NamedModels } from '../kernel/missing-parts.ts'
import type { Model } from '../kernel/model.ts'
import { choicesOf, type ModelChoice, type ModelChoices } from '../kernel/model-choice.ts'
import type { Store } from '../kernel/store.ts'
import { openModel } from '../models/open-model.ts'
import { lastSecrets, redactDeep } from '../models/secrets.ts'
import { type Event, foldEvents, type Role, type RunState } from '../protocol/index.ts'
import { openStore } from '../store/open-store.ts'
import { abacusKind, withOwn } from '../strategies/registry.ts'
import type { EngineOptions } from './api.ts'
import { lazyReader } from './lazy-reader.ts'
import { modelNames } from './model-names.ts'
import type { Toolbox } from './toolbox.ts'
import { modelWithoutSecrets } from './without-secrets.ts'

export interface EngineParts {
  readonly options: EngineOptions
  readonly clock: Clock
  readonly strategies: ReturnType<typeof withOwn>
  /** The model of every role without a model of its own. */
  readonly model: Model
  modelOf(role: Role): Model
  /** Their names. */
  readonly models: NamedModels
  readonly store: Store
  readonly toolbox: Toolbox
  readonly kernel: Kernel
  readonly host: LocalHost
}

export async function openParts(options: EngineOptions): Promise<EngineParts> {
  const clock = options.clock ?? systemClock
  const strategies = withOwn(options.strategies)
  const recorded = await recorder(options.record)
  const openOne = async (choice?: ModelChoice) =>
    modelWithoutSecrets(
      recorded(await openModel(choice, { clock, abacusKind: (kind) => abacusKind(strategies, kind) })),
    )
  const open = async (given?: ModelChoices) => {
    const [first, ...others] = given === undefined ? [given] : choicesOf(given)
    if (others.length === 0) return openOne(first)
    const { firstAvailable } = await import('../models/resilience/first-available.ts')
    const models = [await openOne(first)]
    for (const other of others) models.push(await openOne(other))
    return firstAvailable(models, clock)
  }
  const model = await open(options.model)
  const byRole = new Map<Role, Model>()
  for (const [role, choice] of Object.entries(options.models ?? {}))
    byRole.set(role as Role, await open(choice))
  const modelOf = (role?: Role) => (role && byRole.get(role)) ?? model
  const models = modelNames(options, modelOf)
  const store = await openStore(options.store ?? ':memory:', options.synchronous)
  const toolbox = await toolboxOf(options.tools, store)
  const kernel = createKernel({
    strategies,
    model: modelOf,
    models,
    ...(options.onOutage && { onOutage: options.onOutage }),
    tools: toolbox.tools,
    ...(toolbox.approval && { approval: toolbox.approval }),
    journal: (run, from) => store.read(run, from),
    clean: (value) => redactDeep(value, lastSecrets()),
  })
  const host = localHost(store, kernel, clock)
  return { options, clock, strategies, model, modelOf, models, store, toolbox, kernel, host }
}

/** Detaches from running runs. The caller's own store stays open. */
export async function closeParts({ options, host, toolbox, store }: EngineParts): Promise<void> {
  try {
    await host.close()
    await toolbox.close()
  } finally {
    if (typeof options.store !== 'object') store.close()
  }
}

/** Throws if the run is not there, or is not there any more. */
export function requireRun({ store }: EngineParts, id: string): void {
  store.row(id)
}

export function stateOf(parts: EngineParts, id: string): RunState {
  requireRun(parts, id)
  return foldEvents(parts.store.read(id))
}

/** The state of what is open, and of the children of open blocks; `follow` sees each event that is read for it. */
export function openStateOf(parts: EngineParts, id: string, follow?: (event: Event) => void): RunState {
  requireRun(parts, id)
  return foldOpen(parts.store, id, follow).state
}

/** Makes a model record its traffic, if a file is given: all models of an engine into the same one. */
async function recorder(file: string | undefined): Promise<(model: Model) => Model> {
  if (file === undefined) return (model) => model
  const { recordingModel } = await import('../models/recording/recording-model.ts')
  const { TrafficWriter } = await import('../models/recording/traffic-file.ts')
  const writer = new TrafficWriter(file)
  return (model) => recordingModel(model, writer)
}

/** Also without tools there is one: `read_result`, for what was left out of a request. */
async function toolboxOf(tools: EngineOptions['tools'] = [], store: Store): Promise<Toolbox> {
  if (Array.isArray(tools) && tools.length === 0) return lazyReader(store)
  const { openToolbox } = await import('./toolbox.ts')
  return openToolbox(tools, store)
}
