/** `thinkon/mcp`: tools of MCP servers for an engine, and MCP servers without one. The client is loaded when it is used. */
import { MCP } from './engine/tools/tool-entrances.ts'
import type { ToolOpener } from './engine/tools/tool-source.ts'
import { checkArguments } from './protocol/check-arguments.ts'
import type { McpClient, McpOptions } from './tools/mcp/api.ts'
import type { McpServers } from './tools/mcp/server-config.ts'

export type { McpServerConfig } from './protocol/index.ts'
export type {
  McpAttachment,
  McpClient,
  McpOptions,
  McpPrompt,
  McpResource,
  McpResult,
} from './tools/mcp/api.ts'
export type { McpServers } from './tools/mcp/server-config.ts'

/**
 * A source of tools, for `tools` of an engine: the servers are started on its first use and ended with it.
 */
export function mcpTools(servers: McpServers, options: McpOptions = {}): ToolOpener {
  checkArguments('mcpTools', MCP, [servers, options])
  return async () => {
    const client = await mcpClient(servers, options)
    try {
      return { tools: await client.tools(), close: client.close }
    } catch (error) {
      await client.close()
      throw error
    }
  }
}

/** The servers themselves: their tools, resources and prompts. Nothing is started before its first use; whoever opens it closes it. */
export async function mcpClient(servers: McpServers, options: McpOptions = {}): Promise<McpClient> {
  checkArguments('mcpClient', MCP, [servers, options])
  const opened = await import('./tools/mcp/mcp-client.ts')
  return opened.mcpClient(servers, options)
}
