/**
 * Tells the runs that a person has started from those that came from elsewhere: in a file, or in a store that was in the folder. What a
 * journal says is what a resume does: which model is loaded, which rules hold. A run that was started here carries a signature, made
 * with a key that is in the person's own state; an export has none.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type RunConfig, ThinkonError } from '../../protocol/index.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { describe } from './describe.ts'
import type { TrustOptions } from './folder-trust.ts'
import { isTrustedProcess } from './load-trusted.ts'
import { type Power, powersOf } from './powers.ts'
import { stateFolder } from './trust-records.ts'

/** Null where nothing can be kept: then each resume of the run is asked for. */
export function signatureOf(config: RunConfig): string | null {
  const key = ownKey()
  return key === null ? null : createHmac('sha256', key).update(actedOn(config)).digest('hex')
}

/** Resolves if the run was started here, or if a person lets it go on. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function ensureOwnRun(id: string, config: RunConfig, options: TrustOptions): Promise<void> {
  if (isOwn(config) || options.isGiven || isTrustedProcess()) return
  const head = `run ${id} was not started here, or by an earlier Thinkon. It`
  const described = { powers: powersOfRun(config), isKnown: () => true, changed: [] }
  if (options.json || !canAsk()) {
    const how = 'Nothing was resumed. If you trust where it comes from: --trust with this command'
    const data = { run: id, does: described.powers }
    throw new ThinkonError('UNTRUSTED', [head, ...describe(described), how].join('\n'), { data })
  }
  options.remark([head, '', ...describe(described, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo('Do you want it to go on?')
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', 'stopped: nothing was resumed')
  if (answer !== 'yes')
    throw new ThinkonError('UNTRUSTED', 'not trusted: nothing was resumed', { data: { run: id } })
}

function isOwn(config: RunConfig): boolean {
  const own = signatureOf(config)
  const { signature } = config
  return own !== null && typeof signature === 'string' && isSame(signature, own)
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** All of the configuration that a resume acts on; the rest says how the strategies think. */
function actedOn({ model, models, workspace, approval }: RunConfig): string {
  return JSON.stringify(sorted({ model, models, workspace, approval }))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}

/** Files are named as seen from here: where the run was started may be any folder. */
function powersOfRun({ workspace: _, ...config }: RunConfig): Power[] {
  const { approval } = config
  const everything = approval === undefined || approval.asks === 'yes'
  const all: Power = { power: 'allows', what: 'everything that its rules do not deny' }
  return [...powersOf(config, process.cwd()), ...(everything ? [all] : [])]
}

/** Made once. */
function ownKey(): string | null {
  const path = join(stateFolder(), 'key')
  return readKey(path) ?? makeKey(path)
}

function readKey(path: string): string | null {
  try {
    const key = readFileSync(path, 'utf8').trim()
    return /^[0-9a-f]{64}$/.test(key) ? key : null
  } catch {
    return null
  }
}

/** It appears whole or not at all; of two processes that make one, the first wins. */
function makeKey(path: string): string | null {
  const draft = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(stateFolder(), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch {
    // Another process was faster, or nothing can be written there.
  } finally {
    rmSync(draft, { force: true })
  }
  return readKey(path)
}
