/**
 * Fits sections into a number of tokens (B3): from what is needed least to what is needed first, within one class by the one
 * limit that fits, so that short items stay whole and the newest keep more. Then older items become a line each, then a count.
 */
import { countTokens } from './count-tokens.ts'
import { aboutLength, countLine, itemLine, itemText } from './render.ts'
import type { Item, Need, Section } from './section.ts'

export interface FittedSections {
  /** The parts of the message, in order. */
  readonly parts: readonly string[]
  readonly tokens: number
  readonly isShortened: boolean
}

/** An item as it stands now. */
interface Piece {
  readonly item: Item
  readonly need: Need
  /** 0 is the newest of its section. */
  readonly age: number
  text: string
  tokens: number
}

interface Row {
  readonly section: Section
  readonly title: string
  readonly pieces: Piece[]
  /** How many of the oldest are only counted. */
  counted: number
}

/** Whole where they fit; otherwise as long as they may be. `whole` ones are never shortened, so the result may be longer. */
export function fitSections(sections: readonly Section[], room: number): FittedSections {
  const rows = sections.filter(({ items }) => items.length > 0).map(rowOf)
  let excess = tokensOf(rows) - room
  if (excess <= 0) return fitted(rows, false)
  for (const need of ['last', 'then', 'first'] as const) {
    const pieces = rows.flatMap((row) => row.pieces.filter((piece) => piece.need === need))
    if (pieces.length === 0) continue
    excess -= capAll(pieces, sumOf(pieces) - excess)
    const own = rows.filter(({ section }) => section.need === need)
    // The newest are mostly what the request is about: lines of the oldest that can be listed go before their texts do.
    excess -= foldAndCount(own, WEIGHTS.length, excess)
    excess -= foldAndCount(own, 0, excess)
    if (excess <= 0) break
  }
  return fitted(rows, true)
}

function rowOf(section: Section): Row {
  const { items, need, title } = section
  const pieces = items.map((item, i): Piece => {
    const text = itemText(item)
    return { item, need, age: items.length - 1 - i, text, tokens: countTokens(text) + 1 }
  })
  return { section, title: title === undefined ? '' : `${title}\n`, pieces, counted: 0 }
}

/** No item is shown with less of its text than this; with less room it becomes a line. */
const MIN_SHOWN = 400
/** What the tags and the mark of a shortened text take. */
const MARK_TOKENS = 60

/** Shortens the pieces to the one limit on characters with which they fit into the room. Returns the tokens saved. */
function capAll(pieces: readonly Piece[], room: number): number {
  const before = sumOf(pieces)
  const longest = Math.max(...pieces.map(({ item }) => item.text.length))
  for (let limit = limitFor(pieces, room, longest); ; limit = Math.floor(limit * 0.9)) {
    const maxChars = Math.max(MIN_SHOWN, limit)
    for (const piece of pieces) show(piece, itemText(piece.item, maxChars * weightOf(piece)))
    if (maxChars === MIN_SHOWN || sumOf(pieces) <= room) return before - sumOf(pieces)
  }
}

/** By what a character of each piece takes: counting every try would take too long. */
function limitFor(pieces: readonly Piece[], room: number, longest: number): number {
  let low = MIN_SHOWN
  let high = Math.max(MIN_SHOWN, longest)
  const costs = pieces.map((piece) => ({
    tokens: piece.tokens,
    perChar: piece.tokens / Math.max(1, piece.item.text.length + aboutLength(piece.item.about)),
    weight: weightOf(piece),
  }))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const tokens = costs.reduce(
      (sum, { tokens, perChar, weight }) => sum + Math.min(tokens, perChar * middle * weight + MARK_TOKENS),
      0,
    )
    if (tokens <= room) low = middle
    else high = middle - 1
  }
  return low
}

/** The two newest keep more. */
function weightOf({ age }: Piece): number {
  return WEIGHTS[age] ?? 1
}

const WEIGHTS = [4, 2]

/** All but the newest: lines instead of texts, then counts instead of lines. Returns the tokens saved. */
function foldAndCount(rows: readonly Row[], newest: number, excess: number): number {
  const pieces = rows.flatMap((row) => row.pieces.filter(({ age }) => age >= newest))
  let saved = foldOldest(pieces, excess)
  for (const row of rows)
    if (newest === 0 || row.section.ref !== undefined) saved += countOldest(row, newest, excess - saved)
  return saved
}

/** From the oldest on, which stand first: a line instead of the text. Returns the tokens saved. */
function foldOldest(pieces: readonly Piece[], excess: number): number {
  let saved = 0
  for (const piece of pieces) {
    if (saved >= excess) break
    const line = itemLine(piece.item)
    if (line.length < piece.text.length) saved += show(piece, line)
  }
  return saved
}

/** From the oldest on, all but the newest: no line any more, only a count. Returns the tokens saved. */
function countOldest(row: Row, newest: number, excess: number): number {
  let saved = 0
  while (row.counted < row.pieces.length - newest && saved < excess) {
    const piece = row.pieces[row.counted] as Piece
    row.counted++
    saved += show(piece, row.counted === 1 ? countLine(row.pieces.length, row.section.ref) : '')
  }
  return saved
}

/** Returns the tokens saved. */
function show(piece: Piece, text: string): number {
  if (text === piece.text) return 0
  const before = piece.tokens
  piece.text = text
  piece.tokens = countTokens(text) + 1
  return before - piece.tokens
}

function fitted(rows: readonly Row[], isShortened: boolean): FittedSections {
  const parts = rows.flatMap(({ title, pieces, counted, section }) => {
    const head = counted === 0 ? [] : [countLine(counted, section.ref)]
    return [title, ...head, ...pieces.slice(counted).map(({ text }) => text)].filter((part) => part !== '')
  })
  return { parts, tokens: tokensOf(rows), isShortened }
}

function tokensOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { title, pieces }) => sum + countTokens(title) + 1 + sumOf(pieces), 0)
}

function sumOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0)
}
