/** A lab as a picture: the share solved against what a run costs, with intervals and the frontier, and a list of what is drawn. */
import { costText } from '../views/figures.ts'
import { escapeXml } from '../views/formats/svg.ts'
import { fitText } from '../views/text-width.ts'
import type { Lang } from '../views/words.ts'
import type { Measure, Row, Table } from './table.ts'
import { cellText, meanText, percent } from './table-text.ts'
import { labWords } from './words.ts'

const WIDTH = 760
const LEFT = 64
const RIGHT = 28
const TOP = 84
const PLOT = 340
const LIST_LINE = 24

/** Colours that people who don't tell red from green tell apart, on light pages and dark ones. */
const TONES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b58900', '#56b4e9', '#7f7f7f']

const STYLE = `
text{font:13px system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC","DejaVu Sans",sans-serif;fill:#24292f}
.page{fill:#fff;stroke:#e4e6ea}.head{font-size:18px;font-weight:600}.dim{fill:#6a737d;font-size:12px}.grid{stroke:#e4e6ea}
.frontier{fill:none;stroke:#6a737d;stroke-width:1.5;stroke-dasharray:5 4}.mark text{fill:#fff;font-weight:600;font-size:12px;text-anchor:middle}
.end{text-anchor:end}.middle{text-anchor:middle}
@media (prefers-color-scheme:dark){text{fill:#d7dee6}.page{fill:#0f141a;stroke:#262d36}.dim{fill:#8f9baa}.grid{stroke:#262d36}.frontier{stroke:#8f9baa}}
`

export function labPicture(table: Table, lang: Lang): string {
  const words = labWords(lang)
  const rows = table.rows.filter(({ group, of }) => group === null && of > 0)
  const hasModels = new Set(rows.map(({ model }) => model)).size > 1
  const { against } = table
  const most = niceCeiling(Math.max(0, ...rows.map((row) => row[against])))
  const x = (value: number) => round(LEFT + (value / (most || 1)) * (WIDTH - LEFT - RIGHT - 14))
  const y = (share: number) => round(TOP + PLOT * (1 - share))
  const places = apart(rows.map((row) => ({ x: x(row[against]), y: y(row.share) })))
  const listTop = TOP + PLOT + 78
  const height = listTop + rows.length * LIST_LINE + 20
  const measure = words.measures[against]
  const runs = rows.reduce((sum, row) => sum + row.of, 0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escapeXml(words.title(measure))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="12"/>`,
    `<text class="head" x="24" y="36">${escapeXml(words.title(measure))}</text>`,
    `<text class="dim" x="24" y="58">${escapeXml(words.means(runs, table.seed))}</text>`,
    ...axes(x, y, most, against, measure),
    frontierLine(rows, against, x, y),
    ...rows.flatMap((row, i) => intervalOf(row, i, places[i]?.x ?? 0, y)),
    ...rows.map((row, i) => markOf(i, places[i]?.x ?? 0, y(row.share), cellText(row, hasModels))),
    `<text class="dim" x="${LEFT}" y="${listTop - 24}">- - - * ${escapeXml(words.frontier)}</text>`,
    ...rows.flatMap((row, i) => listed(row, i, listTop + i * LIST_LINE, cellText(row, hasModels), lang)),
    '</svg>',
  ].join('\n')
}

type Scale = (value: number) => number

function axes(x: Scale, y: Scale, most: number, against: Measure, measure: string): string[] {
  const parts = [0, 0.25, 0.5, 0.75, 1]
  return [
    ...parts.map(
      (part) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(part)}" y2="${y(part)}"/>` +
        `<text class="dim end" x="${LEFT - 8}" y="${y(part) + 4}">${100 * part} %</text>` +
        `<text class="dim middle" x="${x(part * most)}" y="${y(0) + 20}">${figureText(against, part * most)}</text>`,
    ),
    `<text class="dim end" x="${WIDTH - RIGHT}" y="${y(0) + 38}">${escapeXml(measure)}</text>`,
  ]
}

/** A step: between two of the frontier, more cost alone wins nothing. */
function frontierLine(rows: readonly Row[], against: Measure, x: Scale, y: Scale): string {
  const points = rows
    .filter(({ frontier }) => frontier)
    .sort((a, b) => a[against] - b[against])
    .map((row) => ({ x: x(row[against]), y: y(row.share) }))
  const [first, ...others] = points
  if (first === undefined) return ''
  const way = others.map((point) => `H${point.x}V${point.y}`).join('')
  return `<path class="frontier" d="M${first.x} ${first.y}${way}H${WIDTH - RIGHT}"/>`
}

/** Marks that would cover each other stand side by side. */
function apart(points: readonly { x: number; y: number }[]): { x: number; y: number }[] {
  const placed: { x: number; y: number }[] = []
  for (const point of points) {
    let { x } = point
    while (placed.some((other) => Math.hypot(other.x - x, other.y - point.y) < MARK_ROOM)) x += MARK_ROOM
    placed.push({ x: round(x), y: point.y })
  }
  return placed
}

const MARK_ROOM = 21

function intervalOf({ low, high }: Row, i: number, x: number, y: Scale): string[] {
  const tone = TONES[i % TONES.length]
  const ends = [y(low), y(high)].map((at) => `M${x - 5} ${at}H${x + 5}`).join('')
  return [`<path d="M${x} ${y(low)}V${y(high)}${ends}" stroke="${tone}" stroke-width="1.5" fill="none"/>`]
}

function markOf(i: number, x: number, y: number, name: string): string {
  const tone = TONES[i % TONES.length]
  return `<g class="mark"><title>${escapeXml(name)}</title><circle cx="${x}" cy="${y}" r="10" fill="${tone}"/><text x="${x}" y="${y + 4}">${i + 1}</text></g>`
}

function listed(row: Row, i: number, y: number, name: string, lang: Lang): string[] {
  const words = labWords(lang)
  const figures = [
    `${percent(row.share)} % (${percent(row.low)}–${percent(row.high)})`,
    `${row.solved}/${row.of}`,
    `${words.calls} ${meanText(row.calls)}`,
    `${words.tokens} ${meanText(row.tokens)}`,
    costText(row.costUsd),
  ]
  return [
    markOf(i, LEFT + 4, y - 4, name),
    `<text x="${LEFT + 24}" y="${y}">${escapeXml(fitText(name, 36))}${row.frontier ? ' *' : ''}</text>`,
    `<text class="dim end" x="${WIDTH - RIGHT}" y="${y}">${escapeXml(figures.join(' · '))}</text>`,
  ]
}

function figureText(measure: Measure, value: number): string {
  return measure === 'costUsd' ? costText(value) : meanText(value)
}

/** 1, 2 or 5 of a power of ten. */
function niceCeiling(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
