/** Where an engine's tools come from. */
import type { EmbeddingChoice } from '../../kernel/model-choice.ts'
import type { ToolsOptions } from '../../tools/open-tools.ts'
import type { AiSdkTools } from './ai-sdk-tool.ts'
import type { UserTool } from './user-tool.ts'

/** A tool, a record of AI SDK tools by name, or a function that opens some. */
export type ToolSource = UserTool | AiSdkTools | ToolOpener

export type ToolSources = ToolSource | readonly ToolSource[]

/** Called once, on the engine's first use. What `builtinTools()`, `mcpTools()` and `fromAiSdk()` return. */
export type ToolOpener = () => OpenedTools | PromiseLike<OpenedTools>

export interface OpenedTools {
  readonly tools: ToolSources
  /** The folder of runs that name none, if the engine has none. Of several sources, the first counts. */
  readonly workspace?: string
  /** Called once, when the engine is closed; also if another source fails to open. */
  close?(): void | PromiseLike<void>
}

export interface BuiltinToolsOptions extends Omit<ToolsOptions, 'workspace' | 'builtin'> {
  /** The folder that they work in, of runs that name none; its executors are used. Default: the current one. */
  workspace?: string
  /** Searches the memory by meaning: `openai:<model>`, `ollama:<model>`, …, a function, or an AI SDK embedding model. */
  embedding?: EmbeddingChoice
}
