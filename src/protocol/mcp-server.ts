import type { ToolAccess } from './tool-access.ts'

/** Settings of an MCP server, local or remote. */
interface McpServerSettings {
  /** Believe what the server says about its tools (`readOnlyHint`, `idempotentHint`); false by default. */
  trust?: boolean
  /** Use only these tools, by the server's names. */
  only?: string[]
  /** What a tool does to the world, whatever the server says, by the server's names. */
  access?: Record<string, ToolAccess>
  /** Tools that may be run again if the process died in the middle, by the server's names. */
  idempotent?: string[]
  startTimeoutMs?: number
  /** For one call; progress reports of the server restart the clock, at most ten times. */
  timeoutMs?: number
  /** `legacy` for a server from before 2026-07-28 that fails when asked for its protocol version. */
  protocol?: 'auto' | 'legacy'
}

export interface StdioServerConfig extends McpServerSettings {
  command: string
  args?: string[]
  /** In addition to HOME, PATH and the like; nothing else of this process's environment is passed on. */
  env?: Record<string, string>
  cwd?: string
}

export interface HttpServerConfig extends McpServerSettings {
  url: string
  headers?: Record<string, string>
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig
