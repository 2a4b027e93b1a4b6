import type { Tool } from '../kernel/tool.ts'
import { ThinkonError } from '../protocol/index.ts'

export interface RegistryOptions {
  /** Names of tools that the user's configuration declares idempotent: they are run again after a crash. */
  readonly idempotent?: readonly string[]
  /** Only these, when given. */
  readonly only?: readonly string[]
}

/** What every provider accepts as a tool name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Combines built-in, MCP, executor and custom tools; throws BAD_INPUT for a name that is invalid, taken or unknown. */
export function toolRegistry(
  sources: readonly (readonly Tool[])[],
  options: RegistryOptions = {},
): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of sources.flat()) {
    if (!NAME.test(tool.name)) {
      throw new ThinkonError(
        'BAD_INPUT',
        `"${tool.name}" can't be a tool's name: letters, digits, _ and -, at most 64`,
      )
    }
    if (byName.has(tool.name)) throw new ThinkonError('BAD_INPUT', `there are two tools named ${tool.name}`)
    byName.set(tool.name, tool)
  }
  const available = [...byName.keys()]
  for (const name of [...(options.idempotent ?? []), ...(options.only ?? [])]) {
    if (byName.has(name)) continue
    throw new ThinkonError(
      'NO_SUCH_TOOL',
      `no tool "${name}"; there are: ${available.join(', ') || 'none'}`,
      {
        data: { toolName: name, available },
      },
    )
  }
  const idempotent = new Set(options.idempotent)
  return [...byName.values()]
    .filter(({ name }) => options.only?.includes(name) ?? true)
    .map((tool) => (idempotent.has(tool.name) ? { ...tool, idempotent: true } : tool))
}
