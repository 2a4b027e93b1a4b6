/**
 * Finds, reads and checks the configuration of a folder: `thinkon.config.ts`, `.mts`, `.js`, `.mjs` or `.json`, or "thinkon"
 * in `package.json`; exactly one of them. Parent folders are not searched: what a run may do is defined where it runs.
 */
import { join, resolve } from 'node:path'
import { readSmallFile } from '../files/read-small-file.ts'
import { isModelObject, type ModelChoice } from '../kernel/model-choice.ts'
import {
  defined,
  fallbackProblems,
  isObject,
  keyText,
  meantOrAll,
  routeProblems,
  strategyOptionProblems,
  ThinkonError,
} from '../protocol/index.ts'
import { CONFIG_FILES, PACKAGE, type RoleModel, type ThinkonConfig } from './config.ts'
import { absoluteSpec, absoluteSpecs } from './model-spec.ts'
import { modulePositions } from './module-positions.ts'
import { renameOldKeys } from './old-keys.ts'
import { ownStrategies } from './own-strategies.ts'
import { lineColumn, type Path, type Positions } from './positions.ts'
import { type ConfigProblem, configError, explain, type Finding, problemText } from './problems.ts'
import { readJson } from './read-json.ts'
import { readModule } from './read-module.ts'

export interface LoadedConfig {
  /** Checked; paths, and files in specs, are absolute, and strategies are loaded. Empty if there is no configuration. */
  readonly config: ThinkonConfig
  /** `thinkon.config.ts` or `package.json#thinkon`, for people; null if there is none. */
  readonly source: string | null
  readonly path: string | null
  /** One line each, with file and position; left out when there are none. */
  readonly warnings?: readonly string[]
}

export interface LoadOptions {
  /** Names of the strategies that ship, if they are known. */
  strategies?: readonly string[]
}

/** A configuration that was read and not executed. */
export interface FoundConfig {
  readonly folder: string
  /** `thinkon.config.ts` or `package.json#thinkon`. */
  readonly name: string
  readonly path: string
  /** Of `package.json` only what is under "thinkon". */
  readonly text: string
  /** It is executed when it is opened; otherwise it is data. */
  readonly isProgram: boolean
  open(): Source | Promise<Source>
}

const PACKAGE_KEY = 'thinkon'
const MAX_PROBLEMS = 20

/** Files that someone may expect to be read. */
const NOT_READ = ['cjs', 'cts', 'yaml', 'yml', 'toml', 'jsonc', 'json5'].map(
  (ending) => `thinkon.config.${ending}`,
)

export const NO_CONFIG: LoadedConfig = { config: {}, source: null, path: null }

/** Throws BAD_INPUT with the first 20 problems of the file, each with its line if that is known. */
export async function loadConfig(workspace: string, options: LoadOptions = {}): Promise<LoadedConfig> {
  const found = await findConfig(workspace)
  return found === null ? NO_CONFIG : openConfig(found, options)
}

/** Executes the configuration, if it is a program, and the strategies that it names. */
export async function openConfig(given: FoundConfig, options: LoadOptions = {}): Promise<LoadedConfig> {
  const { folder } = given
  const found = await given.open()
  const { value, path, file, source } = found
  const own = await ownStrategies((value as ThinkonConfig | null)?.strategies, folder)
  const names = options.strategies && [...options.strategies, ...own.strategies.map(({ name }) => name)]
  const findings = [...own.findings, ...(await check(value, names))]
  const doubles = found.doubles.map((double) => ({
    path: double,
    atKey: true,
    message: `"${double.at(-1)}" occurs twice${double.length > 1 ? ` in ${keyText(double.slice(0, -1))}` : ''}: the second would win`,
  }))
  refuse([...doubles, ...findings], found)
  const { config, warnings, problems } = renameOldKeys(value as ThinkonConfig)
  refuse(problems, found)
  const lines = warnings.map((warning) => problemText(file, positioned(warning, found)))
  return {
    config: { ...resolved(config, folder), ...(own.strategies.length > 0 && { strategies: own.strategies }) },
    source,
    path,
    ...(lines.length > 0 && { warnings: lines }),
  }
}

/** Throws BAD_INPUT with the first problems of the file. */
function refuse(findings: readonly Finding[], source: Source): void {
  if (findings.length === 0) return
  const { problems, more } = firstPositioned(findings, source)
  throw configError(source.file, problems, more)
}

/** Lines are counted for the problems that are shown only: each count reads the text up to its place. */
function firstPositioned(findings: readonly Finding[], source: Source) {
  const placed = findings.map((finding) => ({ finding, offset: offsetOf(finding, source) ?? -1 }))
  const first = placed.sort((a, b) => a.offset - b.offset).slice(0, MAX_PROBLEMS)
  const problems = first.map(({ finding }) => positioned(finding, source))
  return { problems, more: findings.length - first.length }
}

interface Source {
  value: unknown
  path: string
  /** Its name in errors. */
  file: string
  source: string
  doubles: readonly Path[]
  text: string
  positions: Positions
  /** The path to the configuration inside the file. */
  base: Path
}

