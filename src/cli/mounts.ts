/** What `thinkon serve` offers besides its API: each protocol below a path of its own, behind the same checks and within the same limits. */
import type { Mount } from '../server/http/app.ts'
import type { Limits } from '../server/http/limits.ts'
import { openaiMount } from '../server/openai/app.ts'
import type { Service } from '../server/service.ts'

export interface MountOptions {
  readonly limits: Limits
  /** Told of what goes wrong in the service itself. */
  onError(thrown: unknown): void
}

export function mountsOf(service: Service, options: MountOptions): Readonly<Record<string, Mount>> {
  return { '/v1': openaiMount(service, options) }
}
