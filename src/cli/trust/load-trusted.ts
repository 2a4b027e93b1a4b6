/**
 * Loads the configuration of a folder if a person trusts it as it is now. If not, a person is asked: before anything of it is executed
 * (`text`), if the value of a program does more than its text shows (`value`), and each time before commands are started whose code can't
 * be checked (`start`).
 */
import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { findConfig, literalConfig, NO_CONFIG, openConfig } from '../../config/index.ts'
import { watchImports } from '../../config/program-imports.ts'
import { pathIn, realPathOf } from '../../files/look.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { STRATEGIES } from '../../strategies/registry.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { codeNamedIn, inspectFolder } from './inspect-folder.ts'
import { describePowers, keyOf, type Power } from './powers.ts'
import { readTrust, type TrustRecord, writeTrust } from './trust-record.ts'

export interface LoadTrustedOptions {
  /** Without trust: a person is asked, or the defaults are used. */
  readonly untrusted: 'ask' | 'defaults'
  /** This command has `--trust`, which is a yes. */
  readonly isGiven: boolean
  /** The output is for a program, which can't be asked. */
  readonly json: boolean
  /** Prints a line on stderr. */
  remark(text: string): void
}

const DIFFERENCES = {
  text: 'that is not as you trusted it',
  value: 'that does more than its files show',
  start: 'whose code may change without notice',
}
/** What this process may start, though its code can't be checked. */
const confirmed = new Set<string>()
/** A command may read the configuration several times. */
const remarked = new Set<string>()

/**
 * `notUsed` is the configuration that is not trusted; the defaults are used instead. `checkFile` throws UNTRUSTED if an import, the
 * executors' file or a blueprint is not as it was trusted. Call `confirm` before commands of the configuration are started.
 */
export async function loadTrusted(workspace: string, options: LoadTrustedOptions) {
  const folder = realpathSync(workspace)
  const found = await findConfig(folder)
  const isTrusted = isTrustedProcess() && !options.isGiven
  const mayAsk = options.untrusted === 'ask' || options.isGiven
  let record = isTrusted ? null : readTrust(folder, options.remark)
  let value = found?.isProgram ? literalConfig(found.text) : (await found?.open())?.value

  /** False if it is not trusted and no person may be asked. Throws UNTRUSTED, or INTERRUPTED if the person left. */
  async function ensure(stage: 'text' | 'value' | 'start'): Promise<boolean> {
    const rows = await inspect()
    const fresh = newRows(rows, record).filter(
      (row) => isRemembered(row) || (stage === 'start' && isOpen(row)),
    )
    if (fresh.length === 0) return true
    if (stage === 'text' && !mayAsk) return false
    const head = `${folder} has a configuration ${record ? DIFFERENCES[stage] : 'that you have not trusted yet'}. It`
    const powers = shownRows(rows, fresh, record)
    await askTrust({ head, powers, data: { folder }, isRemembered: fresh.some(isRemembered) }, options)
    for (const row of powers) confirmed.add(folder + keyOf(row))
    // Adds the powers that only the execution of a program shows.
    if (fresh.some(isRemembered)) remember(stage === 'text' ? rows : [...(record?.rows ?? []), ...rows])
    return true
  }
  const inspect = async () => (isTrusted ? [] : inspectFolder(folder, found, value))
  const isOpen = (row: Power) => !confirmed.has(folder + keyOf(row))

  function remember(all: readonly Power[]): void {
    if (options.isGiven) options.remark(`trusted from now on, until it changes: ${folder}`)
    const rows = [...new Map(all.map((row) => [keyOf(row), row])).values()]
    record = { folder, at: new Date().toISOString(), rows }
    writeTrust(record)
  }

  /** An import that no text of the configuration shows is admitted with `--trust` only. */
  function checkFile(path: string, content: string | Uint8Array): void {
    const what = pathIn(realPathOf(path) ?? path, folder)
    if (isTrusted) return
    const known = record?.rows.find((row) => row.hash !== undefined && row.what === what)
    if (known ? known.hash === hash('sha256', content) : options.isGiven) return
    const why = known
      ? 'has changed since you trusted it: thinkon trust'
      : 'is loaded, but no text of the configuration shows it: if you trust it, give this command --trust'
    throw new ThinkonError('UNTRUSTED', `${what} ${why}`, { data: { folder, files: [what] } })
  }

  const trusted = { checkFile, confirm: async () => void (await ensure('start')) }
  if (!(await ensure('text'))) {
    const name = found?.name ?? 'what is in .thinkon'
    const text = `${name} is not trusted as it is now, so the defaults are used: thinkon trust shows and trusts it`
    if (!remarked.has(name)) options.remark(text)
    remarked.add(name)
    return { ...trusted, loaded: NO_CONFIG, ...(found && { notUsed: found.name }) }
  }
  if (found === null) return { ...trusted, loaded: NO_CONFIG }
  if (found.isProgram) watchImports(found.path, checkFile)
  const source = await found.open()
  value = source.value
  for (const path of codeNamedIn(value, folder)) watchImports(path, checkFile)
  const loaded = await openConfig(
    { ...found, open: async () => source },
    { strategies: [...STRATEGIES.keys()] },
  )
  // Only its execution shows all that a program does.
  if (found.isProgram && mayAsk) await ensure('value')
  return { ...trusted, loaded }
}

function newRows(rows: readonly Power[], record: TrustRecord | null): Power[] {
  const known = new Map(record?.rows.map((row) => [keyOf(row), row.hash ?? '']))
  return rows.filter((row) => !isRemembered(row) || known.get(keyOf(row)) !== (row.hash ?? ''))
}

/** After a change, what is new or has changed; commands that are asked for each time are always shown. */
function shownRows(rows: readonly Power[], fresh: readonly Power[], record: TrustRecord | null): Power[] {
  if (record === null) return rows.filter(({ power }) => power !== 'uses')
  return rows.filter((row) => fresh.includes(row) || !isRemembered(row))
}

function isRemembered({ power }: Power): boolean {
  return power !== 'unchecked'
}

/** Nothing is asked and nothing is remembered: for CI. */
export function isTrustedProcess(): boolean {
  return process.env.THINKON_TRUST === '1'
}

/**
 * Resolves if a person agrees. Throws UNTRUSTED, or INTERRUPTED if the person left. The powers continue the sentence that `head` begins;
 * `data` is that of the error; `isRemembered` if `thinkon trust` answers it, too.
 */
export async function askTrust(
  question: { head: string; powers: readonly Power[]; data: object; isRemembered: boolean },
  options: LoadTrustedOptions,
): Promise<void> {
  const { head, powers, data } = question
  if (options.isGiven) return
  if (options.json || !canAsk()) {
    const remedy = question.isRemembered ? 'thinkon trust, or --trust' : '--trust'
    const how = `If you trust it: ${remedy} with this command; in CI: THINKON_TRUST=1`
    const text = [head, ...describePowers(powers), how].join('\n')
    throw new ThinkonError('UNTRUSTED', text, { data: { ...data, does: powers } })
  }
  options.remark([head, '', ...describePowers(powers, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo('Do you trust it?')
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', 'stopped: nothing was started')
  if (answer !== 'yes')
    throw new ThinkonError('UNTRUSTED', 'not trusted: nothing was started', { data: { ...data } })
}
