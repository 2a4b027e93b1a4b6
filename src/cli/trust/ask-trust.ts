/** The question that stands between something from elsewhere and its execution: a folder's configuration, a run. */
import { showHidden, ThinkonError } from '../../protocol/index.ts'
import { wrapWords } from '../../views/text-width.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { POWERS, type Power } from './powers.ts'

export interface Described {
  readonly powers: readonly Power[]
  /** Whether the person has seen it before. */
  isKnown(power: Power): boolean
  /** Files that have changed since. */
  readonly changed: readonly string[]
}

export interface TrustQuestion {
  /** The subject of the sentence that the powers continue. */
  readonly head: string
  readonly described: Described
  readonly question: string
  /** How to trust it if no person can be asked. */
  readonly how: string
  /** `nothing was executed`. */
  readonly notDone: string
  /** The folder or run, and the powers of its configuration: `data` of the error. */
  readonly subject: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
}

export interface AskingOptions {
  /** The output is for a program, which can't be asked. */
  readonly json: boolean
  /** Prints a line on stderr. */
  remark(text: string): void
}

/** Resolves if a person says yes. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function askTrust(asked: TrustQuestion, { json, remark }: AskingOptions): Promise<void> {
  const { head, described, question, how, notDone, subject, details } = asked
  if (json || !canAsk()) {
    const text = [head, ...describePowers(described), how].join('\n')
    throw new ThinkonError('UNTRUSTED', text, { data: { ...subject, ...details } })
  }
  remark([head, '', ...describePowers(described, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo(question)
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', `stopped: ${notDone}`)
  if (answer !== 'yes')
    throw new ThinkonError('UNTRUSTED', `not trusted: ${notDone}`, { data: { ...subject } })
}

const MOST_FILES = 20

/** Longer lines than `columns` are continued below their beginning, so that no part looks like another line. Only file lists are shortened. */
export function describePowers({ powers, isKnown, changed }: Described, columns = Infinity): string[] {
  const rows = changed.map((file, at): [string, string] => [at === 0 ? 'has changed' : '', showHidden(file)])
  for (const [kind, heading] of Object.entries(POWERS)) {
    const all = powers.filter(({ power }) => power === kind)
    const most = kind === 'code' || kind === 'blueprints' ? MOST_FILES : all.length
    const lines = all.slice(0, most).map((one) => `${showHidden(one.what)}${isKnown(one) ? '' : '  (new)'}`)
    if (all.length > most) lines.push(`and ${all.length - most} more: thinkon trust --json lists all`)
    if (kind === 'code' && all.length > 0) lines.push('and whatever these load')
    rows.push(...lines.map((line, at): [string, string] => [at === 0 ? heading : '', line]))
  }
  if (rows.length === 0) rows.push(['changes settings', 'and does nothing else'])
  const width = Math.max(...rows.map(([heading]) => heading.length))
  const room = Math.max(columns - width - 4, 20)
  return rows.flatMap(([heading, line]) =>
    (Number.isFinite(room) ? wrapWords(line, room) : [line]).map((part, at) =>
      `  ${(at === 0 ? heading : '').padEnd(width)}  ${part}`.trimEnd(),
    ),
  )
}
