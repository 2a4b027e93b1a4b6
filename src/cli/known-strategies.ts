/** Which strategies the command line knows: those that ship and, where they may be meant, those of the configuration. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONFIG_FILES, PACKAGE } from '../config/config-files.ts'
import { STRATEGIES, type Strategies } from '../strategies/registry.ts'
import { commandsFor } from './commands/index.ts'

/** Commands that get flags from strategies. */
const STEERED: ReadonlySet<string> = new Set(['skip', 'redo'])

/**
 * Strategies of the configuration add commands and flags, so it is read before the words are. Most commands do without them;
 * so does help where the configuration can't be read.
 */
export async function knownStrategies(words: readonly string[], asksHelp: boolean): Promise<Strategies> {
  const [first = ''] = words
  const isShipped = STRATEGIES.has(first) || commandsFor(STRATEGIES).has(first)
  if (isShipped && !STEERED.has(first)) return STRATEGIES
  const { workspace = '.' } = workspaceIn(words)
  // Without any of these, the reader of configurations need not be loaded.
  if (![...CONFIG_FILES, PACKAGE].some((file) => existsSync(join(workspace, file)))) return STRATEGIES
  try {
    const { readSetting } = await import('./setting.ts')
    return (await readSetting({ workspace })).strategies
  } catch (thrown) {
    if (asksHelp) return STRATEGIES
    throw thrown
  }
}

function workspaceIn(words: readonly string[]): { workspace?: string } {
  const options = { workspace: { type: 'string' } } as const
  const { workspace } = parseArgs({ args: [...words], options, strict: false }).values
  return typeof workspace === 'string' ? { workspace } : {}
}
