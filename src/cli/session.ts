/** What a command works with: the engine on the right store, the model and why it is that one, the run that is meant. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createEngine, type Engine } from '../engine.ts'
import type { RunRow } from '../kernel/store.ts'
import { DEFAULT_MODEL } from '../models/open-model.ts'
import { ThinkonError } from '../protocol/index.ts'
import { textOption, type Values } from './command.ts'
import { badInput } from './options.ts'

export interface Session {
  readonly engine: Engine
  readonly store: string
  readonly workspace: string
  readonly model: ModelChoice
  /** The command as it can be typed here: `thinkon resume … --store …`. */
  hint(words: string): string
}

export interface ModelChoice {
  spec: string
  why: string
}

export const MEMORY = ':memory:'

/** Opens the engine for one command and closes it after, whatever happens. */
export async function withSession<T>(
  values: Values,
  use: (session: Session) => Promise<T>,
  model: ModelChoice = EMBEDDED,
): Promise<T> {
  const session = openSession(values, model)
  try {
    return await use(session)
  } finally {
    await session.engine.close()
  }
}

export function openSession(values: Values, model: ModelChoice): Session {
  const { store, workspace, given } = places(values)
  const engine = createEngine({ model: model.spec, store })
  return { engine, store, workspace, model, hint: (words) => `thinkon ${words}${given}` }
}

/** Where the store is; without one, there are no runs to work on. */
export function storeOf(values: Values): { store: string; exists: boolean } {
  const { store } = places(values)
  return { store, exists: store !== MEMORY && existsSync(store) }
}

/** Makes the store's folder; the default one with a note for Git that it is nobody else's. */
export function prepareStore(values: Values): void {
  const { store, isDefault } = places(values)
  if (store === MEMORY) return
  const folder = dirname(store)
  const isNew = !existsSync(folder)
  try {
    makeFolder(folder)
    if (isDefault && isNew) writeFileSync(join(folder, '.gitignore'), '*\n')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ThinkonError('STORE_IO', `the folder of the store can't be made: ${why}`, { cause })
  }
}

/** Not `recursive`: on a file system such as /proc, Node then tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

function places(values: Values) {
  const workspaceOption = textOption(values, 'workspace')
  const workspace = resolve(workspaceOption ?? '.')
  if (!existsSync(workspace) || !statSync(workspace).isDirectory()) {
    throw badInput(`the workspace ${workspace} is not a folder`)
  }
  const option = textOption(values, 'store')
  if (option === '') throw badInput('--store is empty: give a file')
  const chosen = option ?? (process.env.THINKON_STORE || undefined)
  const store = chosen === undefined ? join(workspace, '.thinkon', 'runs.db') : storePath(chosen)
  const given =
    (workspaceOption === undefined ? '' : ` --workspace ${quote(workspaceOption)}`) +
    (option === undefined ? '' : ` --store ${quote(option)}`)
  return { workspace, store, isDefault: chosen === undefined, given }
}

function storePath(given: string): string {
  if (given === MEMORY) return MEMORY
  const path = resolve(given)
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw badInput(`the store ${path} is a folder: give a file, such as ${join(given, 'runs.db')}`)
  }
  return path
}

// --- the model

const EMBEDDED: ModelChoice = { spec: DEFAULT_MODEL, why: 'none was given: a script, not a language model' }

export function chooseModel(values: Values, recorded?: string): ModelChoice {
  const option = textOption(values, 'model')
  if (option === DEFAULT_MODEL) return { spec: option, why: 'a script, not a language model' }
  if (option !== undefined) return { spec: absoluteSpec(option), why: 'given with --model' }
  if (recorded !== undefined) return { spec: recorded, why: 'as the run was begun' }
  const env = process.env.THINKON_MODEL
  if (env) return { spec: absoluteSpec(env), why: 'from THINKON_MODEL' }
  return EMBEDDED
}

/** The run remembers its model, and may be resumed from another folder. */
function absoluteSpec(spec: string): string {
  return spec.startsWith('module:') && spec.length > 7 ? `module:${resolve(spec.slice(7))}` : spec
}

// --- the run

/** The run that is meant: its id, the beginning of one (with or without the date), or `last`. */
export async function findRun(engine: Engine, given: string): Promise<RunRow> {
  const rows = await engine.list()
  const exact = given === 'last' ? rows[0] : rows.find(({ id }) => id === given)
  if (exact !== undefined) return exact
  if (given === 'last') throw unknown('there are no runs yet', given)
  const fits =
    given === '' ? [] : rows.filter(({ id }) => id.startsWith(given) || tailOf(id).startsWith(given))
  if (fits.length === 1) return fits[0] as RunRow
  if (fits.length > 1) {
    const ids = fits.map(({ id }) => id)
    throw badInput(
      `"${given}" fits ${ids.length} runs: ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`,
      {
        runs: ids,
      },
    )
  }
  throw unknown(`there is no run "${given}" in this store; thinkon list shows the runs there are`, given)
}

/** A session on a store that must exist, and the run in it that is meant. */
export async function withRun<T>(
  values: Values,
  given: string,
  use: (session: Session, row: RunRow) => Promise<T>,
): Promise<T> {
  const { store, exists } = storeOf(values)
  if (!exists) throw unknown(`there is no run "${given}": there is no store ${store} yet`, given)
  return withSession(values, async (session) => use(session, await findRun(session.engine, given)))
}

function unknown(message: string, run: string): ThinkonError {
  return new ThinkonError('UNKNOWN_RUN', message, { data: { run } })
}

function tailOf(id: string): string {
  return id.slice(id.indexOf('-') + 1)
}

function quote(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
