/**
 * The tools of a run, as configured: built-in tools, executors and MCP servers; and those that strategies call by name, for
 * memory and blueprints. Whoever opens them closes them.
 */
import { READ_RESULT } from '../kernel/brief/shown-result.ts'
import type { Tool } from '../kernel/tool.ts'
import { ThinkonError } from '../protocol/index.ts'
import { BLUEPRINT_TOOLS, blueprintTools } from './blueprints/blueprint-tools.ts'
import { type BuiltinOptions, builtinTools } from './builtin/index.ts'
import type { McpServers } from './mcp/server-config.ts'
import type { MemoryOptions } from './memory/memory.ts'
import { MEMORY_TOOLS, memoryTools } from './memory/memory-tools.ts'
import { noSuchTool, toolRegistry } from './registry.ts'
import { removeLeftPlaceholders } from './seal.ts'

export interface ToolsOptions extends Pick<BuiltinOptions, 'shell' | 'http'> {
  /** Its executors are used, and it is the folder of runs that name none. */
  workspace: string
  /** Which built-in tools are available; all if left out. */
  builtin?(name: string): boolean
  /** The names of the built-in tools and executors to have; all if left out. Tools of MCP servers and of strategies are always there. */
  only?: readonly string[]
  /** MCP servers by name, or a list of commands and URLs, whose tools are there too. They are started on the engine's first use. */
  mcp?: McpServers
  /** The executors' file; if left out, the workspace's own, if there is one. */
  executors?: string
  /** Called with the path and text of the executors' file and of each blueprint before it is used; throws to refuse it. */
  checkFile?(path: string, text: string): void
  /** How the workspace's memory is searched; false for no memory. Default: by words, and by meaning where there is an embedding. */
  memory?: false | MemoryOptions
  /** Names of tools that may be run again after a crash, besides those that only read. Default: none. */
  idempotent?: readonly string[]
}

export interface OpenTools {
  readonly tools: readonly Tool[]
  close(): Promise<void>
}

/** Called by strategies, never offered to models. */
export const STRATEGY_TOOLS: readonly string[] = [...MEMORY_TOOLS, ...BLUEPRINT_TOOLS]

export async function openTools(options: ToolsOptions): Promise<OpenTools> {
  const { workspace, shell, http, idempotent = [], mcp = {}, memory = {} } = options
  await removeLeftPlaceholders(workspace)
  const builtin = builtinTools({ ...(shell && { shell }), ...(http && { http }) })
  const isOn = (name: string) => options.builtin?.(name) ?? true
  const wanted = builtin.filter(({ name }) => isOn(name))
  const { executorTools, loadExecutors } = await import('./executors/executor-tools.ts')
  const executors = await loadExecutors(workspace, options.executors, options.checkFile)
  // Without the shell there is no generic executor, either: it is the same by another name.
  const allowed = executors.filter(({ command }) => command !== null || isOn('shell'))
  const ofExecutors = executorTools(allowed, shell)
  const remembering = memory === false ? null : memoryTools(memory)
  const ofStrategies = [...(remembering?.tools ?? []), ...blueprintTools(options.checkFile)]
  const servers = Object.keys(mcp).length === 0 ? null : (await import('./mcp/mcp-client.ts')).mcpClient(mcp)
  try {
    const remote = servers === null ? [] : await servers.tools()
    const own = chosen([...wanted, ...ofExecutors], options, remote)
    const tools = [...own.map(guarded), ...ofStrategies, ...remote]
    return {
      tools: toolRegistry(tools, idempotent),
      async close() {
        try {
          remembering?.close()
        } finally {
          await servers?.close()
        }
      },
    }
  } catch (error) {
    await servers?.close()
    throw error
  }
}

function guarded(tool: Tool): Tool {
  return tool.access === 'read' ? tool : { ...tool, needsPolicy: true }
}

/** Throws NO_SUCH_TOOL for a name that is none of theirs: a tool that is left out by mistake is missed much later. */
function chosen(
  tools: readonly Tool[],
  { only, http }: ToolsOptions,
  remote: readonly Tool[],
): readonly Tool[] {
  if (only === undefined) return tools
  const names = tools.map(({ name }) => name)
  for (const name of only) {
    if (remote.some((tool) => tool.name === name)) throw chosenElsewhere(name)
    if (name === 'http_fetch' && !http?.allow.length) throw withoutHosts()
    if (![...names, ...STRATEGY_TOOLS, READ_RESULT].includes(name)) throw noSuchTool(name, names, 'only: ')
  }
  return tools.filter(({ name }) => only.includes(name))
}

function chosenElsewhere(name: string): ThinkonError {
  const message = `only: "${name}" is a tool of an MCP server: these are chosen by "only" in the server's configuration`
  return new ThinkonError('BAD_INPUT', message)
}

function withoutHosts(): ThinkonError {
  return new ThinkonError('BAD_INPUT', 'only: http_fetch needs hosts: http: { allow: ["example.com"] }')
}
