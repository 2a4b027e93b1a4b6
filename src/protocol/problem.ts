/** What is wrong with something that a caller, a configuration or a file gave: where, what is allowed, what was probably meant. */
import { type KeyPath, keyText } from './key-text.ts'
import { meantText, nearest } from './nearest.ts'

export interface Problem {
  readonly path: KeyPath
  /** Includes the key. */
  readonly message: string
  /** The problem is the key itself, not its value. */
  readonly atKey: boolean
}

export function problemAt(path: KeyPath, message: string): Problem {
  return { path, message, atKey: false }
}

/** `budget.calls must be a whole number of 0 or more, not "5"`; of a text that is nearly allowed, which one it may have meant. */
export function wrongValue(
  path: KeyPath,
  must: string,
  value: unknown,
  allowed: readonly string[] = [],
): Problem {
  const meant = typeof value === 'string' ? meantText(value, allowed) : ''
  return problemAt(path, `${placeText(path)} ${must}, not ${shownValue(value, path)}${meant}`)
}

/** `unknown key "seeed" in models.judge: did you mean "seed"?` */
export function unknownKey(
  path: KeyPath,
  key: string,
  known: readonly string[],
  word: 'key' | 'option' = 'key',
): Problem {
  const where = path.length === 0 ? '' : ` in ${keyText(path)}`
  return {
    path: [...path, key],
    message: `unknown ${word} "${key}"${where}${meantKey(key, known)}`,
    atKey: true,
  }
}

/** How the key that was probably meant, or all keys there are, end a message. */
export function meantKey(given: string, known: readonly string[]): string {
  // A key may be called `constructor`.
  const others = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : undefined
  const elsewhere = others?.find((name) => known.includes(name))
  const near = elsewhere ?? nearest(given, known)
  if (near !== undefined) return `: did you mean "${near}"?`
  return `; there are: ${known.filter((key) => key !== '$schema').join(', ')}`
}

/** Names that people know from other tools, and ours. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  mcpServers: ['mcp'],
  mcp_servers: ['mcp'],
  limits: ['budget'],
  maxSteps: ['budget'],
  maxTurns: ['budget'],
  stopWhen: ['budget'],
  recursionLimit: ['budget'],
  roles: ['models'],
  permissions: ['approval'],
  policy: ['approval'],
  language: ['lang'],
  retries: ['maxAttempts'],
  api_key: ['apiKey'],
  maxTokens: ['maxOutputTokens', 'tokens'],
  time: ['timeMs'],
  cost: ['costUsd'],
  id: ['name'],
  execute: ['run'],
  handler: ['run'],
  parameters: ['input'],
  inputSchema: ['input'],
  outputSchema: ['output'],
  schema: ['output', 'input'],
  responseFormat: ['output'],
  abortSignal: ['signal'],
  onStepFinish: ['onEvent'],
  sendReasoning: ['reasoning'],
  generateMessageId: ['messageId'],
  threadId: ['id'],
  runId: ['id'],
  cwd: ['workspace'],
  llm: ['model'],
  storage: ['store'],
  checkpointer: ['store'],
}

/** `models.judge.seed`; the whole of what was given is called `the options`. */
export function placeText(path: KeyPath): string {
  return path.length === 0 ? 'the options' : keyText(path)
}

const SECRET_KEY = /key|token(?!s)|secret|password|auth|header|cookie|^env$/i

/** A value in a message. Never shows a possible secret, or a long text. */
export function shownValue(value: unknown, path: KeyPath = []): string {
  if (path.some((step) => typeof step === 'string' && SECRET_KEY.test(step))) return kindText(value)
  if (typeof value === 'string') return value.length > 40 ? kindText(value) : JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return kindText(value)
}

function kindText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'this text'
  if (Array.isArray(value)) return 'a list'
  if (value === null || value === undefined) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
