/**
 * The tools of a run, as configured: built-in tools, executors and MCP servers; and those that strategies call by name, for
 * memory and blueprints. Whoever opens them closes them.
 */
import { readFile } from 'node:fs/promises'
import type { Tool } from '../kernel/tool.ts'
import { type ApprovalRules, ThinkonError } from '../protocol/index.ts'
import { hiddenPaths } from './approval/hidden-paths.ts'
import { parsePolicy } from './approval/policy.ts'
import { BLUEPRINT_TOOLS, blueprintTools } from './blueprints/index.ts'
import { type BuiltinOptions, builtinTools } from './builtin/index.ts'
import type { McpServers } from './mcp/index.ts'
import { MEMORY_TOOLS, type MemoryOptions, memoryTools } from './memory/index.ts'
import { toolRegistry } from './registry.ts'
import type { SandboxMode } from './sandbox.ts'

export interface ToolsOptions extends Pick<BuiltinOptions, 'workspace' | 'shell' | 'http'> {
  /** Which built-in tools are available; all if left out. */
  builtin?(name: string): boolean
  /** Paths that it hides are not searched. */
  policy?: ApprovalRules
  mcp?: McpServers
  /** The executors' file; if left out, the workspace's own, if there is one. */
  executors?: string
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
  const { workspace, shell, http, policy = {}, idempotent = [], mcp = {}, memory = {} } = options
  const hidden = hiddenPaths(parsePolicy(policy, workspace))
  const builtin = builtinTools({ workspace, hidden, ...(shell && { shell }), ...(http && { http }) })
  const wanted = builtin.filter(({ name }) => options.builtin?.(name) ?? true)
  const executors = await executorsOf(workspace, options.executors, shell?.sandbox)
  const remembering = memory === false ? null : memoryTools(workspace, memory)
  const ofStrategies = [...(remembering?.tools ?? []), ...blueprintTools(workspace)]
  const servers = Object.keys(mcp).length === 0 ? null : (await import('./mcp/index.ts')).mcpTools(mcp)
  try {
    const remote = servers === null ? [] : await servers.tools()
    return {
      tools: toolRegistry([wanted, executors, ofStrategies, remote], { idempotent }),
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

/** The generic shell is hidden: models are offered the built-in one. */
async function executorsOf(
  workspace: string,
  file: string | undefined,
  sandbox: SandboxMode | undefined,
): Promise<readonly Tool[]> {
  const { executorTools, loadExecutors, parseExecutors } = await import('./executors/index.ts')
  const executors =
    file === undefined ? await loadExecutors(workspace) : await parseExecutors(await readText(file), file)
  return executorTools(workspace, { executors, ...(sandbox && { sandbox }) })
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new ThinkonError('BAD_INPUT', `the executors' file ${file} can't be read`, { cause })
  }
}
