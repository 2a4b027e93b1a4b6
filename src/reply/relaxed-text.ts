/** Reads one text of almost-JSON and gives it back as a JSON string. */
import { InnerQuotes } from './inner-quotes.ts'
import { type Repair, Unreadable } from './repair.ts'
import { CLOSING, closes, count, isQuote, missingQuote, type TextPlace, tailLength } from './text-end.ts'

export interface RelaxedText {
  readonly json: string
  readonly end: number
  /** The reply ended inside this text. */
  readonly cut: boolean
}

const MAX_KEY = 200

/** Throws Unreadable. */
export function readText(text: string, start: number, place: TextPlace, repairs: Set<Repair>): RelaxedText {
  const open = text[start] as string
  const triple = (open === '"' || open === "'") && text.startsWith(open.repeat(3), start)
  const closing = CLOSING[place.isKey && open === '"' ? '“' : open] as string
  const contentStart = start + (triple ? 3 : 1)
  const inner = new InnerQuotes(text, contentStart)
  const notes = { lines: false, letters: false, unknown: false }
  const parts: string[] = []
  let from = contentStart
  let i = from

  while (i < text.length) {
    const char = text[i] as string
    if (place.isKey && i - start > MAX_KEY) throw fail('a field name does not end')
    if (triple && text.startsWith(open.repeat(3), i)) return ended(i, i + 3)
    if (!triple && closing.includes(char)) {
      if (closes(text, i + 1, place, inner) || isForgottenField(i)) return ended(i, i + 1)
      if (place.isKey) throw fail('a field name has a quote in it')
      inner.add(i)
      if (char === '"') put(i, '\\"', i + 1)
      else i++
    } else if (char === '"') put(i, '\\"', i + 1)
    else if (char === '\\') {
      const mark = escaped(text, i)
      if (mark === null) return cutText(i)
      if (closing.includes(text[i + 1] as string)) inner.addEscaped()
      notes.letters ||= mark.letter
      notes.unknown ||= mark.unknown
      put(i, mark.json, i + mark.length)
    } else if (char < ' ') {
      const end = char !== '\n' || place.isKey || triple ? -1 : missingQuote(text, i, place.known)
      if (end >= from) return withQuote(end)
      notes.lines ||= char === '\n'
      repairs.add('control-escaped')
      put(i, JSON.stringify(char).slice(1, -1), i + 1)
    } else {
      inner.bracket(char)
      i++
    }
  }
  return cutText(text.length)

  function fail(why: string): Unreadable {
    return new Unreadable(why, i)
  }

  function put(upTo: number, instead: string, next: number): void {
    parts.push(text.slice(from, upTo), instead)
    from = next
    i = next
  }

  /** `["a", "b", "done": …`: the list was not closed before the next field. */
  function isForgottenField(quote: number): boolean {
    const colon = place.inList && /^\s*[:：]/.test(text.slice(quote + 1, quote + 20))
    return colon && place.known.has(text.slice(contentStart, quote))
  }

  function ended(at: number, next: number, cut = false): RelaxedText {
    parts.push(text.slice(from, at))
    const objection = inner.objection(at, place.inList, closing.includes('"'))
    if (objection !== null) throw fail(objection)
    if (open !== '"' && text[at] === '"' && inner.count > 0) throw fail('a text has quotes of two kinds')
    // "C:\new\data" is not JSON, and then \n is perhaps no line break either.
    if (notes.unknown && notes.letters) throw fail('a text has backslashes that can be read two ways')
    if (open !== '"' || triple) repairs.add('quotes-replaced')
    if (inner.count > 0) repairs.add('quotes-escaped')
    if (notes.unknown) repairs.add('escapes-repaired')
    return { json: `"${parts.join('')}"`, end: next, cut }
  }

  /** Ends where a closing quote was forgotten; over several lines nobody can tell where that was. */
  function withQuote(end: number): RelaxedText {
    if (notes.lines) throw fail('a text in it does not end')
    repairs.add('quote-added')
    return ended(end, end)
  }

  /** The end of the reply inside the text: only its quote is missing, or it was cut off, or nobody knows. */
  function cutText(at: number): RelaxedText {
    if (place.isKey) throw fail('it is cut off inside a field name')
    if (inner.count > 0 || notes.lines || triple) throw fail('a text in it does not end')
    const tail = tailLength(text.slice(start, at), place.closers)
    const braces = inner.braces + count(place.closers, '}')
    const squares = inner.squares + count(place.closers, ']')
    if (tail > 0 && braces === 0 && squares === 0) return withQuote(at - tail)
    if (/[}\]]\s*$/.test(text.slice(Math.max(start, at - 20), at))) throw fail('a text in it does not end')
    // How long the list would have been is not known, and half a plan is worse than none.
    if (place.closers.includes(']')) throw fail('it is cut off inside a list')
    repairs.add('cut-off-text')
    return ended(at, text.length, true)
  }
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
