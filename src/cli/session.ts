/** What a command works with: the engine on its store, the model and why it was chosen, the run. */
import {
  type ChosenModel,
  chooseModel,
  configuredModels,
  EMBEDDED_DEFAULT,
  type ThinkonConfig,
} from '../config/index.ts'
import { createEngine, type Engine, type EngineOptions } from '../engine.ts'
import type { RunRow } from '../kernel/store.ts'
import { type ApprovalConfig, defined, type Goal, ThinkonError } from '../protocol/index.ts'
import type { Strategies } from '../strategies/registry.ts'
import { type Lang, langOf } from '../views/words.ts'
import { textOption, type Values } from './command.ts'
import { badInput, langOption, outageOption } from './options.ts'
import { hasStore, placeOfRuns, readSetting, type Setting } from './setting.ts'
import { observed } from './telemetry.ts'
import { approvalOf, sandboxWarning, serversOf, toolsOf } from './tools.ts'

type SessionModel = Pick<ChosenModel, 'spec' | 'why'> & Partial<Pick<ChosenModel, 'from'>>

export interface Session {
  readonly engine: Engine
  readonly store: string
  /** The run goes on without this process. */
  readonly isInCluster: boolean
  readonly workspace: string
  readonly strategies: Strategies
  readonly config: ThinkonConfig
  readonly model: SessionModel
  /** What tools may do without asking. */
  readonly approval: ApprovalConfig
  /** The names of the MCP servers, which are connected to when a run begins. */
  readonly servers: readonly string[]
  /** Warns if tools can run commands and there is no sandbox. */
  warning(lang: Lang): Promise<string | null>
  /** A command to copy, with this session's flags: `thinkon resume … --store …`. */
  hint(words: string): string
}

/** Opens the engine and always closes it: to look at runs, or for what needs no tools and none but this model. */
export async function withSession<T>(
  values: Values,
  use: (session: Session) => Promise<T>,
  model = EMBEDDED_DEFAULT,
): Promise<T> {
  const setting = await readSetting(values)
  const session = sessionOf(values, setting, { spec: model, why: '' }, { model })
  try {
    return await use(session)
  } finally {
    await session.engine.close()
  }
}

/** Opens the engine to resume a run, where it lives. `recorded` is the model that the run was started with. */
export async function openSessionFor(values: Values, recorded: string | undefined): Promise<Session> {
  const { cluster } = await readSetting(values)
  return cluster === null ? openSession(values, recorded) : openClusterSession(values, recorded)
}

/** Opens the engine to work on a run. `recorded` is the model that the run was started with. */
export async function openSession(values: Values, recorded?: string): Promise<Session> {
  const setting = await readSetting(values)
  const { chosen, options } = await workOptions(values, setting, recorded)
  const session = sessionOf(values, setting, chosen, options)
  return { ...session, engine: await observed(session.engine, setting) }
}

/** What an engine works with, as the command line and the configuration say. */
export async function workOptions(
  values: Values,
  setting: Setting,
  recorded?: string,
): Promise<{ chosen: ChosenModel; options: EngineOptions }> {
  const { config } = setting.loaded
  await setting.confirm()
  const chosen: ChosenModel = await chooseModel({
    flag: textOption(values, 'model'),
    recorded,
    loaded: setting.loaded,
  })
  const record = textOption(values, 'record')
  const onOutage = outageOption(values) ?? config.onOutage
  const options = {
    ...configuredModels(chosen, config),
    ...defined({ promptTokens: config.promptTokens }),
    tools: toolsOf(values, setting),
    ...(record === undefined ? {} : { record }),
    ...(onOutage === undefined ? {} : { onOutage }),
  }
  return { chosen, options }
}

/** Opens the engine to see what a run needs besides a model. */
export async function openSessionWithoutModel(values: Values): Promise<Session> {
  const setting = await readSetting(values)
  const model = EMBEDDED_DEFAULT
  return sessionOf(values, setting, { spec: model, why: '' }, { model, tools: toolsOf(values, setting) })
}

/** Opens the engine on a cluster, whose workers have the models and the tools. `recorded` is the model of the run. */
async function openClusterSession(values: Values, recorded: string | undefined): Promise<Session> {
  const model = { spec: recorded ?? '?', why: 'in the cluster' }
  const setting = await readSetting(values)
  return sessionOf(values, setting, model, { model: EMBEDDED_DEFAULT })
}

