/** What stands without quotes in almost-JSON: a number, a literal of JSON, Python or JavaScript, or a text. */

import { type Repair, Unreadable } from './repair.ts'
import { isQuote, isSpace, skipSpace } from './text-end.ts'

const LITERALS: Record<string, string> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
  TRUE: 'true',
  FALSE: 'false',
  NULL: 'null',
  nil: 'null',
  // No number at all: null, as JSON.stringify has it. The schema decides whether that is allowed.
  NaN: 'null',
  nan: 'null',
}
/** Stands for a value that is to be left out. */
export const UNDEFINED = 'undefined'
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LITERAL = /^(?:true|false|null|-?\d[\d.eE+-]*)$/
/** Infinity stays out: no JSON value says it, and null would say the opposite. */
const NO_TEXT = /^[-+]?(?:inf|infinity)$/i
/** `true or false` */
const STARTS_LITERAL = /^(?:true|false|null|none|nil|nan|undefined)\s/i
const NAME = /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u
const PLAIN_TEXT = /^[\p{L}_][\p{L}\p{N}_ .\-/'’!?，。！？（）]*$/u
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const INVISIBLE_ENDS =
  /^[\s\u200b-\u200d\u2060\ufeff]+|(?<![\s\u200b-\u200d\u2060\ufeff])[\s\u200b-\u200d\u2060\ufeff]+$/g
const INVISIBLE_END = /(?<![\s\u200b-\u200d\u2060\ufeff])[\s\u200b-\u200d\u2060\ufeff]+$/
const END = /[,:：，、{}[\]｛｝【】［］\n"“”]/

export function readWord(
  text: string,
  start: number,
  { isKey, inList }: { isKey: boolean; inList: boolean },
  repairs: Set<Repair>,
): { json: string; end: number } {
  const end = wordEnd(text, start)
  const word = text.slice(start, end).replace(INVISIBLE_ENDS, '')
  // `"a": word"`: the quote before it was forgotten.
  const lostQuote = !isKey && text[end] === '"' && /^[,}\]]$/.test(text[skipSpace(text, end + 1)] ?? ',')
  const besideQuote = isQuote(text[end]) && !(isSpace(text[end - 1] as string) && LITERAL.test(word))
  if (besideQuote && !lostQuote) throw new Unreadable(`${JSON.stringify(word)} runs into a quote`)
  if (isKey) {
    if (!NAME.test(word)) throw new Unreadable('a field has no name')
    repairs.add('words-quoted')
    return { json: JSON.stringify(word), end }
  }
  if (lostQuote) {
    if (!PLAIN_TEXT.test(word)) throw new Unreadable(`${JSON.stringify(word)} has only one quote`)
    repairs.add('quote-added')
    return { json: JSON.stringify(word), end: end + 1 }
  }
  const trimmedEnd = start + text.slice(start, end).replace(INVISIBLE_END, '').length
  const json = literal(word, repairs) ?? plain(word, inList || comment(text, end), repairs)
  return { json, end: trimmedEnd }
}

function wordEnd(text: string, start: number): number {
  let end = start
  while (end < text.length && !END.test(text[end] as string) && !comment(text, end)) end++
  return end
}

function literal(word: string, repairs: Set<Repair>): string | null {
  if (NUMBER.test(word)) return word
  if (word === UNDEFINED) {
    repairs.add('literals-replaced')
    return UNDEFINED
  }
  if (Object.hasOwn(LITERALS, word)) {
    if (LITERALS[word] !== word) repairs.add('literals-replaced')
    return LITERALS[word] as string
  }
  // Full-width digits, and the marks that people leave out or put in: .5, 5., +3.
  const mended = word
    .replace(/[０-９．－＋]/g, (char) => char.normalize('NFKC'))
    .replace(/^\+(?=[\d.])/, '')
    .replace(/^(-?)\.(?=\d)/, '$10.')
    .replace(/^(-?\d+)\.$/, '$1')
  if (!NUMBER.test(mended)) return null
  repairs.add('literals-replaced')
  return mended
}

function plain(word: string, isUnclear: boolean, repairs: Set<Repair>): string {
  const isText = PLAIN_TEXT.test(word) || DATE.test(word)
  // In a list of bare words a comma may separate items or belong to one; of `C # now` all may be text.
  if (isUnclear || !isText || NO_TEXT.test(word) || STARTS_LITERAL.test(word)) {
    throw new Unreadable(`${JSON.stringify(word.slice(0, 40))} is no value`)
  }
  repairs.add('words-quoted')
  return JSON.stringify(word)
}

function comment(text: string, at: number): boolean {
  return text.startsWith('//', at) || text.startsWith('/*', at) || (text[at] === '#' && text[at - 1] === ' ')
}
