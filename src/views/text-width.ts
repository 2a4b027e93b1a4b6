/**
 * Text as a terminal shows it: measured in cells, of which a Chinese character takes two, and without anything that would
 * move the cursor.
 */
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { cleanText, oneLine, shorten } from '../protocol/index.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** A cell holds few code units: of a far longer text, only a part need be measured. */
export const UNITS_PER_CELL = 16
/** Wrapping takes microseconds for each character: longer lines and the rest of a longer text are left to the terminal. */
const MAX_WRAPPED = 32 * 1024
const MAX_WRAPPED_PROSE = 64 * 1024

export function textWidth(text: string): number {
  return stringWidth(text)
}

/** At most `cells` wide; a text that is cut ends with an ellipsis. */
export function fitText(text: string, cells: number): string {
  if (cells <= 0) return ''
  const near = text.slice(0, cells * UNITS_PER_CELL)
  if (near.length === text.length && textWidth(text) <= cells) return text
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(near)) {
    width += textWidth(segment)
    if (width > cells - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** The end of a text on one line, at most `cells` wide; a text that is cut begins with an ellipsis. */
export function fitTail(text: string, cells: number): string {
  if (cells <= 0) return ''
  const near = text.slice(-cells * UNITS_PER_CELL)
  if (near.length === text.length && textWidth(text) <= cells) return text
  const kept: string[] = []
  let width = 0
  for (const { segment } of [...graphemes.segment(near)].reverse()) {
    width += textWidth(segment)
    if (width > cells - 1) break
    kept.push(segment)
  }
  return `…${kept.reverse().join('')}`
}

/** The whole text in lines of at most `cells`, broken anywhere. */
export function wrapText(text: string, cells: number): string[] {
  const options = { hard: true, wordWrap: false, trim: false }
  return wrapAnsi(text.replaceAll('\t', '  '), cells, options).split('\n')
}

/**
 * Breaks between words; inside a word only if it is longer than a line, as Chinese text is. A text of more than 32 KiB has its own line
 * breaks only.
 */
export function wrapWords(text: string, cells: number): string[] {
  if (text.length > MAX_WRAPPED) return text.split('\n')
  return wrapAnsi(text, cells, { hard: true }).split('\n')
}

/** At most `maxLines` lines of at most `cells`; a text that is cut ends with an ellipsis. */
export function fitLines(text: string, cells: number, maxLines: number): string[] {
  const words = text
    .slice(0, cells * maxLines * UNITS_PER_CELL)
    .trim()
    .replace(/\s+/g, ' ')
  const lines = wrapWords(words, cells)
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines - 1), fitText(`${lines.slice(maxLines - 1).join(' ')}…`, cells)]
}

/** A result on one line: if it begins with headings, the text below them up to the next; without the stars of bold words. */
export function resultLine(text: string): string {
  const below = text.replace(HEADINGS, '')
  const [shown] = below === '' || below === text ? [text] : below.split(/\n#{1,6} /, 1)
  return cleanLine(shown as string).replace(/(^|\s)\*\*(\S[^*]*)\*\*(?=[\s.,:;]|$)/g, '$1$2')
}

const HEADINGS = /^(?:#{1,6} [^\n]*(?:\n+|$))+/

/** The beginning of a text on one line, safe for a terminal; with `…` where more follows. */
export function cleanLine(text: string, maxLength = 400): string {
  return cleanText(oneLine(shorten(text.trim(), maxLength))).trim()
}

/** Wraps words, and keeps the indent, up to half of the width. */
export function wrapIndented(text: string, cells: number): string[] {
  if (text.length > MAX_WRAPPED || textWidth(text) <= cells) return [text]
  const indent = /^ */.exec(text)?.[0].slice(0, cells / 2) ?? ''
  return wrapWords(text, cells - indent.length).map((line) => indent + line)
}

/** A text of several lines: words are wrapped, code between fences is left as it is, to be copied. Wraps the first 64 KiB. */
export function wrapProse(text: string, cells: number): string {
  let isCode = false
  let length = 0
  const lines = text.split('\n').flatMap((line) => {
    length += line.length
    if (length > MAX_WRAPPED_PROSE) return [line]
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode || line.includes('|') ? [line] : wrapIndented(line, cells)
  })
  return lines.join('\n')
}
