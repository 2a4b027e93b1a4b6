/**
 * Whether a folder is trusted as it is now. If it is not, a person is asked: before anything of it is executed (`text`), if the value of a
 * program does more than its text shows (`value`), and each time before commands are started whose code can't be checked (`start`).
 */
import type { FoundConfig } from '../../config/index.ts'
import { pathIn, realPathOf } from '../../files/look.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { type AskingOptions, askTrust, type TrustQuestion } from './ask-trust.ts'
import { inspectFolder } from './inspect-folder.ts'
import { keyOf, type Power } from './powers.ts'
import { readTrust, sha256, type TrustRecord, writeTrust } from './trust-record.ts'

type Stage = 'text' | 'value' | 'start'
const isUnchecked = ({ power }: Power) => power === 'unchecked'
/** What this process may start, though its code can't be checked. */
const confirmed = new Set<string>()

export function folderTrust(folder: string, found: FoundConfig | null, options: AskingOptions) {
  let record = readTrust(folder, options.remark)

  async function inspect(value: unknown, stage: Stage) {
    const { files, powers } = await inspectFolder(folder, found, value)
    const seen = new Set(record?.does.map(keyOf))
    const changed = [...files.keys()].filter((path) => record?.files[path] !== files.get(path))
    const fresh = powers.filter((one) => !isUnchecked(one) && !seen.has(keyOf(one)))
    const isOpen = (one: Power) => isUnchecked(one) && !confirmed.has(folder + keyOf(one))
    return { files, powers, changed, fresh, open: stage === 'start' ? powers.filter(isOpen) : [] }
  }
  type Found = Awaited<ReturnType<typeof inspect>>

  /** False if it is not trusted and `mayAsk` is false. Throws UNTRUSTED, or INTERRUPTED if the person left. */
  async function ensure(value: unknown, stage: Stage, mayAsk = true): Promise<boolean> {
    const now = await inspect(value, stage)
    const { changed, fresh, open } = now
    const isNew = changed.length > 0
    if ([...changed, ...fresh, ...open].length === 0 || !mayAsk) return !isNew && fresh.length === 0
    if (isNew && options.isGiven) options.remark(`trusted from now on, until it changes: ${folder}`)
    const question = questionOf(now, isNew)
    await askTrust(question, options)
    for (const one of question.powers) confirmed.add(folder + keyOf(one))
    if (changed.length + fresh.length > 0) remember(now, isNew && stage === 'text' ? null : record)
    return true
  }

  function questionOf({ files, powers, changed, fresh, open }: Found, isNew: boolean): TrustQuestion {
    const paths = changed.map((path) => pathIn(path, folder))
    const data = { folder, changed: paths, files: [...files.keys()].map((path) => pathIn(path, folder)) }
    if (record === null)
      return { head: `${folder} has a configuration that you have not trusted yet. It`, powers, data }
    const head = `The configuration of ${folder} ${isNew ? 'is not as you trusted it. It now' : 'does more than its files show. It'}`
    const all = [...paths.map((what): Power => ({ power: 'changed', what })), ...powers]
    return { head, powers: isNew ? all : [...fresh, ...open], known: record.does, data }
  }

  /** The powers of the value of a program are added to those of its text. */
  function remember({ files, powers, fresh }: Found, old: TrustRecord | null): void {
    const all = { ...old?.files, ...Object.fromEntries(files) }
    const does = old ? [...old.does, ...fresh] : powers
    record = { folder, at: new Date().toISOString(), files: all, does }
    writeTrust(record)
  }

  /** An import that no text of the configuration shows is admitted with `--trust` only. */
  function checkFile(path: string, content: string | Uint8Array): void {
    const real = realPathOf(path) ?? path
    const known = record?.files[real]
    if (known === sha256(content) || (known === undefined && options.isGiven)) return
    const why = known
      ? 'has changed since you trusted it'
      : 'is loaded, but no text of the configuration shows it'
    const message = `${pathIn(real, folder)} ${why}: if you trust it, give this command --trust`
    throw new ThinkonError('UNTRUSTED', message, { data: { folder, files: [pathIn(real, folder)] } })
  }

  return { checkFile, ensure }
}
