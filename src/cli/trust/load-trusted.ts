/**
 * Loads the configuration of a folder if a person trusts it as it is now. Before that, nothing of the folder is executed: it is read and
 * described.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundConfig, findConfig, type LoadedConfig, NO_CONFIG, openConfig } from '../../config/index.ts'
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
  const confirm = async () => {}
  if (isTrustedProcess() && !options.isGiven)
    return { loaded: (await load(found)).loaded, checkFile: () => {}, confirm }
  const isEmpty = found === null || (!found.isProgram && /^\s*\{\s*\}\s*$/.test(found.text))
  // Most folders have nothing to trust: the modules of trust are not loaded for them.
  if (isEmpty && !OWN_FOLDERS.some((name) => existsSync(join(folder, name))))
    return { loaded: (await load(found)).loaded, checkFile: refuse, confirm }
  return loadFolder(folder, found, isEmpty ? null : found, options)
}

async function loadFolder(
  folder: string,
  found: FoundConfig | null,
  toTrust: FoundConfig | null,
  options: LoadTrustedOptions,
): Promise<TrustedConfig> {
  const { folderTrust } = await import('./folder-trust.ts')
  const { codeNamedIn, writtenValue } = await import('./inspect-folder.ts')
  const { checkFile, enter, ensure, holds } = folderTrust(folder, toTrust, options)
  const mayAsk = options.untrusted === 'ask' || options.isGiven
  let value = await writtenValue(found)
  const confirm = () => ensure(value, 'start')
  if (mayAsk) await ensure(value, 'text')
  else if (!(await holds(value))) {
    remarkOnce(found?.name ?? 'what is in .thinkon', options)
    return { loaded: NO_CONFIG, checkFile, confirm, ...(found && { notUsed: found.name }) }
  }
  const opened = await load(found, enter, (named) => codeNamedIn(named, folder))
  value = opened.value
  // Only its execution shows all that a program does.
  if (found?.isProgram && mayAsk) await ensure(value, 'value')
  return { loaded: opened.loaded, checkFile, confirm }
}

/** Nothing is asked and nothing is remembered: for CI. */
export function isTrustedProcess(): boolean {
  return process.env.THINKON_TRUST === '1'
}

/** Of executors and blueprints. */
const OWN_FOLDERS = ['.thinkon/executors', '.thinkon/blueprints']

function refuse(path: string): never {
  const message = `${path} has appeared since this command began: thinkon trust`
  throw new ThinkonError('UNTRUSTED', message, { data: { files: [path] } })
}

/** `enter` is called with each file that is going to be executed. `value` is the configuration as it was written. */
async function load(
  found: FoundConfig | null,
  enter: (path: string) => void = () => {},
  codeNamedIn: (value: unknown) => string[] = () => [],
): Promise<{ loaded: LoadedConfig; value: unknown }> {
  if (found === null) return { loaded: NO_CONFIG, value: {} }
  if (found.isProgram) enter(found.path)
  const source = await found.open()
  for (const path of codeNamedIn(source.value)) enter(path)
  const options = { strategies: [...STRATEGIES.keys()], onLoad: enter }
  return { loaded: await openConfig({ ...found, open: () => source }, options), value: source.value }
}

const said = new Set<string>()
/** A command may read the configuration several times. */
function remarkOnce(name: string, { remark }: AskingOptions): void {
  if (!said.has(name))
    remark(`${name} is not trusted as it is now, so the defaults are used: thinkon trust shows and trusts it`)
  said.add(name)
}
