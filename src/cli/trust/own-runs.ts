/**
 * Tells the runs that a person has started from those that came from elsewhere: in a file, or in a store that was in the folder. What a
 * journal says is what a resume does: which model is loaded, which rules hold. A run that was started here carries a signature, made
 * with a key that is in the person's own state; an export has none.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { onceInState, openState } from '../../files/state-folder.ts'
import { type RunConfig, stableJson, ThinkonError } from '../../protocol/index.ts'
import { askTrust } from './ask-trust.ts'
import type { TrustOptions } from './folder-trust.ts'
import { isTrustedProcess } from './load-trusted.ts'
import { type Power, powersOf } from './powers.ts'

/** Throws STORE_IO if there is no key and none can be kept. */
export function signatureOf(config: RunConfig): string {
  return createHmac('sha256', ownKey()).update(actedOn(config)).digest('hex')
}

/** Resolves if the run was started here, or if a person lets it go on. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function ensureOwnRun(id: string, config: RunConfig, options: TrustOptions): Promise<void> {
  if (isOwn(config) || options.isGiven || isTrustedProcess()) return
  const powers = powersOfRun(config)
  const question = {
    head: `run ${id} was not started here, or was started by an earlier Thinkon. It`,
    described: { powers, isKnown: () => true, changed: [] },
    question: 'Do you want it to go on?',
    how: 'Nothing was resumed. If you trust where it comes from: --trust with this command',
    notDone: 'nothing was resumed',
    subject: { run: id },
    details: { does: powers },
  }
  await askTrust(question, options)
}

/** Whether the run was started here. */
export function isOwn(config: RunConfig): boolean {
  const own = signatureOf(config)
  const { signature } = config
  return typeof signature === 'string' && isSame(signature, own)
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** All of the configuration that a resume acts on; the rest says how the strategies think. */
function actedOn({ model, models, workspace, approval }: RunConfig): string {
  return stableJson({ model, models, workspace, approval })
}

/** Files are named as seen from here: where the run was started may be any folder. */
function powersOfRun({ workspace: _, ...config }: RunConfig): Power[] {
  const { approval } = config
  const everything = approval === undefined || approval.asks === 'yes'
  const all: Power = { power: 'allows', what: 'everything that its rules do not deny' }
  return [...powersOf(config, process.cwd()), ...(everything ? [all] : [])]
}

/** Made once. Throws STORE_IO if it can't be kept. */
function ownKey(): string {
  const file = join(openState(), 'key')
  const key = onceInState(file, () => `${randomBytes(32).toString('hex')}\n`).trim()
  if (/^[0-9a-f]{64}$/.test(key)) return key
  throw new ThinkonError('STORE_IO', `the file ${file} has no key in it: delete it`, { data: { file } })
}
