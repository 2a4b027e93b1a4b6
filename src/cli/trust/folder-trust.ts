/**
 * Whether a folder is trusted as it is now. If it is not, a person is asked: before anything of it is executed (`text`), if the value of a
 * program does more than its text shows (`value`), and before commands are started whose code can't be checked for changes (`start`), which
 * is not remembered. Each file is checked again when it is loaded.
 */
import type { FoundConfig } from '../../config/index.ts'
import { watchImports } from '../../config/program-imports.ts'
import { pathIn, realPathOf } from '../../files/look.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { type AskingOptions, askTrust, type TrustQuestion } from './ask-trust.ts'
import { inspectFolder } from './inspect-folder.ts'
import { keyOf, type Power } from './powers.ts'
import { readTrust, sha256, type TrustRecord, writeTrust } from './trust-record.ts'

/** The beginning of the sentence that the powers continue, the question, and what was not done. */
const QUESTIONS = {
  text: [
    'is not as you trusted it. It now',
    'Do you trust it? You are asked again when it changes.',
    'executed',
  ],
  value: ['does more than its text shows. It also', 'Do you trust that, too?', 'done'],
  start: ['starts commands whose code may have changed. It', 'Start them this time?', 'started'],
} as const
type Stage = keyof typeof QUESTIONS
const FIRST = 'has a configuration that you have not trusted yet. It'
const HOW = 'thinkon trust, or --trust with this command; in CI: THINKON_TRUST=1'
const EACH_TIME = '--trust with this command, each time, or THINKON_TRUST=1'

const isUnchecked = ({ power }: Power) => power === 'unchecked'
/** What this process may start, though changes of its code can't be noticed. */
const confirmed = new Set<string>()

export function folderTrust(folder: string, found: FoundConfig | null, options: AskingOptions) {
  let record: TrustRecord | null = null

  async function inspect(value: unknown) {
    const was = readTrust(folder, options.remark)
    const seen = new Set(was?.does.map(keyOf))
    const { files, powers } = await inspectFolder(folder, found, value)
    const changed = [...files.keys()].filter((path) => was?.files[path] !== files.get(path))
    const fresh = powers.filter((one) => !seen.has(keyOf(one)))
    const open = powers.filter((one) => isUnchecked(one) && !confirmed.has(folder + keyOf(one)))
    record = was
    return { files, powers, changed, fresh, open, was }
  }
  type Found = Awaited<ReturnType<typeof inspect>>

  /** Asks nothing. */
  const holds = async (value: unknown) => (await inspect(value)).changed.length === 0

  /** Throws UNTRUSTED, or INTERRUPTED if the person left. */
  async function ensure(value: unknown, stage: Stage): Promise<void> {
    const now = await inspect(value)
    const { changed, fresh, open } = now
    const isNew = changed.length > 0
    if (!isNew && fresh.length === 0 && (stage !== 'start' || open.length === 0)) return
    if (isNew && options.isGiven) options.remark(`trusted from now on, until it changes: ${folder}`)
    const asked = questionOf(now, isNew ? 'text' : stage)
    await askTrust(asked, options)
    for (const one of asked.powers.filter(isUnchecked)) confirmed.add(folder + keyOf(one))
    if (isNew || fresh.length > 0) remember(now, isNew && stage === 'text')
  }

  function questionOf({ files, powers, changed, fresh, open, was }: Found, stage: Stage): TrustQuestion {
    const [head, question, notDone] = QUESTIONS[stage]
    const paths = changed.map((path) => pathIn(path, folder))
    const all = [...paths.map((what): Power => ({ power: 'changed', what })), ...powers]
    const only = new Set([...fresh, ...(stage === 'start' ? open : [])])
    return {
      head: was ? `The configuration of ${folder} ${head}` : `${folder} ${FIRST}`,
      powers: was === null ? powers : stage === 'text' ? all : [...only],
      ...(was && { known: was.does }),
      question,
      notDone: `nothing was ${notDone}`,
      how: `Nothing of it was ${notDone}. If you trust it: ${stage === 'start' ? EACH_TIME : HOW}`,
      data: { folder, changed: paths, files: [...files.keys()].map((path) => pathIn(path, folder)) },
    }
  }

  /** Keeps what was trusted before, unless the text has changed. */
  function remember({ files, powers, fresh, was }: Found, isOther: boolean): void {
    const old = isOther ? null : was
    record = {
      folder,
      at: new Date().toISOString(),
      files: { ...old?.files, ...Object.fromEntries(files) },
      does: old ? [...old.does, ...fresh] : powers,
    }
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

  /** This file, and what it imports, is checked when it is loaded. */
  const enter = (path: string) => watchImports(path, checkFile)
  return { checkFile, enter, holds, ensure }
}
