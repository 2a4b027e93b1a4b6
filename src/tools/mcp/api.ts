/** MCP servers as their users see them. Nothing here names a type of the client's package, which need not be installed. */
import type { Tool } from '../../kernel/tool.ts'
import type { ThinkonError } from '../../protocol/index.ts'
import type { Environment } from './server-config.ts'

/** MCP servers without an engine: their tools, resources and prompts. */
export interface McpClient {
  /** In the order of the servers and of their lists. Listed again only after a change or a restart. */
  tools(signal?: AbortSignal): Promise<Tool[]>
  resources(signal?: AbortSignal): Promise<McpResource[]>
  prompts(signal?: AbortSignal): Promise<McpPrompt[]>
  readResource(server: string, uri: string, signal?: AbortSignal): Promise<McpResult>
  getPrompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<McpResult>
  /** Ends every server and everything they started. Must be called when the run ends; idempotent. */
  close(): Promise<void>
}

export interface McpOptions {
  /** How long a server may take to answer after its start; 60,000 by default. A server's own configuration overrides both times. */
  startTimeoutMs?: number
  /** Of a call; 120,000 by default. */
  timeoutMs?: number
  /** How often in a row a server that dies is started again without a successful call; 5 by default. */
  maxRestarts?: number
  /** Before the first of these; doubled each time, 10 seconds at most. 200 by default. */
  restartDelayMs?: number
  /** The text of a result is cut there; 1,000,000 by default. */
  maxResultChars?: number
  /** Where `${NAME}` in a configuration is looked up. */
  environment?: Environment
  /** Stores an image or another blob and returns a reference; without it, only size and hash are kept. */
  saveBlob?(bytes: Uint8Array, mimeType: string): Promise<string>
  /** Called if a server can't be started or listed. With it, `tools()` returns the others' tools; without it, it rejects. */
  onProblem?(server: string, error: ThinkonError): void
  /** A server's list has changed: `tools()` returns the new one. Called after a server was lost, too. */
  onListChanged?(server: string, list: 'tools' | 'resources' | 'prompts'): void
}

export interface McpResource {
  server: string
  uri: string
  name: string
  description?: string
  mimeType?: string
  /** `uri` has placeholders. */
  template?: true
}

export interface McpPrompt {
  server: string
  name: string
  description?: string
  arguments: { name: string; description?: string; required: boolean }[]
}

export interface McpAttachment {
  type: 'image' | 'audio' | 'resource' | 'link'
  mimeType?: string
  uri?: string
  name?: string
  bytes?: number
  sha256?: string
  /** Where `saveBlob` put the bytes. */
  ref?: string
}

export interface McpResult {
  text?: string
  /** The structured content, if the tool has any. */
  structured?: unknown
  attachments?: McpAttachment[]
  /** How many more there were. */
  omittedAttachments?: number
  /** How many characters were cut from the end of the text. */
  omittedChars?: number
}
