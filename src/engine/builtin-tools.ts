/** The built-in tools for an engine of the library: loaded and opened when it is first used, closed with it. */
import type { OpenTools, ToolsOptions } from '../tools/open-tools.ts'

export interface BuiltinToolsOptions extends Omit<ToolsOptions, 'workspace' | 'builtin'> {
  /** The folder that they work in; the current one unless given. */
  workspace?: string
  /** The names of those that there are; all without it. What strategies have memory and blueprints by is there in any case. */
  only?: readonly string[]
}

export function builtinTools(options: BuiltinToolsOptions = {}): () => Promise<OpenTools> {
  const { only, workspace = process.cwd(), ...rest } = options
  return async () => {
    const { openTools, STRATEGY_TOOLS } = await import('../tools/open-tools.ts')
    const opened = await openTools({ ...rest, workspace })
    if (only === undefined) return opened
    const wanted = [...only, ...STRATEGY_TOOLS]
    return {
      tools: opened.tools.filter(({ name }) => wanted.includes(name)),
      close: () => opened.close(),
    }
  }
}
