/** Reads one text of almost-JSON and gives it back as a JSON string. */
import { InnerQuotes } from './inner-quotes.ts'
import { type Repair, Unreadable } from './repair.ts'
import { UNCLEAR_BACKSLASHES, withBackslashes } from './swallowed-escapes.ts'
import { CLOSING, closes, count, isQuote, missingQuote, type TextPlace, tailLength } from './text-end.ts'

export interface RelaxedText {
  readonly json: string
  readonly end: number
}

const MAX_KEY = 200

/** Throws Unreadable. */
export function readText(text: string, start: number, place: TextPlace, repairs: Set<Repair>): RelaxedText {
  return new TextReader(text, start, place, repairs).read()
}

class TextReader {
  private readonly text: string
  private readonly start: number
  private readonly place: TextPlace
  private readonly repairs: Set<Repair>
  private readonly open: string
  /** Opened, and to be closed, by three quotes. */
  private readonly triple: boolean
  private readonly closing: string
  private readonly contentStart: number
  private readonly inner: InnerQuotes
  private readonly parts: string[] = []
  /** What is before it is in `parts`. */
  private from: number
  private at: number
  private hasLines = false
  private hasLetterEscapes = false
  /** `\\` or `\/`: of what JSON makes of them, a text that doubles no backslashes means more. */
  private hasDoubled = false
  /** What follows the backslashes that JSON does not know. */
  private readonly stray: string[] = []

  constructor(text: string, start: number, place: TextPlace, repairs: Set<Repair>) {
    this.text = text
    this.start = start
    this.place = place
    this.repairs = repairs
    this.open = text[start] as string
    this.triple = `"'`.includes(this.open) && text.startsWith(this.open.repeat(3), start)
    this.closing = CLOSING[place.isKey && this.open === '"' ? '“' : this.open] as string
    this.contentStart = start + (this.triple ? 3 : 1)
    this.inner = new InnerQuotes(text, this.contentStart)
    this.from = this.contentStart
    this.at = this.from
  }

  read(): RelaxedText {
    while (this.at < this.text.length) {
      if (this.place.isKey && this.at - this.start > MAX_KEY) throw this.fail('a field name does not end')
      const end = this.step(this.text[this.at] as string)
      if (end !== null) return end
    }
    return this.cut(this.text.length)
  }

  /** The text, where it ends here; null when it goes on. */
  private step(char: string): RelaxedText | null {
    if (this.triple && this.text.startsWith(this.open.repeat(3), this.at))
      return this.end(this.at, this.at + 3)
    if (!this.triple && this.closing.includes(char)) return this.quote(char)
    if (char === '"') return this.put('\\"', 1)
    if (char === '\\') return this.escape()
    if (char < ' ') return this.control(char)
    this.inner.bracket(char)
    this.at++
    return null
  }

  /** One that may close the text. */
  private quote(char: string): RelaxedText | null {
    const { text, at, place } = this
    if (closes(text, at + 1, place, this.inner) || this.isForgottenField()) return this.end(at, at + 1)
    if (place.isKey) throw this.fail('a field name has a quote in it')
    this.inner.add(at)
    if (char === '"') return this.put('\\"', 1)
    this.at++
    return null
  }

  private escape(): RelaxedText | null {
    // In most languages the line goes on; in a text whose line breaks were escaped it ends.
    if (this.text[this.at + 1] === '\n') throw this.fail('a backslash stands at the end of a line in a text')
    if (this.text[this.at + 1] === '_' && (this.place.isKey || this.place.isMarkdown())) {
      this.repairs.add('escapes-repaired')
      return this.put('_', 2)
    }
    const mark = escaped(this.text, this.at)
    if (mark === null) return this.cut(this.at)
    if (this.closing.includes(this.text[this.at + 1] as string)) this.inner.addEscaped()
    this.hasLetterEscapes ||= mark.letter
    this.hasDoubled ||= !mark.unknown && (mark.json === '\\\\' || mark.json === '\\/')
    // `'\'` is a backslash in quotes.
    const before = this.text.slice(Math.max(this.contentStart, this.at - 2), this.at)
    if (isQuote(mark.json) && before.endsWith(mark.json) && before[0] !== '\\')
      throw this.fail(UNCLEAR_BACKSLASHES)
    if (mark.unknown) this.stray.push(STRAY.exec(this.text.slice(this.at + 1, this.at + 40))?.[0] ?? '')
    return this.put(mark.json, mark.length)
  }

