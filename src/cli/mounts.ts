/** What `thinkon serve` offers besides its API: each protocol below a path of its own, behind the same checks and within the same limits. */
import type { Mount } from '../server/http/app.ts'
import type { Limits } from '../server/http/limits.ts'
import { mcpMount } from '../server/mcp/app.ts'
import type { SamplingDesk } from '../server/mcp/sampling-desk.ts'
import { openaiMount } from '../server/openai/app.ts'
import type { Service } from '../server/service.ts'

export interface MountOptions {
  readonly limits: Limits
  readonly desk: SamplingDesk
  /** Told of what goes wrong in the service itself. */
  onError(thrown: unknown): void
}

export const MCP_PATH = '/mcp'

export function mountsOf(service: Service, options: MountOptions): Readonly<Record<string, Mount>> {
  return { '/v1': openaiMount(service, options), [MCP_PATH]: mcpMount(service, options) }
}
