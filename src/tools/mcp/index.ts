export type { HttpServerConfig, McpServerConfig, StdioServerConfig } from '../../protocol/index.ts'
export { type McpOptions, type McpPrompt, type McpResource, type McpTools, mcpTools } from './mcp-tools.ts'
export type { McpAttachment, McpResult } from './result.ts'
export {
  type McpServers,
  parseServerText,
} from './server-config.ts'
