/** What is wrong with a configuration, in words that help to fix it: where, what, what is allowed, what was probably meant. */
import { keyText, meantText, ThinkonError } from '../protocol/index.ts'
import { meantKey, shownValue } from '../protocol/problem.ts'
import type { LineColumn, Path } from './positions.ts'

/** A problem whose position is not known yet. */
export interface Finding {
  readonly path: Path
  readonly message: string
  /** The problem is the key itself, not its value. */
  readonly atKey: boolean
}

export interface ConfigProblem extends Partial<LineColumn> {
  /** `models.judge.seed`; left out if the problem is the file itself. */
  readonly key?: string
  readonly message: string
}

/** What a check finds; the message continues the name of the key. */
export interface Issue {
  readonly path: Path
  readonly message: string
  readonly params?: IssueHints
}

/** What the message of an issue is made from, besides its text. */
export interface IssueHints {
  /** The known keys: the issue is about one that is not among them. */
  known?: readonly string[]
  /** The allowed values. */
  allowed?: readonly string[]
  /** The message already shows the given value, or must not show it. */
  complete?: boolean
}

export function explain(issue: Issue, config: unknown): Finding {
  const { path, params: { known, allowed, complete } = {} } = issue
  const last = String(path.at(-1) ?? '')
  if (known !== undefined) {
    const parent = path.slice(0, -1)
    const where = parent.length === 0 ? '' : ` in ${keyText(parent)}`
    return { path, atKey: true, message: `unknown key "${last}"${where}${meantKey(last, known)}` }
  }
  const name = path.length === 0 ? 'the configuration' : keyText(path)
  const value = valueAt(config, path)
  if (value === undefined) {
    const parent = path.slice(0, -1)
    const where = parent.length === 0 ? 'the configuration' : keyText(parent)
    return { path: parent, atKey: false, message: `${where} needs "${last}", which ${issue.message}` }
  }
  const meant = typeof value === 'string' && allowed !== undefined ? meantText(value, allowed) : ''
  const given = complete === true ? '' : `, not ${shownValue(value, path)}`
  return { path, atKey: false, message: `${name} ${issue.message}${given}${meant}` }
}

/** BAD_INPUT with problems, one per line, in the order of the file. `more`: the number of those that are left out. */
export function configError(file: string, problems: readonly ConfigProblem[], more = 0): ThinkonError {
  const sorted = [...problems].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
  const lines = sorted.map((problem) => problemText(file, problem))
  if (more > 0) lines.push(`and ${more} more`)
  return new ThinkonError('BAD_INPUT', lines.join('\n'), { data: { file, problems: sorted } })
}

export function problemText(file: string, problem: ConfigProblem): string {
  return `${file}${positionText(problem)}: ${problem.message}`
}

function positionText({ line, column }: ConfigProblem): string {
  if (line === undefined) return ''
  return column === undefined ? `:${line}` : `:${line}:${column}`
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}
