/** What a terminal shows of what is written to it: the few sequences that the live view uses, and an error for any other. */
import { textWidth } from '../../src/views/text-width.ts'

export interface VtScreen {
  write(text: string): void
  /** What was drawn on the alternate screen is cut; lines of the other one are wrapped again. */
  resize(columns: number, rows: number): void
  /** The rows that are shown, without spaces at their ends and empty rows at the end. */
  rows(): string[]
  /** All that was written to the screen that scrolls. */
  history(): string[]
  readonly alternate: boolean
  readonly cursor: { readonly row: number; readonly column: number; readonly visible: boolean }
}

const ESC = '\u001b'
const SEQUENCE = new RegExp(`^(?:${ESC}\\[([?]?)([0-9;]*)([A-Za-z])|[\\r\\n\\t\\u0007])`)
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

export function vtScreen(columns: number, rows: number): VtScreen {
  let width = columns
  let height = rows
  const main = { lines: [''], row: 0, column: 0 }
  let drawn: string[][] = []
  let alternate = false
  let wraps = true
  const cursor = { row: 0, column: 0, visible: true }
  let pending = ''

  const put = (char: string) => {
    const cells = textWidth(char)
    if (!alternate) {
      const line = main.lines[main.row] ?? ''
      main.lines[main.row] = line.slice(0, main.column) + char + line.slice(main.column + char.length)
      main.column += char.length
      return
    }
    if (cells === 0) return
    if (cursor.column + cells > width) {
      if (wraps) throw new Error(`a drawn line wraps at "${char}" in row ${cursor.row}`)
      cursor.column = width - cells
    }
    const row = drawn[cursor.row] ?? []
    while (row.length < cursor.column) row.push(' ')
    row.splice(cursor.column, cells, char, ...Array<string>(cells - 1).fill(''))
    drawn[cursor.row] = row
    cursor.column += cells
  }
  const control = (char: string) => {
    if (alternate && char === '\n') throw new Error('a line feed on the screen that is drawn on')
    if (char === '\r') main.column = cursor.column = 0
    if (char === '\n') {
      main.row++
      main.lines[main.row] ??= ''
    }
  }
  const mode = (number: string, on: boolean) => {
    if (number === '1049') {
      alternate = on
      if (on) drawn = []
    } else if (number === '7') wraps = on
    else if (number === '25') cursor.visible = on
    else if (alternate && !['2026', '2004'].includes(number)) throw new Error(`mode ${number}`)
  }
  const sequence = (parameters: string, final: string) => {
    const [first = '', second = ''] = parameters.split(';')
    if (final === 'm') return
    if (final === 'H') {
      // A frame may be under way when the size changes: as a terminal does, stay inside.
      cursor.row = Math.min(height, Number(first || 1)) - 1
      cursor.column = Number(second || 1) - 1
    } else if (final === 'K' && alternate)
      drawn[cursor.row] = drawn[cursor.row]?.slice(0, cursor.column) ?? []
    else if (final === 'K') main.lines[main.row] = main.lines[main.row]?.slice(0, main.column) ?? ''
    else if (final === 'J' && first === '2') drawn = []
    else if (final === 'J') drawn = drawn.slice(0, cursor.row)
    else if (alternate) throw new Error(`sequence ${parameters}${final}`)
  }
  return {
    write(text) {
      pending += text
      while (pending !== '') {
        const found = SEQUENCE.exec(pending)
        if (found === null && pending.startsWith(ESC)) {
          if (pending.length > 20) throw new Error(`not a sequence: ${JSON.stringify(pending.slice(0, 20))}`)
          return
        }
        const [all, isMode, parameters = '', final] = found ?? []
        const { segment: char = '' } = [...graphemes.segment(pending.slice(0, 40))][0] ?? {}
        pending = pending.slice((all ?? char).length)
        if (all === undefined) put(char)
        else if (final === undefined) control(all)
        else if (isMode === '?') mode(parameters, final === 'h')
        else sequence(parameters, final)
      }
    },
    resize(newColumns, newRows) {
      width = newColumns
      height = newRows
      drawn = drawn.slice(0, height).map((row) => row.slice(0, width))
    },
    rows: () =>
      withoutEnd(alternate ? Array.from(drawn, (row) => (row ?? []).join('').trimEnd()) : main.lines),
    history: () => withoutEnd(main.lines),
    get alternate() {
      return alternate
    },
    cursor,
  }
}

function withoutEnd(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line !== '')
  return lines.slice(0, last + 1)
}
