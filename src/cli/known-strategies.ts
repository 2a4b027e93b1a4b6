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
  const isCompleting = first === 'completion' && words[1] === 'next'
  if (isShipped && !isCompleting && !WITH_TARGETS.has(first)) return STRATEGIES
  const { workspace = '.', trust = false } = valuesIn(words)
  // Without any of these, the reader of configurations need not be loaded.
  if (![...CONFIG_FILES, PACKAGE].some((file) => existsSync(join(workspace, file)))) return STRATEGIES
  // Help executes nothing that is not trusted, and a word that is no command may be mistyped.
  const untrusted = WITH_TARGETS.has(first) && !wantsHelp ? {} : { untrusted: 'defaults' }
  try {
    const { readSetting } = await import('./setting.ts')
    return (await readSetting({ workspace, trust, ...untrusted, json: words.includes('--json') })).strategies
  } catch (thrown) {
    if (wantsHelp) return STRATEGIES
    throw thrown
  }
}

function valuesIn(words: readonly string[]): { workspace?: string; trust?: boolean } {
  const options = { workspace: { type: 'string' }, trust: { type: 'boolean' } } as const
  const { workspace, trust } = parseArgs({ args: [...words], options, strict: false }).values
  return { ...(typeof workspace === 'string' && { workspace }), trust: trust === true }
}
