/**
 * Whether a folder is trusted as it is now: one hash over everything that it would execute or believe. If it is not, a person is asked.
 * Each file is checked again when it is loaded.
 */
import type { FoundConfig } from '../../config/index.ts'
import { watchImports } from '../../config/program-imports.ts'
import { realPathOf } from '../../files/look.ts'
import { stableJson, ThinkonError } from '../../protocol/index.ts'
import { type AskingOptions, askTrust } from './ask-trust.ts'
import { inspectFolder } from './inspect-folder.ts'
import { keyOf, type Power, pathIn } from './powers.ts'
import { readTrust, sha256, writeTrust } from './trust-records.ts'

export interface TrustOptions extends AskingOptions {
  /** This command has `--trust`. */
  readonly isGiven: boolean
}

/** Path and hash of what this process may load. */
const admitted = new Map<string, string>()
/** What this process may start, though changes of its code can't be noticed. */
const confirmed = new Set<string>()
const HOW = 'If you trust it: thinkon trust, or --trust with this command; in CI: THINKON_TRUST=1'
const EACH_TIME =
  'Nothing was started. If you trust them as they are now: --trust with this command, each time, or THINKON_TRUST=1'

/** `ensure` and `confirm` throw UNTRUSTED, or INTERRUPTED if the person left. */
export function folderTrust(folder: string, found: FoundConfig | null, options: TrustOptions) {
  const unchecked = new Map<string, Power>()

  async function inspect(value: unknown) {
    const { files, powers } = await inspectFolder(folder, found, value)
    for (const one of powers) if (one.power === 'unchecked') unchecked.set(keyOf(one), one)
    const record = readTrust(folder, options.remark)
    return { files, powers, record, hash: sha256(stableJson(Object.fromEntries(files))) }
  }

  /** `texts`: the beginning of the sentence, the question, what to do without a terminal, and what was not done. */
  async function ask(
    texts: readonly [string, string, string, string],
    powers: readonly Power[],
    known?: readonly Power[],
    details = {},
  ) {
    const [head, question, how, notDone] = texts
    const keys = new Set((known ?? powers).map(keyOf))
    const described = { powers, changed: [], isKnown: (one: Power) => keys.has(keyOf(one)), ...details }
    const asked = {
      head,
      described,
      question,
      how,
      notDone,
      subject: { folder },
      details: { does: powers, ...details },
    }
    if (!options.isGiven) await askTrust(asked, options)
    for (const key of unchecked.keys()) confirmed.add(folder + key)
  }

  function refuse(path: string, why: string): never {
    const message = `${path} ${why}: if you trust it, give this command --trust`
    throw new ThinkonError('UNTRUSTED', message, { data: { folder, files: [path] } })
  }

  /** An import whose name is computed is admitted with `--trust` only, for this process. */
  function checkFile(path: string, content: string | Uint8Array): void {
    const real = realPathOf(path) ?? path
    const known = admitted.get(real)
    if (known === sha256(content) || (known === undefined && options.isGiven)) return
    refuse(
      pathIn(real, folder),
      known ? 'has changed since you trusted it' : 'is loaded, but no text of the configuration shows it',
    )
  }

  /** Whether the folder is trusted as it is. */
  async function holds(value: unknown): Promise<boolean> {
    const { files, record, hash } = await inspect(value)
    if (record?.hash !== hash) return false
    for (const [path, one] of files) admitted.set(path, one)
    return true
  }

  async function ensure(value: unknown): Promise<void> {
    const { files, powers, record, hash } = await inspect(value)
    if (files.size === 0 || record?.hash === hash) return void (await holds(value))
    const known = record === null ? 'has a configuration that you have not trusted yet. It' : ''
    const head =
      known === '' ? `The configuration of ${folder} is not as you trusted it. It now` : `${folder} ${known}`
    const changed = [...files].filter(([path, one]) => record !== null && record.files[path] !== one)
    const details = {
      changed: changed.map(([path]) => pathIn(path, folder)),
      files: [...files.keys()].map((path) => pathIn(path, folder)),
    }
    if (options.isGiven) options.remark(`trusted from now on, until it changes: ${folder}`)
    const question = 'Do you trust it? You are asked again when it changes.'
    await ask(
      [head, question, `Nothing of it was executed. ${HOW}`, 'nothing was executed'],
      powers,
      record?.does,
      details,
    )
    writeTrust({ folder, at: new Date().toISOString(), hash, files: Object.fromEntries(files), does: powers })
    if (!(await holds(value))) refuse(folder, 'has changed while you were asked')
  }

  /** The same for what the value of a program has beyond its text. */
  async function ensureLoaded(value: unknown): Promise<void> {
    const { files, powers, record } = await inspect(value)
    for (const path of [...files.keys()].filter((one) => !admitted.has(one)))
      unchecked.set(path, {
        power: 'unchecked',
        what: `${pathIn(path, folder)} is not in the text of the configuration`,
      })
    const known = new Set(record?.does.map(keyOf))
    const more = powers.filter((one) => !known.has(keyOf(one)))
    if (record === null || more.length === 0) return
    const head = `The configuration of ${folder} does more than its text shows. It also`
    const texts = [
      head,
      'Do you trust that, too?',
      `Nothing of that was done. ${HOW}`,
      'nothing of that was done',
    ] as const
    await ask(texts, more, record.does)
    writeTrust({ ...record, does: [...record.does, ...more] })
  }

  /** Before commands are started: asks for those whose code can't be checked for changes. It is not remembered. */
  async function confirm(): Promise<void> {
    const open = [...unchecked].filter(([key]) => !confirmed.has(folder + key)).map(([, one]) => one)
    const head = `The configuration of ${folder} starts commands whose code may have changed. It`
    if (open.length > 0) await ask([head, 'Start them this time?', EACH_TIME, 'nothing was started'], open)
  }

  /** This file, and what it imports, is checked when it is loaded. */
  const enter = (path: string) => watchImports(path, checkFile)
  return { checkFile, enter, holds, ensure, ensureLoaded, confirm }
}
