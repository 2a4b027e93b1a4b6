/** The built-in tools for an engine: loaded and opened on its first use, closed with it. */
import type { EmbeddingChoice } from '../kernel/model-choice.ts'
import type { OpenTools, ToolsOptions } from '../tools/open-tools.ts'

export interface BuiltinToolsOptions extends Omit<ToolsOptions, 'workspace' | 'builtin'> {
  /** The folder they work in; defaults to the current one. */
  workspace?: string
  /** The names of the tools to have; all by default. The tools that strategies use for memory and blueprints are always there. */
  only?: readonly string[]
  /** Searches the memory by meaning: `openai:<model>`, `ollama:<model>`, …, a function, or an AI SDK embedding model. */
  embedding?: EmbeddingChoice
}

export function builtinTools(options: BuiltinToolsOptions = {}): () => Promise<OpenTools> {
  const { only, embedding, workspace = process.cwd(), ...rest } = options
  return async () => {
    const { openTools, STRATEGY_TOOLS } = await import('../tools/open-tools.ts')
    const memory = await memoryOf(rest.memory, embedding)
    const opened = await openTools({ ...rest, workspace, ...(memory !== undefined && { memory }) })
    if (only === undefined) return opened
    const wanted = [...only, ...STRATEGY_TOOLS]
    return {
      tools: opened.tools.filter(({ name }) => wanted.includes(name)),
      close: () => opened.close(),
    }
  }
}

/** `embed` in the memory's own options overrides `embedding`. */
async function memoryOf(
  memory: ToolsOptions['memory'],
  embedding: EmbeddingChoice | undefined,
): Promise<ToolsOptions['memory']> {
  if (embedding === undefined || memory === false || memory?.embed !== undefined) return memory
  const { embeddingOf } = await import('../models/open-embedding.ts')
  return { ...memory, ...embeddingOf(embedding) }
}
