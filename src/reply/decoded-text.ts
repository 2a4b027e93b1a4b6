/** Replies that were encoded once more: for HTML, or as the inside of a JSON text. */
import { parseJson } from '../protocol/index.ts'
import { isCorrection } from './corrections.ts'
import type { Repair } from './repair.ts'

export interface Inner {
  readonly text: string
  readonly repair: Repair
}

/** JSON whose quotes are escaped once too often, or written for HTML. */
export function decodedText(text: string): Inner | null {
  if (/&(?:quot|#34|#x22);/i.test(text) && !text.includes('"')) {
    const decoded = text.replace(ENTITY, (all, name: string) => character(name) ?? all)
    // What stays encoded would be taken for text: all of it is decoded, or none.
    const isWhole = [...text.matchAll(ENTITY)].every(([, name = '']) => character(name) !== null)
    return isWhole ? { text: decoded, repair: 'entities-decoded' } : null
  }
  const from = text.search(/[{[]/)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  if (
    from < 0 ||
    to < from ||
    !(text.includes('\\"') || ESCAPED_LINE.test(text.slice(from))) ||
    /(?<!\\)"/.test(text)
  )
    return null
  const escaped = text.slice(from, to + 1)
  if (isCorrection(text.slice(to + 1))) return null
  const inner = parseJson(`"${escaped.replace(/\n/g, '\\n')}"`)
  return typeof inner === 'string' ? { text: inner, repair: 'double-encoded' } : null
}

/** A list whose line breaks are escaped, although no quotes are. */
const ESCAPED_LINE = /^[[{]\s*\\n/
const ENTITY = /&(#?\w{2,8});/g

function character(name: string): string | null {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? null
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null
}

const ENTITIES: Record<string, string> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  times: '×',
}
