/** The last look at a value that was read: its texts as they were meant, and none that only stands for one. */
import { isObject } from '../protocol/index.ts'
import { losesDigits } from './exact-numbers.ts'
import { UNCLEAR_BACKSLASHES, withBackslashes } from './swallowed-escapes.ts'

/** The same value when there was nothing to do; why it can't be taken when a text in it is unclear. */
export function settleTexts(value: unknown, source: string): { value: unknown } | { why: string } {
  try {
    if (isForm(value)) throw new UnclearText('it is the form that was asked for; give the values')
    return { value: settled(value, '', { hasEscapes: source.includes('\\'), lost: lostNumbers(source) }) }
  } catch (error) {
    if (error instanceof UnclearText) return { why: error.message }
    throw error
  }
}

class UnclearText extends Error {}

/** `{"answer": "string"}`: every text is the name of its type. */
function isForm(value: unknown): boolean {
  if (!isObject(value)) return false
  const texts = Object.values(value).filter((item) => typeof item === 'string')
  return texts.length > 0 && texts.every((text) => text === 'string')
}

/** What was read. */
interface Source {
  /** Without them, every line break and tab was there as it is. */
  readonly hasEscapes: boolean
  readonly lost: () => ReadonlyMap<number, string>
}

function settled(value: unknown, name: string, source: Source): unknown {
  if (typeof value === 'string') return settledText(value, name, source)
  if (typeof value === 'number' && !Number.isSafeInteger(value)) refuseLost(value, source.lost())
  if (Array.isArray(value)) {
    const items = value.map((item) => settled(item, name, source))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, settled(item, key, source)] as const)
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value
}

/** A number of which a parser keeps only the first digits, or nothing at all (1e999). */
function refuseLost(value: number, lost: ReadonlyMap<number, string>): void {
  if (!Number.isFinite(value)) throw new UnclearText('a number in it is too large')
  const digits = lost.get(Math.abs(value))
  if (digits !== undefined)
    throw new UnclearText(
      `${digits} has more digits than a number keeps; round it, or give a text if one fits`,
    )
}

const LONG_NUMBER = /(?<![\d.])\d{16,400}(?![\d.eE])/g

/** The long numbers of a reply that are not what a parser makes of them, by what it makes of them; looked for only once. */
function lostNumbers(source: string): () => ReadonlyMap<number, string> {
  let found: Map<number, string> | undefined
  return () => {
    found ??= new Map(
      (source.match(LONG_NUMBER) ?? []).filter(losesDigits).map((digits) => [Number(digits), digits]),
    )
    return found
  }
}

function settledText(text: string, name: string, { hasEscapes }: Source): string {
  if (isPlaceholder(text, name))
    throw new UnclearText(`${JSON.stringify(text)} stands for a text; give the text itself`)
  const meant = hasEscapes ? withBackslashes(text) : text
  if (meant === null) throw new UnclearText(UNCLEAR_BACKSLASHES)
  return meant
}

const MAX_PLACEHOLDER = 80
const LEFT_OUT = /^\s*(?:\.{3,}|…+)\s*$/
const IN_MARKS = /^(?:<([^<>]+)>|\[([^[\]]+)\]|\{\{?([^{}]+)\}?\})$/
const ASKS =
  /^(?:your|insert|enter|fill in|put|add|write|some|the|a|an)\s.*\b(?:here|text|value|string|goes)\b|^(?:your|insert|enter)\s/i

const FORM_WORDS = /^\p{L}[\p{L},'’.-]*(?: [\p{L},'’.-]+){2,}$/u

/** `...`, `<description>` for a description, `[insert text here]`: what a form has where the text belongs. */
function isPlaceholder(text: string, name: string): boolean {
  if (text.length > MAX_PLACEHOLDER) return false
  if (LEFT_OUT.test(text)) return true
  const marked = IN_MARKS.exec(text.trim())
  const inside = marked === null ? '' : (marked[1] ?? marked[2] ?? marked[3] ?? '').trim()
  // A tag with attributes is none; `<what to do next>` is no tag.
  if (inside === '' || inside.includes('=')) return false
  if (FORM_WORDS.test(marked?.[1] ?? '')) return true
  return ASKS.test(inside) || (name !== '' && loose(inside) === loose(name))
}

/** A name without what writers change about it. */
export function loose(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '')
}
