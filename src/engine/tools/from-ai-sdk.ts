/** AI SDK tools with what Thinkon wants to know about them. Part of what `import 'thinkon'` loads. */
import { checkArguments } from '../../protocol/check-arguments.ts'
import type { AiSdkOptions, AiSdkTools } from './ai-sdk-tool.ts'
import { FROM_AI_SDK } from './tool-entrances.ts'
import type { ToolOpener } from './tool-source.ts'

/** A record of AI SDK tools may also be given as it is: then each is of the class `execute`. */
export function fromAiSdk<Tools extends AiSdkTools>(
  tools: Tools,
  options: AiSdkOptions<keyof Tools & string> = {},
): ToolOpener {
  checkArguments('fromAiSdk', FROM_AI_SDK, [tools, options])
  return async () => {
    const { openAiSdkTools } = await import('./open-ai-sdk-tools.ts')
    return { tools: await openAiSdkTools(tools, options) }
  }
}
