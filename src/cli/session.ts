/** What a command works with: the engine on its store, the model and why it was chosen, the run. */
import { existsSync } from 'node:fs'
import {
  type ChosenModel,
  chooseModel,
  configuredModels,
  EMBEDDED_DEFAULT,
  type ThinkonConfig,
} from '../config/index.ts'
import { createEngine, type Engine, type EngineOptions } from '../engine.ts'
import type { RunRow } from '../kernel/store.ts'
import { type ApprovalConfig, defined, ThinkonError } from '../protocol/index.ts'
import type { Strategies } from '../strategies/registry.ts'
import { textOption, type Values } from './command.ts'
import { badInput, outageOption } from './options.ts'
import { MEMORY, readSetting, type Setting } from './setting.ts'
import { approvalOf, sandboxWarning, toolsOf } from './tools.ts'
import { signatureOf } from './trust/own-runs.ts'

export interface Session {
  readonly engine: Engine
  readonly store: string
  readonly workspace: string
  readonly strategies: Strategies
  readonly config: ThinkonConfig
  readonly model: { spec: string; why: string }
  /** What tools may do without asking. */
  readonly approval: ApprovalConfig
  /** Warns if tools can run commands and there is no sandbox. */
  warning(): Promise<string | null>
  /** A command to copy, with this session's flags: `thinkon resume … --store …`. */
  hint(words: string): string
}

/** Opens the engine to look at runs and always closes it. No model is chosen, no tool is opened. */
export async function withSession<T>(values: Values, use: (session: Session) => Promise<T>): Promise<T> {
  const setting = await readSetting(values)
  const session = sessionOf(values, setting, { spec: EMBEDDED_DEFAULT, why: '' }, { model: EMBEDDED_DEFAULT })
  try {
    return await use(session)
  } finally {
    await session.engine.close()
  }
}

/** Opens the engine to work on a run. `recorded` is the model that the run was started with. */
export async function openSession(values: Values, recorded?: string): Promise<Session> {
  const setting = await readSetting(values)
  const { config } = setting.loaded
  const chosen: ChosenModel = await chooseModel({
    flag: textOption(values, 'model'),
    recorded,
    loaded: setting.loaded,
  })
  const record = textOption(values, 'record')
  const onOutage = outageOption(values) ?? config.onOutage
  return sessionOf(values, setting, chosen, {
    ...configuredModels(chosen, config),
    ...defined({ promptTokens: config.promptTokens }),
    tools: toolsOf(values, setting),
    ...(record === undefined ? {} : { record }),
    ...(onOutage === undefined ? {} : { onOutage }),
  })
}

/** Opens the engine to see what a run needs besides a model. */
export async function openSessionWithoutModel(values: Values): Promise<Session> {
  const setting = await readSetting(values)
  const model = EMBEDDED_DEFAULT
  return sessionOf(values, setting, { spec: model, why: '' }, { model, tools: toolsOf(values, setting) })
}

function sessionOf(
  values: Values,
  setting: Setting,
  model: { spec: string; why: string },
  options: EngineOptions,
): Session {
  const { store, workspace, loaded, strategies } = setting
  const engine = createEngine({ ...options, strategies: [...strategies.values()], store, sign: signatureOf })
  const approval = approvalOf(values, setting)
  const flags = flagsOf(values)
  return {
    engine,
    store,
    workspace,
    strategies,
    config: loaded.config,
    model,
    approval,
    warning: () => sandboxWarning(setting),
    hint: (words) => `thinkon ${words}${flags}`,
  }
}

function flagsOf(values: Values): string {
  const workspace = textOption(values, 'workspace')
  const store = textOption(values, 'store')
  return (
    (workspace === undefined ? '' : ` --workspace ${quote(workspace)}`) +
    (store === undefined ? '' : ` --store ${quote(store)}`)
  )
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
  return withStore(values, given, async (session) => use(session, await findRun(session.engine, given)))
}

/** A session on a store that must exist; `given` is the run that it is opened for. */
export async function withStore<T>(
  values: Values,
  given: string | null,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const { store } = await readSetting(values)
  if (store === MEMORY || !existsSync(store)) {
    const what = given === null ? 'there are no runs' : `there is no run "${given}"`
    throw unknown(`${what}: there is no store ${store} yet`, given ?? '')
  }
  return withSession(values, use)
}

function unknown(message: string, run: string): ThinkonError {
  return new ThinkonError('UNKNOWN_RUN', message, { data: { run } })
}

function withoutDate(id: string): string {
  return id.slice(id.indexOf('-') + 1)
}

function quote(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
