/** Loads the configuration of a folder if a person trusts it as it is now. Before that, it is read but not executed. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundConfig, findConfig, type LoadedConfig, NO_CONFIG, openConfig } from '../../config/index.ts'
import { watchImports } from '../../config/program-imports.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { STRATEGIES } from '../../strategies/registry.ts'
import type { AskingOptions } from './ask-trust.ts'

export interface LoadTrustedOptions extends AskingOptions {
  /** Without trust: a person is asked, or the defaults are used. */
  readonly untrusted: 'ask' | 'defaults'
}

export interface TrustedConfig {
  readonly loaded: LoadedConfig
  /** The configuration that is not trusted; the defaults are used instead. */
  readonly notUsed?: string
  /** Throws UNTRUSTED if the executors' file or a blueprint is not as it was trusted. */
  checkFile(path: string, text: string): void
  /** Call it before commands of the configuration are started: asks for those whose code can't be checked for changes. */
  confirm(): Promise<void>
}

export async function loadTrusted(workspace: string, options: LoadTrustedOptions): Promise<TrustedConfig> {
  const folder = realpathSync(workspace)
  const found = await findConfig(folder)
  const isTrusted = isTrustedProcess() && !options.isGiven
  // Most folders have nothing to trust: the modules of trust are not loaded for them.
  if (isTrusted || isEmpty(folder, found))
    return { loaded: await load(found), checkFile: isTrusted ? () => {} : refuse, confirm: async () => {} }
  return loadFolder(folder, found, options)
}

async function loadFolder(
  folder: string,
  found: FoundConfig | null,
  options: LoadTrustedOptions,
): Promise<TrustedConfig> {
  const { folderTrust } = await import('./folder-trust.ts')
  const { codeNamedIn, writtenValue } = await import('./inspect-folder.ts')
  const { checkFile, ensure } = folderTrust(folder, found, options)
  const mayAsk = options.untrusted === 'ask' || options.isGiven
  let value = await writtenValue(found)
  const trusted = { checkFile, confirm: async () => void (await ensure(value, 'start')) }
  if (!(await ensure(value, 'text', mayAsk))) {
    remarkOnce(found?.name ?? 'what is in .thinkon', options)
    return { ...trusted, loaded: NO_CONFIG, ...(found && { notUsed: found.name }) }
  }
  if (found === null) return { ...trusted, loaded: NO_CONFIG }
  if (found.isProgram) watchImports(found.path, checkFile)
  const source = await found.open()
  value = source.value
  for (const path of codeNamedIn(value, folder)) watchImports(path, checkFile)
  const loaded = await load({ ...found, open: () => source })
  // Only its execution shows all that a program does.
  if (found.isProgram && mayAsk) await ensure(value, 'value')
  return { ...trusted, loaded }
}

/** Nothing is asked and nothing is remembered: for CI. */
export function isTrustedProcess(): boolean {
  return process.env.THINKON_TRUST === '1'
}

/** Neither a configuration nor executors or blueprints. */
function isEmpty(folder: string, found: FoundConfig | null): boolean {
  const isSet = found !== null && (found.isProgram || !/^\s*\{\s*\}\s*$/.test(found.text))
  return !isSet && !['executors', 'blueprints'].some((name) => existsSync(join(folder, '.thinkon', name)))
}

async function load(found: FoundConfig | null): Promise<LoadedConfig> {
  return found === null ? NO_CONFIG : openConfig(found, { strategies: [...STRATEGIES.keys()] })
}

function refuse(path: string): never {
  const message = `${path} has appeared since this command began: thinkon trust`
  throw new ThinkonError('UNTRUSTED', message, { data: { files: [path] } })
}

const said = new Set<string>()
/** A command may read the configuration several times. */
function remarkOnce(name: string, { remark }: AskingOptions): void {
  if (!said.has(name))
    remark(`${name} is not trusted as it is now, so the defaults are used: thinkon trust shows and trusts it`)
  said.add(name)
}
