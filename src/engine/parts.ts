/** What an engine is made of: store, models, strategies, tools, kernel and host. */
import { resolve } from 'node:path'
import { localHost } from '../hosts/local/host.ts'
import { foldOpen } from '../hosts/local/outline.ts'
import { type LimiterFor, lazyLimiter } from '../kernel/call-limiter.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import type { EngineHost, Kernel } from '../kernel/durable.ts'
import { createKernel } from '../kernel/kernel.ts'
import type { NamedModels } from '../kernel/missing-parts.ts'
import type { Model } from '../kernel/model.ts'
import { choicesOf, type ModelChoice, type ModelChoices, modelConfig } from '../kernel/model-choice.ts'
import { PERSON } from '../kernel/model-spec.ts'
import { type AnyStore, unknownRun } from '../kernel/store.ts'
import { openModel } from '../models/open-model.ts'
import { personModel } from '../models/person/person-model.ts'
import { lastSecrets, redactDeep } from '../models/secrets.ts'
import {
  type Event,
  emptyState,
  foldEvent,
  nearest,
  type Role,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { openStore } from '../store/open-store.ts'
import { embeddedKind, withOwn } from '../strategies/registry.ts'
import type { EngineOptions } from './api.ts'
import { Attendance } from './attendance.ts'
import { modelNames } from './model-names.ts'
import { type Output, problemsIn } from './run-output.ts'
import { lazyReader } from './tools/lazy-reader.ts'
import type { Toolbox } from './tools/toolbox.ts'
import { repliesWithoutSecrets } from './without-secrets.ts'

export interface EngineParts {
  readonly options: EngineOptions
  readonly clock: Clock
  readonly strategies: ReturnType<typeof withOwn>
  /** The model of every role without a model of its own. */
  readonly model: Model
  modelOf(role: Role): Model
  /** Their names. */
  readonly models: NamedModels
  readonly store: AnyStore
  readonly toolbox: Toolbox
  /** The folder of runs that name none, if the options or a source of tools name one. */
  readonly workspace: string | undefined
  /** The outputs of runs that are under way, where their callers have given them here. */
  readonly outputs: Map<string, Output>
  readonly kernel: Kernel
  readonly host: EngineHost
  /** Whose callers can answer questions. */
  readonly attendance: Attendance
  /** Resolve when the files of runs under way are written, as far as they have come. */
  readonly files: Set<() => Promise<unknown>>
  /** Aborted when the engine is closed. */
  readonly closed: AbortController
  /** Frees what the models hold. */
  closeModels(): Promise<void>
}

export async function openParts(options: EngineOptions): Promise<EngineParts> {
  const closers: (() => Promise<void>)[] = []
  const closeModels = async () => {
    for (const close of closers.splice(0)) await close()
  }
  try {
    const parts = await openAll(options, (close) => closers.push(close))
    return { ...parts, closeModels }
  } catch (thrown) {
    await closeModels()
    throw thrown
  }
}

async function openAll(
  options: EngineOptions,
  onOpen: (close: () => Promise<void>) => void,
): Promise<Omit<EngineParts, 'closeModels'>> {
  const clock = options.clock ?? systemClock
  const strategies = withOwn(options.strategies)
  const recorded = await recorder(options.record)
  let store: AnyStore
  // The store is opened when it is known that there are models.
  const limiterFor: LimiterFor = (provider, limits) =>
    lazyLimiter(() => ('later' in store ? store.limiterFor?.(provider, limits) : undefined))
  const kindOf = (kind: string) => embeddedKind(strategies, kind)
  const openOne = async (choice?: ModelChoice) =>
    recorded(await openModel(choice, { clock, onOpen, limiterFor, embeddedKind: kindOf }))
  const open = async (given?: ModelChoices) => {
    const [first, ...others] = given === undefined ? [] : choicesOf(given)
    if (first === undefined || others.length === 0) return openOne(first)
    if ([first, ...others].some(isPerson)) throw onlyPerson()
    const { firstAvailable } = await import('../models/resilience/first-available.ts')
    const models = [await openOne(first)]
    for (const other of others) models.push(await openOne(other))
    return firstAvailable(models, clock)
  }
  const model = await open(options.model)
  const byRole = new Map<Role, Model>()
  for (const [role, choice] of Object.entries(options.models ?? {}))
    byRole.set(role as Role, await open(choice))
  const modelOf = byRole.size === 0 ? () => model : (role?: Role) => (role && byRole.get(role)) ?? model
  const models = modelNames(options, modelOf)
  const elsewhere = await options.host?.()
  store = elsewhere?.store ?? (await openStore(options.store ?? ':memory:', options))
  const toolbox = await toolboxOf(options.tools, store).catch(async (error) => {
    await closeOwn(options, store)
    throw error
  })
  const workspace = options.workspace === undefined ? toolbox.workspace : resolve(options.workspace)
  const outputs = new Map<string, Output>()
  const attendance = new Attendance()
  const kernel = createKernel({
    strategies,
    model: modelOf,
    models,
    person: recorded(personModel()),
    ...(options.onOutage && { onOutage: options.onOutage }),
    tools: toolbox.tools,
    ...(workspace !== undefined && { workspace }),
    ...(toolbox.approval && { approval: toolbox.approval }),
    canAsk: (run) => attendance.has(run),
    checkOutput(run, value) {
      const output = outputs.get(run)
      return output && problemsIn(output, value)
    },
    journal: (run, from) => store.read(run, from),
    clean: (value) => redactDeep(value, lastSecrets()),
    replies: repliesWithoutSecrets,
  })
  const host = elsewhere?.hostOf(kernel) ?? localHost(store, kernel, clock)
  const files = new Set<() => Promise<unknown>>()
  const closed = new AbortController()
  const chosen = { options, clock, strategies, model, modelOf, models }
  return { ...chosen, store, toolbox, workspace, outputs, attendance, kernel, host, files, closed }
}

function isPerson(choice: ModelChoice): boolean {
  return modelConfig(choice).model === PERSON
}

/** An outage passes; a person who does not answer is waited for. */
function onlyPerson(): ThinkonError {
  return new ThinkonError('BAD_INPUT', `the model "${PERSON}" stands alone: it can't be one of several`)
}

/** Given, so that no error with a stack is made for it each time: nobody reads it. */
const CLOSED = 'the engine is closed'

/** Detaches from running runs. */
export async function closeParts({
  options,
  host,
  toolbox,
  store,
  files,
  closeModels,
  closed,
}: EngineParts): Promise<void> {
  closed.abort(CLOSED)
  try {
    await host.close()
    await Promise.all([...files].map((written) => written()))
    await closeModels()
    await toolbox.close()
  } finally {
    await closeOwn(options, store)
  }
}

/** The caller's own store stays open. */
async function closeOwn(options: EngineOptions, store: AnyStore): Promise<void> {
  if (typeof options.store !== 'object') await store.close()
}

/** Throws if the run is not there, or is not there any more. */
export async function requireRun({ store }: EngineParts, id: string): Promise<void> {
  try {
    await store.row(id)
  } catch (thrown) {
    const isUnknown =
      ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN' && !thrown.data.forgotten
    const near = isUnknown ? nearest(id, await newestIds(store)) : undefined
    throw near === undefined ? thrown : unknownRun(id, near)
  }
}

/** Whoever mistypes an id has seen it lately. */
async function newestIds(store: AnyStore): Promise<string[]> {
  return (await store.list({ limit: 200 })).map((row) => row.id)
}

export async function stateOf(parts: EngineParts, id: string): Promise<RunState> {
  await requireRun(parts, id)
  const state = emptyState()
  for await (const event of parts.store.read(id)) foldEvent(state, event)
  return state
}

/** The state of what is open, and of the children of open blocks; `follow` sees each event that is read for it. */
export async function openStateOf(
  parts: EngineParts,
  id: string,
  follow?: (event: Event) => void,
): Promise<RunState> {
  await requireRun(parts, id)
  return (await foldOpen(parts.store, id, follow)).state
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
async function toolboxOf(tools: EngineOptions['tools'] = [], store: AnyStore): Promise<Toolbox> {
  if (Array.isArray(tools) && tools.length === 0) return lazyReader(store)
  const { openToolbox } = await import('./tools/toolbox.ts')
  return openToolbox(tools, store)
}
