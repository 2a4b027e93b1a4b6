/**
 * Asks before a run is resumed that was not written with the user's key: it came in a file, or in a store that was in the folder. What its
 * journal contains is what a resume does: it loads that model, and allows what was allowed.
 */
import { originReason } from '../../kernel/run-key.ts'
import type { RunOrigin } from '../../kernel/store.ts'
import type { RunConfig } from '../../protocol/index.ts'
import { askTrust, isTrustedProcess, type LoadTrustedOptions } from './load-trusted.ts'
import { type Power, powersOf } from './powers.ts'

export interface FoundRun {
  readonly id: string
  readonly origin: RunOrigin
  readonly config: RunConfig
}

/** Resolves if the run is the user's own, or if a person lets it go on. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function ensureOwnRun(
  { id, origin, config }: FoundRun,
  options: LoadTrustedOptions,
): Promise<void> {
  if (origin === 'own' || isTrustedProcess()) return
  const { model, models, workspace, approval } = config
  const asks = approval === undefined ? 'yes' : approval.asks
  const all: Power = { power: 'sets', what: 'approval.allow: everything that its rules do not deny' }
  const question = {
    head: `run ${id} was not started here: ${originReason(origin)}. It`,
    powers: [...powersOf({ model, models, workspace, approval }), ...(asks === 'yes' ? [all] : [])],
    data: { run: id, origin },
    isRemembered: false,
  }
  await askTrust(question, options)
}
