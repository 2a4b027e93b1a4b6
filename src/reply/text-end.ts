/**
 * Where a text of almost-JSON ends when quotes inside it are not escaped: at a quote that is followed by what can follow
 * a text there, which is a colon after a key; after a value a closing bracket, or a comma and then really a next member.
 * In proper JSON that is every quote, so it is read the same.
 */
import type { InnerQuotes } from './inner-quotes.ts'

/** Where a text stands. */
export interface TextPlace {
  readonly isKey: boolean
  readonly inList: boolean
  /** The brackets that would close everything that is open, innermost first. */
  readonly closers: string
  /** Field names of the schema: a line that begins with one shows that a quote was forgotten before it. */
  readonly known: ReadonlySet<string>
  /** Whether names in it are written as in Markdown, `plan\_type`: then texts are, too. */
  readonly isMarkdown: () => boolean
}

/** What may close a text that was opened with the key. */
export const CLOSING: Record<string, string> = {
  '"': '"',
  '＂': '＂"',
  '“': '”“"„',
  '”': '”“"',
  '„': '”“"',
  "'": "'",
  '‘': "’‘'",
  '’': "’‘'",
  '`': '`',
  '「': '」',
  '『': '』',
}
export function isQuote(char: string | undefined): boolean {
  return char !== undefined && Object.hasOwn(CLOSING, char)
}

/** Whether the quote before `after` ends the text. */
export function closes(
  text: string,
  after: number,
  { isKey, inList }: TextPlace,
  inner: InnerQuotes,
): boolean {
  const i = skipSpace(text, after)
  const char = text[i]
  if (char === undefined) return true
  if (isKey) return ':：'.includes(char)
  // `"use ["a"] here"`: a bracket that was opened inside the text is closed inside it.
  if ('}｝'.includes(char)) return inner.count === 0 || inner.braces <= 0
  if (']】］'.includes(char)) return inner.count === 0 || inner.squares <= 0
  if (',，、'.includes(char)) return !inner.isInBrackets() && memberFollows(text, i + 1, inList)
  // `use "+" for it` joins nothing.
  if (char === '+') return i > after && isQuote(text[skipSpace(text, i + 1)])
  if (text.startsWith('```', i)) return text.slice(after, i).includes('\n')
  if (COMMENT.test(text.slice(i, i + 2))) return i > after
  // A comma was forgotten: sure when a field follows, likely when an item follows on a new line.
  return isQuote(char) && (inList ? text.slice(after, i).includes('\n') : keyAt(text, i))
}

const COMMENT = /^(?:#|\/[/*])/

/** Whether after a comma there is really a next member, or the end, or what stands for more. */
function memberFollows(text: string, from: number, inList: boolean): boolean {
  const next = skipSpace(text, from)
  if (END_OR_MORE.test(text.slice(next, next + 3))) return true
  return inList ? ITEM.test(text.slice(next, next + 8)) : keyAt(text, next)
}

const END_OR_MORE = /^(?:$|[}\]｝】］/#,，…]|\.\.\.)/

const ITEM = /^(?:["'“‘「{[｛【［\d-]|(?:true|false|null|True|False|None|NaN)\b)/

const KEY =
  /(?:["“”＂][^"“”＂\n]{1,100}["“”＂]|['‘][^'‘’\n]{1,100}['’]|[`「『][^`」』\n]{1,100}[`」』]|[\p{L}_$][\p{L}\p{N}_$.-]{0,60})\s{0,20}[:：]/uy

export function keyAt(text: string, at: number): boolean {
  KEY.lastIndex = at
  return KEY.test(text)
}

const NEXT_LINE = /\s{1,200}["“']([^"“”'\n]{1,60})["”']\s{0,20}[:：]/y

/** Where a text must have ended because the next line begins with a field of the schema; -1 when it goes on. */
export function missingQuote(text: string, newline: number, known: ReadonlySet<string>): number {
  NEXT_LINE.lastIndex = newline
  const key = NEXT_LINE.exec(text)?.[1]
  if (key === undefined || !known.has(key)) return -1
  let end = newline
  while (text[end - 1] === ' ' || text[end - 1] === '\r') end--
  return text[end - 1] === ',' || text[end - 1] === '，' ? end - 1 : end
}

/** How much of the end are exactly the brackets that close what is open; 0 when they are not. */
export function tailLength(body: string, closers: string): number {
  let i = body.length
  for (const closer of [...closers].reverse()) {
    while (i > 0 && /\s/.test(body[i - 1] as string)) i--
    if (body[i - 1] !== closer) return 0
    i--
  }
  return body.length - i
}

export function count(text: string, char: string): number {
  return text.split(char).length - 1
}

/** Over spaces and what can't be seen. */
export function skipSpace(text: string, from: number): number {
  let i = from
  while (i < text.length && isSpace(text[i] as string)) i++
  return i
}

export function isSpace(char: string): boolean {
  return char <= ' ' || (char > '~' && SPACE.test(char))
}

const SPACE = /[\s\u200b-\u200d\u2060\ufeff\u00ad]/
