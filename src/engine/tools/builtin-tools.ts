/** The built-in tools for an engine: loaded and opened on its first use, closed with it. */
import { resolve } from 'node:path'
import type { EmbeddingChoice } from '../../kernel/model-choice.ts'
import { checkArguments } from '../../protocol/check-arguments.ts'
import type { ToolsOptions } from '../../tools/open-tools.ts'
import { BUILTIN_TOOLS } from './tool-entrances.ts'
import type { BuiltinToolsOptions, ToolOpener } from './tool-source.ts'

/** A source of tools, for `tools` of an engine. */
export function builtinTools(options: BuiltinToolsOptions = {}): ToolOpener {
  checkArguments('builtinTools', BUILTIN_TOOLS, [options])
  const { embedding, workspace: given = '.', ...rest } = options
  const workspace = resolve(given)
  return async () => {
    const { openTools } = await import('../../tools/open-tools.ts')
    const memory = await memoryOf(rest.memory, embedding)
    return {
      ...(await openTools({ ...rest, workspace, ...(memory !== undefined && { memory }) })),
      workspace,
    }
  }
}

/** `embed` in the memory's own options overrides `embedding`. */
async function memoryOf(
  memory: ToolsOptions['memory'],
  embedding: EmbeddingChoice | undefined,
): Promise<ToolsOptions['memory']> {
  if (embedding === undefined || memory === false || memory?.embed !== undefined) return memory
  const { embeddingOf } = await import('../../models/open-embedding.ts')
  return { ...memory, ...embeddingOf(embedding) }
}
