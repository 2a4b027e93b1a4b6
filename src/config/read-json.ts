/** Reads strict JSON, with the position of every key and value. */
import { MAX_DEPTH, parseJson, type ThinkonError } from '../protocol/index.ts'
import { type LiteralPositions, literalPositions } from './module-positions.ts'
import { lineColumn } from './positions.ts'
import { configError } from './problems.ts'

/** Throws BAD_INPUT with the position of the first error. */
export function readJson(
  text: string,
  file: string,
): Omit<LiteralPositions, 'tooDeepAt'> & { value: unknown } {
  const start = text.startsWith('\ufeff') ? 1 : 0
  const { positions, doubles, tooDeepAt } = literalPositions(text, start)
  if (tooDeepAt !== undefined)
    throw syntaxError(file, text, { at: tooDeepAt, message: `nested deeper than ${MAX_DEPTH} levels` })
  const value = parseJson(text.slice(start))
  if (value === undefined) throw syntaxError(file, text, firstError(text, start))
  return { value, positions, doubles }
}

interface Problem {
  readonly at: number
  readonly message: string
}

function syntaxError(file: string, text: string, { at, message }: Problem): ThinkonError {
  return configError(file, [{ ...lineColumn(text, at), message }])
}

/** `first` is what follows an opening bracket: a key or an item, or the closing bracket. */
type Want = 'first' | 'key' | 'colon' | 'value' | 'next'
type Closer = '}' | ']' | undefined

const SPACE = /[ \t\r\n]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string must not contain them
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y
const WORD = /[{}[\],:]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function firstError(text: string, start: number): Problem {
  const open: Closer[] = []
  let want: Want = 'value'
  for (let at = start + matchAt(SPACE, text, start).length; ; ) {
    const token = tokenAt(text, at)
    const next = follows(want, token, open)
    if (next === undefined) return explained(text, at, want, open.at(-1))
    want = next
    at += token.length
    at += matchAt(SPACE, text, at).length
  }
}

/** Empty if there is none, or a string that is broken. */
function tokenAt(text: string, at: number): string {
  if (text[at] !== '"') return matchAt(WORD, text, at)
  const content = matchAt(STRING, text, at)
  return text[at + content.length] === '"' ? `${content}"` : ''
}

/** What is wanted after the token; undefined if the token itself is not wanted. */
function follows(want: Want, token: string, open: Closer[]): Want | undefined {
  const closer = open.at(-1)
  if (token === '') return undefined
  if (token === closer && (want === 'next' || want === 'first')) {
    open.pop()
    return 'next'
  }
  if (want === 'next') return token === ',' && closer ? AFTER_COMMA[closer] : undefined
  if (want === 'colon') return token === ':' ? 'value' : undefined
  if (wantsKey(want, closer)) return token.startsWith('"') ? 'colon' : undefined
  return afterValue(token, open)
}

function afterValue(token: string, open: Closer[]): Want | undefined {
  const opened = CLOSERS[token]
  if (opened === undefined) return '}],:'.includes(token) ? undefined : 'next'
  open.push(opened)
  return 'first'
}

const AFTER_COMMA = { '}': 'key', ']': 'value' } as const
const CLOSERS: Readonly<Record<string, '}' | ']'>> = { '{': '}', '[': ']' }

function wantsKey(want: Want, closer: Closer): boolean {
  return want === 'key' || (want === 'first' && closer === '}')
}

function explained(text: string, at: number, want: Want, closer: Closer): Problem {
  const char = text[at]
  const isKey = wantsKey(want, closer)
  const isMember = want !== 'next' && want !== 'colon'
  if (char === '"' && isMember) return brokenString(text, at + matchAt(STRING, text, at).length)
  if (/^\/[/*]/.test(text.slice(at, at + 2)))
    return { at, message: 'JSON has no comments: take it out, or write a thinkon.config.ts' }
  if (isMember && char === closer && char !== undefined && (isKey || closer === ']'))
    return { at, message: `a comma must not come before ${char}` }
  if (char === "'" && isMember && !isKey) return { at, message: "strings need double quotes, not '…'" }
  const after = closer === undefined ? 'nothing more' : `"," or "${closer}"`
  const wanted = {
    next: after,
    colon: '":" after the key',
    member: isKey ? 'a key in double quotes' : 'a value',
  }
  const given = char === undefined ? 'the file ends here' : `unexpected ${JSON.stringify(char)}`
  return { at, message: `${given}: ${wanted[isMember ? 'member' : want]} is expected` }
}

function brokenString(text: string, at: number): Problem {
  const char = text[at]
  if (char === '\\')
    return { at, message: `\\${text[at + 1] ?? ''} means nothing in JSON; a backslash is written \\\\` }
  if (char === undefined || char === '\n') return { at, message: 'the string is not closed by " on its line' }
  return { at, message: 'a control character in a string must be written with \\u' }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