/** Reads and executes nothing. Throws BAD_INPUT if there are two. */
export async function findConfig(workspace: string): Promise<FoundConfig | null> {
  const folder = resolve(workspace)
  const candidates = await Promise.all([...CONFIG_FILES, PACKAGE].map((file) => candidate(folder, file)))
  const found = candidates.filter((one) => one !== null)
  const names = found.map(({ name }) => name)
  if (names.length > 1) {
    const both = names.length === 2 ? 'both' : 'all'
    const message = `${names.join(' and ')} ${both} hold a configuration: keep one of them`
    throw new ThinkonError('BAD_INPUT', message, { data: { files: names } })
  }
  await refuseUnread(folder)
  return found[0] ?? null
}

/** Null if the file does not exist, or says nothing of Thinkon. */
async function candidate(folder: string, file: string): Promise<FoundConfig | null> {
  const path = join(folder, file)
  const text = await readText(path)
  if (text === null) return null
  if (file === PACKAGE) {
    const source = packageSource(text, path)
    if (source === null) return null
    const own = JSON.stringify(source.value)
    return { folder, name: source.source, path, text: own, isProgram: false, open: () => source }
  }
  const isProgram = !file.endsWith('.json')
  const open = isProgram ? moduleSource : jsonSource
  return { folder, name: file, path, text, isProgram, open: () => open(text, path, file) }
}

async function refuseUnread(folder: string): Promise<void> {
  for (const file of NOT_READ) {
    if ((await readText(join(folder, file))) === null) continue
    throw new ThinkonError('BAD_INPUT', `${file} is not read: name it ${CONFIG_FILES.join(', ')}`, {
      data: { file },
    })
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readSmallFile(path)
  } catch (error) {
    if (ThinkonError.isInstance(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    // A folder: while a command runs in the sandbox, there is one where a configuration could appear.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null
    throw new ThinkonError(
      'BAD_INPUT',
      `${path} can't be read: ${code === 'EISDIR' ? 'it is a folder' : code}`,
    )
  }
}

function jsonSource(text: string, path: string, file: string): Source {
  return { ...readJson(text, file), text, path, file, source: file, base: [] }
}

/** Null if it does not mention Thinkon; whatever else is wrong with it is not our concern. */
function packageSource(text: string, path: string): Source | null {
  if (!text.includes(`"${PACKAGE_KEY}"`)) return null
  const { value, positions, doubles } = readJson(text, PACKAGE)
  if (!isObject(value) || !Object.hasOwn(value, PACKAGE_KEY)) return null
  return {
    value: value[PACKAGE_KEY],
    positions,
    doubles: doubles.filter(([first]) => first === PACKAGE_KEY).map((double) => double.slice(1)),
    text,
    path,
    file: PACKAGE,
    source: `${PACKAGE}#${PACKAGE_KEY}`,
    base: [PACKAGE_KEY],
  }
}

async function moduleSource(text: string, path: string, file: string): Promise<Source> {
  const value = await readModule(path, text)
  return { value, positions: modulePositions(text), doubles: [], text, path, file, source: file, base: [] }
}

async function check(value: unknown, strategies: readonly string[] | undefined): Promise<Finding[]> {
  const { checkConfig } = await import('./schema.ts')
  const findings = checkConfig(value).map((issue) => explain(issue, value))
  const { strategy, routes, fallbacks, options } = (value ?? {}) as Record<string, unknown>
  if (strategies !== undefined && typeof strategy === 'string' && !strategies.includes(strategy)) {
    const meant = meantOrAll(strategy, strategies)
    findings.push({ path: ['strategy'], atKey: false, message: `strategy "${strategy}" is unknown${meant}` })
  }
  return [
    ...findings,
    ...routeProblems('routes', routes, strategies),
    ...fallbackProblems('fallbacks', fallbacks, strategies),
    ...strategyOptionProblems('options', options, strategies),
  ]
}

function offsetOf({ path, atKey }: Finding, { positions, base }: Source): number | undefined {
  return positions.offsetOf([...base, ...path], atKey)
}

function positioned(finding: Finding, source: Source): ConfigProblem {
  const { path, message } = finding
  const offset = offsetOf(finding, source)
  return {
    ...(offset === undefined ? {} : lineColumn(source.text, offset)),
    ...(path.length === 0 ? {} : { key: keyText(path) }),
    message,
  }
}

// --- paths are relative to the configuration's folder

function resolved(config: ThinkonConfig, folder: string): ThinkonConfig {
  const { model, models = {}, store, workspace, executors, serve } = config
  const inFolder = (path: string | undefined) => path && resolve(folder, path)
  const roles = Object.entries(defined(models)).map(([role, given]) => [role, withFolder(given, folder)])
  // A key whose value is undefined, as in `model: process.env.MODEL`, counts as missing.
  return defined({
    ...config,
    model: model && withFolder(model, folder),
    models: config.models && Object.fromEntries(roles),
    store: store === ':memory:' ? store : inFolder(store),
    workspace: inFolder(workspace),
    executors: inFolder(executors),
    serve: serve?.models
      ? { ...serve, models: serve.models.map((spec) => absoluteSpecs(spec, folder)) }
      : serve,
  })
}

function withFolder<T extends RoleModel>(model: T, folder: string): T {
  const inFolder = (given: RoleModel): RoleModel => {
    if (typeof given === 'string') return absoluteSpecs(given, folder)
    if (Array.isArray(given)) return given.map(inFolder) as ModelChoice[]
    if (isModelObject(given) || !('model' in given) || typeof given.model !== 'string') return given
    return { ...given, model: absoluteSpec(given.model, folder) }
  }
  return inFolder(model) as T
}