  private control(char: string): RelaxedText | null {
    const mayEnd = char === '\n' && !this.place.isKey && !this.triple
    const end = mayEnd ? missingQuote(this.text, this.at, this.place.known) : -1
    if (end >= this.from) return this.endWithoutQuote(end)
    this.hasLines ||= char === '\n'
    this.repairs.add('control-escaped')
    return this.put(JSON.stringify(char).slice(1, -1), 1)
  }

  private put(instead: string, length: number): null {
    this.parts.push(this.text.slice(this.from, this.at), instead)
    this.at += length
    this.from = this.at
    return null
  }

  /** `["a", "b", "done": …`: the list was not closed before the next field. */
  private isForgottenField(): boolean {
    const { text, at, place } = this
    const colon = place.inList && /^\s*[:：]/.test(text.slice(at + 1, at + 20))
    return colon && place.known.has(text.slice(this.contentStart, at))
  }

  private end(at: number, next: number): RelaxedText {
    const { text, open, inner, repairs } = this
    this.parts.push(text.slice(this.from, at))
    const objection = inner.objection(at, this.place.inList, this.closing.includes('"'))
    if (objection !== null) throw this.fail(objection)
    if (open !== '"' && text[at] === '"' && inner.count > 0) throw this.fail('a text has quotes of two kinds')
    if (open === '`' && /(?<!\\)\$\{/.test(text.slice(this.contentStart, at)))
      throw this.fail('a text has a part that would have to be calculated')
    if (open !== '"' || this.triple) repairs.add('quotes-replaced')
    if (inner.count > 0) repairs.add('quotes-escaped')
    if (this.stray.length > 0) repairs.add('escapes-repaired')
    return { json: this.withBackslashes(`"${this.parts.join('')}"`), end: next }
  }

  /** "C:\new\data" is not JSON, and then \n is perhaps no line break either. */
  private withBackslashes(json: string): string {
    const isMarkdown = this.stray.includes('_') && this.stray.every((word) => /^[_*#-]$/.test(word))
    // Where some backslashes are doubled and some are not, two may be one or two; `\/` may be a pattern's.
    if (isMarkdown || (this.stray.length > 0 && this.hasDoubled)) throw this.fail(UNCLEAR_BACKSLASHES)
    if (this.stray.length === 0 || !this.hasLetterEscapes) return json
    const meant = withBackslashes(JSON.parse(json) as string, this.stray)
    if (meant === null) throw this.fail(UNCLEAR_BACKSLASHES)
    return JSON.stringify(meant)
  }

  /** Ends where a closing quote was forgotten; over several lines nobody can tell where that was. */
  private endWithoutQuote(at: number): RelaxedText {
    const isClear = /(?<!\\)[\p{L}\p{N}.!?。！？)]\s*$/u.test(
      this.text.slice(Math.max(this.contentStart, at - 5), at),
    )
    const hasQuotes = /["“”]/.test(this.text.slice(this.contentStart, at))
    if (this.hasLines || this.inner.count > 0 || hasQuotes || !isClear)
      throw this.fail('a text in it does not end')
    this.repairs.add('quote-added')
    return this.end(at, at)
  }

  /** The end of the reply inside the text: only its quote is missing, or it was cut off. */
  private cut(at: number): RelaxedText {
    const { text, start, place, inner } = this
    if (place.isKey) throw this.fail('it is cut off inside a field name')
    if (inner.count > 0 || this.hasLines || this.triple) throw this.fail('a text in it does not end')
    const tail = tailLength(text.slice(start, at), place.closers)
    const braces = inner.braces + count(place.closers, '}')
    const squares = inner.squares + count(place.closers, ']')
    if (tail > 0 && braces === 0 && squares === 0) return this.endWithoutQuote(at - tail)
    if (/[}\]]\s*$/.test(text.slice(Math.max(start, at - 20), at)))
      throw this.fail('a text in it does not end')
    // What the rest would have been is not known: of "it is 42", "it is 4" says something else.
    throw this.fail(`it is cut off inside a ${place.closers.includes(']') ? 'list' : 'text'}`)
  }

  private fail(why: string): Unreadable {
    return new Unreadable(why, this.at)
  }
}

const STRAY = /^(?:[a-z]+|.)/i

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
  // What follows is read on its own: it may be a quote or a line break that matters.
  return { json: '\\\\', length: 1, letter: false, unknown: true }
}