function sessionOf(values: Values, setting: Setting, model: SessionModel, options: EngineOptions): Session {
  const { store, workspace, loaded, strategies } = setting
  const isInCluster = setting.cluster !== null
  const engine = engineOn(setting, options)
  const approval = approvalOf(values, setting)
  const flags = flagsOf(values)
  return {
    engine,
    store,
    isInCluster,
    workspace,
    strategies,
    config: loaded.config,
    model,
    approval,
    servers: Object.keys(serversOf(values, loaded.config)),
    warning: async (lang) => (isInCluster ? null : sandboxWarning(setting, lang)),
    hint: (words) => `thinkon ${words}${flags}`,
  }
}

/** An engine where the runs are. */
export function engineOn(setting: Setting, options: EngineOptions): Engine {
  return createEngine({
    ...placeOfRuns(setting),
    ...options,
    strategies: [...setting.strategies.values()],
  })
}

function flagsOf(values: Values): string {
  const workspace = textOption(values, 'workspace')
  const store = textOption(values, 'store')
  const host = textOption(values, 'host')
  return (
    (workspace === undefined ? '' : ` --workspace ${quote(workspace)}`) +
    (store === undefined ? '' : ` --store ${quote(store)}`) +
    (host === undefined ? '' : ` --host ${quote(host)}`)
  )
}

/** The language in which a run is talked about: what is asked for, what is configured, or its goal's. */
export function langFor(values: Values, { config }: Pick<Session, 'config'>, goal: Goal): Lang {
  return langOption(values) ?? config.lang ?? langOf(goal)
}

/** Finds a run by its id, the beginning of one (with or without the date), or `last`. */
export async function findRun(engine: Engine, given: string): Promise<RunRow> {
  if (given === 'last') {
    const [newest] = await engine.list({ limit: 1 })
    if (newest !== undefined) return newest
    throw unknown('there are no runs yet', given)
  }
  const rows = given === '' ? [] : await engine.list({ search: given })
  const exact = rows.find(({ id }) => id === given)
  if (exact !== undefined) return exact
  const matches = rows.filter(({ id }) => id.startsWith(given) || withoutDate(id).startsWith(given))
  if (matches.length === 1) return matches[0] as RunRow
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => id)
    const some = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`
    throw badInput(`"${given}" matches ${ids.length} runs: ${some}`, { runs: ids })
  }
  throw unknown(`there is no run "${given}" in this store; thinkon list shows the runs`, given)
}

/** A session on a store that must exist, and a run in it. */
export function withRun<T>(
  values: Values,
  given: string,
  use: (session: Session, row: RunRow) => Promise<T>,
): Promise<T> {
  return withStore(values, given, async (session) => {
    const row = await findRun(session.engine, given).catch(async (thrown) => {
      throw (await livesElsewhere(values, session.isInCluster, given)) ?? thrown
    })
    return use(session, row)
  })
}

/** A run that is not found may live with the other host: then where, and what to do. */
async function livesElsewhere(
  values: Values,
  isInCluster: boolean,
  given: string,
): Promise<ThinkonError | null> {
  const host = isInCluster ? 'local' : 'cluster'
  const { store: _, ...others } = values
  try {
    const setting = await readSetting({ ...others, host })
    if (given === 'last' || !hasStore(setting)) return null
    const engine = createEngine(placeOfRuns(setting))
    try {
      const { id } = await findRun(engine, given)
      return unknown(`run ${id} is not here: it lives in ${setting.store}; add --host ${host}`, id)
    } finally {
      await engine.close()
    }
  } catch {
    // There is no other place, or it can't be reached, or the run is not there either.
    return null
  }
}

/** A session on a store that must exist; `given` is the run that it is opened for. */
export async function withStore<T>(
  values: Values,
  given: string | null,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const setting = await readSetting(values)
  if (!hasStore(setting)) {
    const elsewhere = given === null ? null : await livesElsewhere(values, false, given)
    if (elsewhere !== null) throw elsewhere
    const what = given === null ? 'there are no runs' : `there is no run "${given}"`
    throw unknown(`${what}: there is no store ${setting.store} yet`, given ?? '')
  }
  return withSession(values, use)
}

function unknown(message: string, run: string): ThinkonError {
  return new ThinkonError('UNKNOWN_RUN', message, { data: { run } })
}

function withoutDate(id: string): string {
  return id.slice(id.indexOf('-') + 1)
}

export function quote(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
