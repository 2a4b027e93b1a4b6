/** What is wrong with a configuration, in words that help to fix it: where, what, what is allowed, what was probably meant. */
import { keyText, nearest, ThinkonError } from '../protocol/index.ts'
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

/** An issue as zod reports it. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly input?: unknown
  readonly params?: Record<string, unknown>
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
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  const { known, allowed, complete } = (issue.params ?? {}) as IssueHints
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
  const near = typeof value === 'string' && allowed !== undefined ? nearest(value, allowed) : undefined
  const meant = near === undefined ? '' : `: did you mean "${near}"?`
  const given = complete === true ? '' : `, not ${shown(value, path)}`
  return { path, atKey: false, message: `${name} ${issue.message}${given}${meant}` }
}

/** BAD_INPUT with all problems, one per line, in the order of the file. */
export function configError(file: string, problems: readonly ConfigProblem[]): ThinkonError {
  const sorted = [...problems].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
  const lines = sorted.map((problem) => problemText(file, problem))
  return new ThinkonError('BAD_INPUT', lines.join('\n'), { data: { file, problems: sorted } })
}

export function problemText(file: string, problem: ConfigProblem): string {
  return `${file}${positionText(problem)}: ${problem.message}`
}

function positionText({ line, column }: ConfigProblem): string {
  if (line === undefined) return ''
  return column === undefined ? `:${line}` : `:${line}:${column}`
}

/** Names that people know from other tools. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  mcpServers: 'mcp',
  mcp_servers: 'mcp',
  limits: 'budget',
  roles: 'models',
  permissions: 'approval',
  policy: 'approval',
  language: 'lang',
  retries: 'maxAttempts',
  api_key: 'apiKey',
  maxTokens: 'maxOutputTokens',
  time: 'timeMs',
  cost: 'costUsd',
}

function meantKey(given: string, known: readonly string[]): string {
  const elsewhere = ELSEWHERE[given]
  const near = elsewhere !== undefined && known.includes(elsewhere) ? elsewhere : nearest(given, known)
  if (near !== undefined) return `: did you mean "${near}"?`
  return `; there are: ${known.filter((key) => key !== '$schema').join(', ')}`
}

const SECRET_KEY = /key|token(?!s)|secret|password|auth|header|cookie|^env$/i

/** Never shows a possible secret, or a long value. */
function shown(value: unknown, path: Path): string {
  if (path.some((step) => typeof step === 'string' && SECRET_KEY.test(step))) return kindText(value)
  if (typeof value === 'string') return value.length > 40 ? kindText(value) : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return kindText(value)
}

function kindText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'this text'
  if (Array.isArray(value)) return 'a list'
  if (value === null) return 'null'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}
