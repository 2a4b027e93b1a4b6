/**
 * Reads one text of almost-JSON and gives it back as a JSON string. The hard question is where it ends when quotes inside
 * it are not escaped: at a quote that is followed by what can follow a text there (a colon after a key; after a value a
 * closing bracket, or a comma and then really a next member). In proper JSON that is every quote, so it is read the same.
 */
import { type Repair, Unreadable } from './repair.ts'

/** Where a text stands. */
export interface TextPlace {
  readonly isKey: boolean
  readonly inList: boolean
  /** The brackets that would close everything that is open, innermost first. */
  readonly closers: string
  /** Field names of the schema: a line that begins with one shows that a quote was forgotten before it. */
  readonly known: ReadonlySet<string>
}

export interface RelaxedText {
  readonly json: string
  readonly end: number
  /** The reply ended inside this text. */
  readonly cut: boolean
}

/** What may close a text that was opened with the key. */
const CLOSING: Record<string, string> = {
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
const MAX_KEY = 200

export function isQuote(char: string | undefined): boolean {
  return char !== undefined && Object.hasOwn(CLOSING, char)
}

export function readText(text: string, start: number, place: TextPlace, repairs: Set<Repair>): RelaxedText {
  const open = text[start] as string
  const triple = (open === '"' || open === "'") && text.startsWith(open.repeat(3), start)
  const closing = CLOSING[place.isKey && open === '"' ? '“' : open] as string
  const notes = {
    inner: 0,
    members: false,
    lines: false,
    letters: false,
    unknown: false,
    braces: 0,
    squares: 0,
  }
  const parts: string[] = []
  let from = start + (triple ? 3 : 1)
  let i = from

  const fail = (why: string) => new Unreadable(why, i)

  function put(upTo: number, instead: string, next: number): void {
    parts.push(text.slice(from, upTo), instead)
    from = next
    i = next
  }

  function ended(at: number, next: number, cut = false): RelaxedText {
    parts.push(text.slice(from, at))
    if (open !== '"' || triple) repairs.add('quotes-replaced')
    if (notes.inner > 0) repairs.add('quotes-escaped')
    if (notes.members) throw fail('it is not clear where a text ends and the next field begins')
    if (place.inList && notes.inner % 2 === 1 && closing.includes('"')) {
      throw fail('it is not clear where an item of a list ends: quotes inside it are not escaped')
    }
    // "C:\new\data" is not JSON, and then \n is perhaps no line break either.
    if (notes.unknown && notes.letters) throw fail('a text has backslashes that can be read two ways')
    if (notes.unknown) repairs.add('escapes-repaired')
    return { json: `"${parts.join('')}"`, end: next, cut }
  }

  while (i < text.length) {
    const char = text[i] as string
    if (place.isKey && i - start > MAX_KEY) throw fail('a field name does not end')
    if (triple ? char === open && text.startsWith(open.repeat(3), i) : closing.includes(char)) {
      if (triple) return ended(i, i + 3)
      if (closes(text, i + 1, place, notes)) return ended(i, i + 1)
      // `["a", "b", "done": …`: the list was not closed before the next field.
      const isField = place.inList && /^\s*[:：]/.test(text.slice(i + 1, i + 20))
      if (isField && place.known.has(text.slice(start + 1, i))) return ended(i, i + 1)
      notes.inner++
      notes.members ||= MEMBER.test(text.slice(i, i + 80))
      if (char === '"') put(i, '\\"', i + 1)
      else i++
    } else if (char === '"') put(i, '\\"', i + 1)
    else if (char === '\\') {
      const mark = escaped(text, i)
      if (mark === null) return cutText(i)
      notes.letters ||= mark.letter
      notes.unknown ||= mark.unknown
      put(i, mark.json, i + mark.length)
    } else if (char < ' ') {
      if (char === '\n') {
        const missing = place.isKey || triple ? -1 : missingQuote(text, i, place.known)
        if (missing >= from) {
          repairs.add('quote-added')
          return ended(missing, missing)
        }
        notes.lines = true
      }
      repairs.add('control-escaped')
      put(i, JSON.stringify(char).slice(1, -1), i + 1)
    } else {
      if (char === '{') notes.braces++
      else if (char === '}') notes.braces--
      else if (char === '[') notes.squares++
      else if (char === ']') notes.squares--
      i++
    }
  }
  return cutText(text.length)

  /** The end of the reply inside the text: only its quote is missing, or it was cut off, or nobody knows. */
  function cutText(at: number): RelaxedText {
    if (place.isKey) throw fail('it is cut off inside a field name')
    if (notes.inner > 0 || notes.lines || triple) throw fail('a text in it does not end')
    const tail = tailLength(text.slice(start, at), place.closers)
    const own = {
      braces: notes.braces + count(place.closers, '}'),
      squares: notes.squares + count(place.closers, ']'),
    }
    if (tail > 0 && own.braces === 0 && own.squares === 0) {
      repairs.add('quote-added')
      return ended(at - tail, at - tail)
    }
    if (/[}\]]\s*$/.test(text.slice(Math.max(start, at - 20), at))) throw fail('a text in it does not end')
    // How long the list would have been is not known, and half a plan is worse than none.
    if (place.closers.includes(']')) throw fail('it is cut off inside a list')
    repairs.add('cut-off-text')
    return ended(at, text.length, true)
  }
}

