/** Text as a terminal shows it: in cells, where Chinese takes two, and without what would move the cursor. */

const ASCII = /^[\x20-\x7e]*$/
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u
const EMPTY = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const ESCAPE = String.fromCharCode(27)
/** Escape sequences, as far as they go; then any other control or direction mark. Line breaks and tabs stay. */
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\p{Cc}]*(?:\\p{Cc}\\\\?)?|[@-Z\\\\^_])`,
  'gu',
)
const CONTROL = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment)
  return width
}

/** At most so many cells; what is cut ends with an ellipsis. */
export function fitText(text: string, cells: number): string {
  if (cells <= 0) return ''
  // A cell holds few code units: far longer texts are never measured whole.
  const near = text.length > cells * 16 ? text.slice(0, cells * 16) : text
  if (near.length === text.length && textWidth(text) <= cells) return text
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(near)) {
    width += cellsOf(segment)
    if (width > cells - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** The end of a text on one line, in at most so many cells; what is cut begins with an ellipsis. */
export function fitTail(text: string, cells: number): string {
  if (cells <= 0) return ''
  if (textWidth(text) <= cells) return text
  const kept: string[] = []
  let width = 0
  for (const { segment } of [...graphemes.segment(text)].reverse()) {
    width += cellsOf(segment)
    if (width > cells - 1) break
    kept.push(segment)
  }
  return `…${kept.reverse().join('')}`
}

/** The whole text, in lines of at most so many cells. */
export function wrapText(text: string, cells: number): string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const { segment } of graphemes.segment(text.replaceAll('\t', '  '))) {
    const more = cellsOf(segment)
    if (width + more > cells && line !== '') {
      lines.push(line)
      line = ''
      width = 0
    }
    line += segment
    width += more
  }
  return [...lines, line]
}

/** Without escape sequences, control and direction marks: what a model wrote must not drive the terminal. */
export function cleanText(text: string): string {
  return text.replace(SEQUENCE, '').replace(CONTROL, '')
}

/** The beginning of a text on one line. */
/** A result on one line: of one with headings, what stands below the first. */
export function resultLine(text: string): string {
  const [, below] = /^#{1,6} [^\n]*\n+([\s\S]*?)(?:\n#{1,6} |$)/.exec(text) ?? []
  return oneLine(below ?? text)
}

export function oneLine(text: string, maxLength = 400): string {
  return cleanText(text.slice(0, maxLength).replace(/\s+/g, ' ')).trim()
}

function cellsOf(grapheme: string): number {
  if (EMPTY.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
