import { noSuchTool } from '../../tools/registry.ts'
import { type AiSdkOptions, type AiSdkTools, aiSdkTool } from './ai-sdk-tool.ts'
import type { UserTool } from './user-tool.ts'

/** Throws NO_SUCH_TOOL if an option is about a tool that is not there. */
export async function openAiSdkTools(
  tools: AiSdkTools,
  { access = {}, idempotent = [], context = {} }: AiSdkOptions<string> = {},
): Promise<readonly UserTool[]> {
  const available = Object.keys(tools)
  const named = {
    access: typeof access === 'object' ? Object.keys(access) : [],
    idempotent,
    context: Object.keys(context),
  }
  for (const [option, names] of Object.entries(named)) {
    const unknown = names.find((name) => !available.includes(name))
    if (unknown !== undefined) throw noSuchTool(unknown, available, `fromAiSdk: ${option}: `)
  }
  return Promise.all(
    Object.entries(tools).map(([name, tool]) =>
      aiSdkTool(name, tool, {
        // Nothing says what it does: it may do anything.
        access: (typeof access === 'string' ? access : access[name]) ?? 'execute',
        idempotent: idempotent.includes(name),
        context: context[name],
      }),
    ),
  )
}