/** `"` and a colon and a value: a quote inside a text that looks like the next field. */
const MEMBER = /^["'”’][,，]?\s*(?:["'“‘][^"'“”‘’\n]{1,60}["'”’]\s*)?[:：]\s*["'“‘\d{[-]/

function closes(
  text: string,
  after: number,
  { isKey, inList }: TextPlace,
  notes: { inner: number; braces: number; squares: number },
): boolean {
  const i = skipSpace(text, after)
  const char = text[i]
  if (char === undefined) return true
  if (isKey) return char === ':' || char === '：'
  // `"use ["a"] here"`: a bracket that was opened inside the text is closed inside it.
  if (char === '}' || char === '｝') return notes.inner === 0 || notes.braces <= 0
  if (char === ']' || char === '】' || char === '］') return notes.inner === 0 || notes.squares <= 0
  if (text.startsWith('```', i) || text.startsWith('//', i) || text.startsWith('/*', i)) return true
  if (char === '#') return i > after
  if (char === '+') return isQuote(text[skipSpace(text, i + 1)])
  if (char === ',' || char === '，' || char === '、') {
    const next = skipSpace(text, i + 1)
    const follows = text[next]
    if (follows === undefined || '}]｝】］/#'.includes(follows)) return true
    return inList ? ITEM.test(text.slice(next, next + 8)) : keyAt(text, next)
  }
  // A comma was forgotten: sure when a field follows, likely when an item follows on a new line.
  return inList ? isQuote(char) && text.slice(after, i).includes('\n') : isQuote(char) && keyAt(text, i)
}

const ITEM = /^(?:["'“‘「{[｛【［\d-]|(?:true|false|null|True|False|None|NaN)\b)/

const KEY =
  /(?:["“”＂][^"“”＂\n]{1,100}["“”＂]|['‘][^'‘’\n]{1,100}['’]|[`「『][^`」』\n]{1,100}[`」』]|[\p{L}_$][\p{L}\p{N}_$.-]{0,60})\s{0,20}[:：]/uy

export function keyAt(text: string, at: number): boolean {
  KEY.lastIndex = at
  return KEY.test(text)
}

const NEXT_LINE = /\s{1,200}["“']([^"“”'\n]{1,60})["”']\s{0,20}[:：]/y

/** Where a text must have ended because the next line begins with a field of the schema; -1 when it goes on. */
function missingQuote(text: string, newline: number, known: ReadonlySet<string>): number {
  NEXT_LINE.lastIndex = newline
  const key = NEXT_LINE.exec(text)?.[1]
  if (key === undefined || !known.has(key)) return -1
  let end = newline
  while (text[end - 1] === ' ' || text[end - 1] === '\r') end--
  return text[end - 1] === ',' || text[end - 1] === '，' ? end - 1 : end
}

/** How much of the end are exactly the brackets that close what is open; 0 when they are not. */
function tailLength(body: string, closers: string): number {
  let i = body.length
  for (const closer of [...closers].reverse()) {
    while (i > 0 && /\s/.test(body[i - 1] as string)) i--
    if (body[i - 1] !== closer) return 0
    i--
  }
  return body.length - i
}

function count(text: string, char: string): number {
  return text.split(char).length - 1
}

interface Escape {
  readonly json: string
  readonly length: number
  /** One of \b \f \n \r \t: what a path or a pattern may also have meant literally. */
  readonly letter: boolean
  readonly unknown: boolean
}

function escaped(text: string, at: number): Escape | null {
  const next = text[at + 1]
  if (next === undefined) return null
  if ('"\\/bfnrt'.includes(next)) {
    return { json: `\\${next}`, length: 2, letter: 'bfnrt'.includes(next), unknown: false }
  }
  if (next === 'u') {
    const code = text.slice(at + 2, at + 6)
    if (/^[\da-fA-F]{4}$/.test(code)) return { json: `\\u${code}`, length: 6, letter: false, unknown: false }
    if (at + 2 + code.length >= text.length) return null
  }
  if (isQuote(next)) return { json: next, length: 2, letter: false, unknown: false }
  if (next === '\n') return { json: '\\n', length: 2, letter: false, unknown: false }
  // What follows is read on its own: it may be a quote or a line break that matters.
  return { json: '\\\\', length: 1, letter: false, unknown: true }
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
