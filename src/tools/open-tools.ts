/**
 * The tools of a run, as configured: built-in tools, executors and MCP servers; and those that strategies call by name, for
 * memory and blueprints. Whoever opens them closes them.
 */
import type { Tool } from '../kernel/tool.ts'
import { BLUEPRINT_TOOLS, blueprintTools } from './blueprints/blueprint-tools.ts'
import { type BuiltinOptions, builtinTools } from './builtin/index.ts'
import type { McpServers } from './mcp/server-config.ts'
import type { MemoryOptions } from './memory/memory.ts'
import { MEMORY_TOOLS, memoryTools } from './memory/memory-tools.ts'
import { toolRegistry } from './registry.ts'
import { removeLeftPlaceholders } from './seal.ts'

export interface ToolsOptions extends Pick<BuiltinOptions, 'workspace' | 'shell' | 'http'> {
  /** Which built-in tools are available; all if left out. */
  builtin?(name: string): boolean
  mcp?: McpServers
  /** The executors' file; if left out, the workspace's own, if there is one. */
  executors?: string
  /** Called with the path and text of the executors' file and of each blueprint before it is used; throws to refuse it. */
  checkFile?(path: string, text: string): void
  /** How the workspace's memory is searched; false for no memory. */
  memory?: false | MemoryOptions
  /** Names of tools that may be run again after a crash. */
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
  const builtin = builtinTools({ workspace, ...(shell && { shell }), ...(http && { http }) })
  const isOn = (name: string) => options.builtin?.(name) ?? true
  const wanted = builtin.filter(({ name }) => isOn(name))
  const { executorTools, loadExecutors } = await import('./executors/executor-tools.ts')
  const executors = await loadExecutors(workspace, options.executors, options.checkFile)
  // Without the shell there is no generic executor, either: it is the same by another name.
  const allowed = executors.filter(({ command }) => command !== null || isOn('shell'))
  const ofExecutors = executorTools(workspace, allowed, shell?.sandbox)
  const remembering = memory === false ? null : memoryTools(workspace, memory)
  const ofStrategies = [...(remembering?.tools ?? []), ...blueprintTools(workspace, options.checkFile)]
  const servers =
    Object.keys(mcp).length === 0 ? null : (await import('./mcp/mcp-tools.ts')).mcpTools(mcp, { workspace })
  try {
    const remote = servers === null ? [] : await servers.tools()
    return {
      tools: toolRegistry([...wanted, ...ofExecutors, ...ofStrategies, ...remote], idempotent),
      async close() {
        remembering?.close()
        await servers?.close()
      },
    }
  } catch (error) {
    await servers?.close()
    throw error
  }
}
