import type { Deed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'

/** Null if the tool's `deeds` throws or returns something else: then nothing is known of what the call would do. */
export function declaredDeeds(tool: ToolInfo, input: unknown): readonly Deed[] | null {
  try {
    const deeds = tool.deeds?.(input) ?? []
    return deeds.every(isDeed) ? deeds : null
  } catch {
    return null
  }
}

function isDeed(deed: Deed): boolean {
  if (deed.does === 'execute') return typeof deed.command === 'string'
  return typeof (deed.does === 'network' ? deed.host : deed.path) === 'string'
}
