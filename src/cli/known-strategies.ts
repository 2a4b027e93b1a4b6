/** The strategies that the command line knows: the built-in ones and, where they matter, those of the configuration. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONFIG_FILES, PACKAGE } from '../config/config.ts'
import { STRATEGIES, type Strategies } from '../strategies/registry.ts'
import { commandsFor } from './commands/index.ts'

/** Commands that get flags from strategies. */
const WITH_TARGETS: ReadonlySet<string> = new Set(['skip', 'redo'])

/**
 * Strategies of the configuration add commands and flags, so the configuration is read before the arguments are parsed. Most
 * commands do without it, and so does help if it can't be read.
 */
export async function knownStrategies(words: readonly string[], wantsHelp: boolean): Promise<Strategies> {
  const [first = ''] = words
  const isShipped = STRATEGIES.has(first) || commandsFor(STRATEGIES).has(first)
  if (isShipped && !WITH_TARGETS.has(first)) return STRATEGIES
  const { workspace = '.' } = workspaceIn(words)
  // Without any of these, the reader of configurations need not be loaded.
  if (![...CONFIG_FILES, PACKAGE].some((file) => existsSync(join(workspace, file)))) return STRATEGIES
  try {
    const { readSetting } = await import('./setting.ts')
    return (await readSetting({ workspace })).strategies
  } catch (thrown) {
    if (wantsHelp) return STRATEGIES
    throw thrown
  }
}

function workspaceIn(words: readonly string[]): { workspace?: string } {
  const options = { workspace: { type: 'string' } } as const
  const { workspace } = parseArgs({ args: [...words], options, strict: false }).values
  return typeof workspace === 'string' ? { workspace } : {}
}
