import type { ToolAccess } from './tool-access.ts'

/** What is said of an MCP server, however it is reached. */
interface McpServerSettings {
  /** Believe what the server says of its tools (`readOnlyHint`, `idempotentHint`). Not believed unless true. */
  trust?: boolean
  /** Only these of its tools, by the server's own names. */
  only?: string[]
  /** What a tool does to the world, whatever the server says, by the server's own names. */
  access?: Record<string, ToolAccess>
  /** Tools that may be run again when the process died in the middle, by the server's own names. */
  idempotent?: string[]
  startTimeoutMs?: number
  /** Of one call; progress that the server reports starts it anew, ten times at most. */
  timeoutMs?: number
  /** `legacy` spares a server of before 2026-07-28 that can't cope with it the question which protocol it speaks. */
  protocol?: 'auto' | 'legacy'
}

export interface StdioServerConfig extends McpServerSettings {
  command: string
  args?: string[]
  /** Beside HOME, PATH and the like; nothing else of this process's environment is passed on. */
  env?: Record<string, string>
  cwd?: string
}

export interface HttpServerConfig extends McpServerSettings {
  url: string
  headers?: Record<string, string>
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig
