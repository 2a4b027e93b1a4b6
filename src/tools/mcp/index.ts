export { type McpOptions, type McpPrompt, type McpResource, type McpTools, mcpTools } from './mcp-tools.ts'
export type { McpAttachment, McpResult } from './result.ts'
export {
  type HttpServerConfig,
  type McpServerConfig,
  type McpServers,
  parseServerText,
  type StdioServerConfig,
} from './server-config.ts'
