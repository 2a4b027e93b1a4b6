/** A terminal's screen as SVG. */
import type { Line, Segment, Tone } from '../src/views/line.ts'
import { textWidth } from '../src/views/text-width.ts'

const LINE_PX = 21
const CHAR_PX = 8.43
const MARGIN_PX = 24
const COLOURS: Record<Tone, string> = {
  plain: '#d6deeb',
  strong: '#ffffff',
  dim: '#6b7d95',
  good: '#7fd88f',
  bad: '#ff7b7b',
  warn: '#f4c065',
  active: '#78b9ff',
  ask: '#d79bff',
}

export function terminalSvg(rows: readonly Line[], cells: number): string {
  const width = Math.ceil(cells * CHAR_PX + 2 * MARGIN_PX)
  const height = rows.length * LINE_PX + 2 * MARGIN_PX + 18
  const texts = rows.map((row, i) => rowText(row, MARGIN_PX + 32 + i * LINE_PX)).filter((text) => text !== '')
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `<circle cx="${MARGIN_PX + i * 20}" cy="20" r="6" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace" font-size="14">
<rect width="100%" height="100%" rx="10" fill="#101a2b"/>
${dots.join('')}
${texts.join('\n')}
</svg>
`
}

/** Each piece where its cell is; wide ones as wide as their cells: in many fonts a Chinese character is not two letters wide. */
function rowText(row: Line, y: number): string {
  let cell = 0
  const spans = row.flatMap(piecesOf).map(({ text, tone }) => {
    const x = (MARGIN_PX + cell * CHAR_PX).toFixed(1)
    const cells = textWidth(text)
    cell += cells
    const isWide = cells !== text.length
    const length = isWide ? ` textLength="${(cells * CHAR_PX).toFixed(1)}" lengthAdjust="spacing"` : ''
    const bold = tone === 'strong' ? ' font-weight="600"' : ''
    return text.trim() === ''
      ? ''
      : `<tspan x="${x}" fill="${COLOURS[tone]}"${bold}${length}>${escaped(text)}</tspan>`
  })
  const inside = spans.join('')
  return inside === '' ? '' : `<text y="${y}" xml:space="preserve">${inside}</text>`
}

/** Letters apart from wide characters: stretched together, the letters would stand apart. */
function piecesOf({ text, tone }: Segment): Segment[] {
  const pieces: { text: string; isWide: boolean }[] = []
  for (const character of text) {
    const isWide = textWidth(character) > 1
    const last = pieces.at(-1)
    if (last?.isWide === isWide) last.text += character
    else pieces.push({ text: character, isWide })
  }
  return pieces.map((piece) => ({ text: piece.text, tone }))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
