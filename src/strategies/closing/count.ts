/**
 * Counts as people count: a range, because they differ about headings, hyphens and punctuation. A result breaks a bound only
 * when the whole range does.
 */
import type { Bounds, Unit } from './demand.ts'

export interface Range {
  readonly low: number
  readonly high: number
}

export function count(text: string, unit: Unit): Range {
  return COUNTS[unit](text)
}

export function isWithin(
  { low, high }: Range,
  { least = 0, most = Number.POSITIVE_INFINITY }: Bounds,
): boolean {
  return high >= least && low <= most
}

/** As a person would say it. */
export function rangeText({ low, high }: Range): string {
  return low === high ? `${low}` : `${low} to ${high}`
}

const COUNTS: Readonly<Record<Unit, (text: string) => Range>> = {
  words: countWords,
  characters: countCharacters,
  sentences: countSentences,
  paragraphs: countParagraphs,
  lines: countLines,
}

const HAN = /\p{Script=Han}/gu

/** A Chinese character counts as a word. */
function countWords(text: string): Range {
  const body = plainText(text)
  return { low: wordsIn(withoutHeadings(body)), high: wordsIn(body.replace(/[-–—/]/g, ' ')) }
}

function wordsIn(text: string): number {
  const spaced = text.replace(HAN, ' $& ')
  return spaced.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Of Chinese, the low end is what its writers count: characters, and words and numbers of other scripts as one each. */
function countCharacters(text: string): Range {
  const body = plainText(text)
  const hans = (body.match(HAN) ?? []).length
  const all = [...body.trim()].length
  if (hans < all / 4) return { low: [...body.replace(/\s/g, '')].length, high: all }
  return { low: wordsIn(withoutHeadings(body)), high: all }
}

function countSentences(text: string): Range {
  const lines = contentLines(text)
  const ends = lines.map((line) => (withoutAbbreviations(line).match(SENTENCE_END) ?? []).length)
  const low = ends.reduce((sum, n) => sum + n, 0)
  // A heading or an item without a full stop may count too.
  const open = lines.filter((line) => !/[.!?…。！？]["'”’)\]*_]*$/.test(line)).length
  return { low: Math.max(low, Math.min(1, lines.length)), high: low + open }
}

const SENTENCE_END = /(?<![.!?…])[.!?…]+["'”’)\]*_]*(?=\s|$)|[。！？]+/g
const ABBREVIATION =
  /\b(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Mrs|Ms|Dr|Prof|St|No|Fig|Inc|Ltd|Co|Jr|Sr|a\.m|p\.m|U\.S|[A-Z])\.(?=\s)|^[ \t]*\d+\.(?=\s)/gm

function withoutAbbreviations(line: string): string {
  return line.replace(ABBREVIATION, ' ')
}

function countParagraphs(text: string): Range {
  const blocks = text.split(/\n\s*\n/).filter((block) => block.trim() !== '')
  const prose = blocks.filter((block) => !/^\s*(?:#{1,6}\s|[-*_]{3,}\s*$|\*\*[^*\n]+\*\*\s*$)/.test(block))
  // Without blank lines each line may be a paragraph.
  const lines = contentLines(text).length
  return { low: Math.min(prose.length, lines), high: blocks.length > 1 ? blocks.length : lines }
}

function countLines(text: string): Range {
  const all = text.split('\n').filter((line) => line.trim() !== '').length
  return { low: contentLines(text).filter((line) => !/^\s*#/.test(line)).length, high: all }
}

/** Lines with words, without fences and rules. */
function contentLines(text: string): string[] {
  return text.split('\n').filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*```/.test(line))
}

function withoutHeadings(text: string): string {
  return text.replace(/^[ \t]*#{1,6}\s.*$/gm, '')
}

/** Without what Markdown adds to the words. */
function plainText(text: string): string {
  return text
    .replace(/^[ \t]*```.*$/gm, '')
    .replace(/\]\([^()\s]*\)/g, ']')
    .replace(/[*_`|]|^[ \t]*(?:[-*+•]|\d+[.)])\s/gm, ' ')
}
