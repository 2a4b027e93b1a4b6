import type { CallToolResult, InputRequiredResult, ToolAnnotations } from '@modelcontextprotocol/server'
import type { JsonSchema } from '../../schema/check-schema.ts'
import type { Action } from '../scopes.ts'
import type { Caller, Door } from './door.ts'

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly does: Action
  readonly annotations: ToolAnnotations
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly outputSchema?: JsonSchema & { readonly type: 'object' }
  /** Gets arguments that fit the schema. What it throws is the tool's error. */
  call(
    door: Door,
    args: Record<string, unknown>,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult>
}

export function textResult(text: string, structuredContent?: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], ...(structuredContent && { structuredContent }) }
}
