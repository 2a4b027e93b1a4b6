/**
 * Loads the configuration of a folder if a person trusts it as it is now. Before that, nothing of the folder is executed: it is read and
 * described. What is loaded is then checked against what was trusted, file by file, at the moment when it is loaded.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundConfig, findConfig, type LoadedConfig, NO_CONFIG, openConfig } from '../../config/index.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { STRATEGIES } from '../../strategies/registry.ts'
import type { TrustOptions } from './folder-trust.ts'

export interface LoadTrustedOptions extends TrustOptions {
  /** What happens if nobody has trusted it yet: a person is asked, or the defaults are used. */
  readonly untrusted: 'ask' | 'defaults'
}

export interface TrustedConfig {
  readonly loaded: LoadedConfig
  /** The configuration that is not trusted, in whose place the defaults are used. */
  readonly notUsed?: string
  /** Throws UNTRUSTED if the executors' file or a blueprint is not as it was trusted. */
  checkFile(path: string, text: string): void
}

export async function loadTrusted(workspace: string, options: LoadTrustedOptions): Promise<TrustedConfig> {
  const folder = realpathSync(workspace)
  const found = await findConfig(folder)
  if (isTrustedProcess() && !options.isGiven)
    return { loaded: await load(folder, found), checkFile: () => {} }
  // Most folders have nothing to trust: what trust takes is not loaded for them.
  const toTrust = found === null || setsNothing(found) ? null : found
  if (toTrust === null && !OWN_FOLDERS.some((name) => existsSync(join(folder, name))))
    return { loaded: await load(folder, found), checkFile: refuse }
  const { folderTrust } = await import('./folder-trust.ts')
  const { writtenValue } = await import('./inspect-folder.ts')
  const trust = folderTrust(folder, toTrust, options)
  const { checkFile } = trust
  if (options.untrusted === 'defaults' && !options.isGiven) {
    if (trust.holdsConfig()) return { loaded: await load(folder, found, trust.enter), checkFile }
    sayOnce(
      `${found?.name} is not trusted as it is now, so the defaults are used: thinkon trust shows and trusts it`,
      options,
    )
    return { loaded: NO_CONFIG, checkFile, ...(found && { notUsed: found.name }) }
  }
  await trust.ensure(await writtenValue(found))
  const loaded = await load(folder, found, trust.enter)
  // Only its execution tells all that a program does.
  if (found?.isProgram) await trust.ensure(loaded.config, true)
  return { loaded, checkFile }
}

/** Nothing is asked, and nothing remembered: for CI. */
export function isTrustedProcess(): boolean {
  return process.env.THINKON_TRUST === '1'
}

/** `{}` has the defaults. */
function setsNothing({ isProgram, text }: FoundConfig): boolean {
  return !isProgram && /^\s*\{\s*\}\s*$/.test(text)
}

/** Where executors and blueprints are. */
const OWN_FOLDERS = ['.thinkon/executors', '.thinkon/blueprints']

/** It was not there when the command began. */
function refuse(path: string): never {
  throw new ThinkonError('UNTRUSTED', `${path} has come since this command began: thinkon trust`, {
    data: { files: [path] },
  })
}

/** `enter` is called with each file that is going to be executed. */
async function load(
  folder: string,
  found: FoundConfig | null,
  enter?: (path: string) => void,
): Promise<LoadedConfig> {
  if (found === null) return NO_CONFIG
  if (found.isProgram) enter?.(found.path)
  const strategies = [...STRATEGIES.keys()]
  if (enter === undefined) return openConfig(found, { strategies })
  const { codeNamedIn } = await import('./powers.ts')
  const loaded = await openConfig(found, { strategies, onLoad: enter })
  for (const path of codeNamedIn(loaded.config, folder)) enter(path)
  return loaded
}

const said = new Set<string>()

/** A command may read the configuration several times. */
function sayOnce(text: string, { remark }: TrustOptions): void {
  if (!said.has(text)) remark(text)
  said.add(text)
}
