import type { Tool } from '../kernel/tool.ts'
import { meantText, ThinkonError } from '../protocol/index.ts'

/** What every provider accepts as a tool name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Combines built-in, MCP, executor and custom tools. Those that the user's configuration declares `idempotent`, by name, are
 * run again after a crash. Throws BAD_INPUT for a name that is invalid, taken or unknown.
 */
export function toolRegistry(tools: readonly Tool[], idempotent: readonly string[] = []): readonly Tool[] {
  const available: string[] = []
  for (const { name } of tools) {
    if (!NAME.test(name)) {
      const message = `"${name}" can't be a tool's name: letters, digits, _ and -, at most 64`
      throw new ThinkonError('BAD_INPUT', message)
    }
    if (available.includes(name)) throw new ThinkonError('BAD_INPUT', `there are two tools named ${name}`)
    available.push(name)
  }
  const unknown = idempotent.find((name) => !available.includes(name))
  if (unknown !== undefined) {
    const offered = tools.filter(({ hidden }) => hidden !== true).map(({ name }) => name)
    throw noSuchTool(unknown, offered)
  }
  return tools.map((tool) => (idempotent.includes(tool.name) ? { ...tool, idempotent: true } : tool))
}

/** `place` is where the name stands. */
export function noSuchTool(toolName: string, available: readonly string[], place = ''): ThinkonError {
  const meant = meantText(toolName, available)
  const message = `${place}no tool "${toolName}"${meant || `; there are: ${available.join(', ') || 'none'}`}`
  return new ThinkonError('NO_SUCH_TOOL', message, { data: { toolName, available } })
}
