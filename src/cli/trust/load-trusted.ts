/**
 * Loads the configuration of a folder if a person trusts it as it is now. Before that, nothing of the folder is executed: it is read and
 * described.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundConfig, findConfig, type LoadedConfig, NO_CONFIG, openConfig } from '../../config/index.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { STRATEGIES } from '../../strategies/registry.ts'
import type { TrustOptions } from './folder-trust.ts'

export interface LoadTrustedOptions extends TrustOptions {
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
    return { loaded: await load(folder, found), checkFile: () => {}, confirm }
  const toTrust = found !== null && (found.isProgram || !/^\s*\{\s*\}\s*$/.test(found.text)) ? found : null
  // Most folders have nothing to trust: the modules of trust are not loaded for them.
  if (toTrust === null && !OWN_FOLDERS.some((name) => existsSync(join(folder, name))))
    return { loaded: await load(folder, found), checkFile: refuse, confirm }
  const { folderTrust } = await import('./folder-trust.ts')
  const { writtenValue } = await import('./inspect-folder.ts')
  const trust = folderTrust(folder, toTrust, options)
  const written = await writtenValue(found)
  if (options.untrusted === 'ask' || options.isGiven) await trust.ensure(written)
  else if (!(await trust.holds(written))) {
    const name = found?.name ?? 'what is in .thinkon'
    remarkOnce(
      `${name} is not trusted as it is now, so the defaults are used: thinkon trust shows and trusts it`,
      options,
    )
    return { loaded: NO_CONFIG, ...trust, ...(found && { notUsed: found.name }) }
  }
  const loaded = await load(folder, found, trust.enter)
  // Only its execution shows all that a program does.
  if (found?.isProgram && (options.untrusted === 'ask' || options.isGiven))
    await trust.ensureLoaded(loaded.config)
  return { loaded, ...trust }
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

/** `enter` is called with each file that is going to be executed. */
async function load(
  folder: string,
  found: FoundConfig | null,
  enter?: (path: string) => void,
): Promise<LoadedConfig> {
  if (found === null) return NO_CONFIG
  if (found.isProgram) enter?.(found.path)
  const loaded = await openConfig(found, {
    strategies: [...STRATEGIES.keys()],
    ...(enter && { onLoad: enter }),
  })
  if (enter === undefined) return loaded
  const { codeNamedIn } = await import('./powers.ts')
  for (const path of codeNamedIn(loaded.config, folder)) enter(path)
  return loaded
}

const said = new Set<string>()
/** A command may read the configuration several times. */
function remarkOnce(text: string, { remark }: TrustOptions): void {
  if (!said.has(text)) remark(text)
  said.add(text)
}
