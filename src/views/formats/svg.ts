/** A picture as a self-contained SVG: no external fonts, scripts or files; readable on light and dark pages. */
import { cleanText } from '../../protocol/index.ts'
import { childrenOf, type Look, type Picture, type PictureNode } from '../picture.ts'
import { cleanLine, fitLines, fitText, textWidth } from '../text-width.ts'
import type { Lang } from '../words.ts'
import { pictureWords } from './picture-words.ts'
import { SVG_STYLE } from './svg-style.ts'

/** Width of a cell in pixels, for a wide sans font at 13 px; Chinese takes two cells. */
const CELL = 7.4
const BOLD_CELL = 8.2
const TEXT_CELLS = 34
const TEXT_LINES = 3
const LINE = 17
const PAD = { x: 12, y: 9 }
const GAP = { x: 56, y: 12 }
const EDGE = 28
const HEAD = 78

interface Box {
  node: PictureNode
  lines: readonly string[]
  depth: number
  x: number
  y: number
  width: number
  height: number
}

export function svgText(picture: Picture, lang: Lang): string {
  const boxes = layOut(picture.nodes)
  const all = [...boxes.values()]
  const legend = legendOf(picture, lang)
  const right = all.reduce((most, { x, width }) => Math.max(most, x + width), 0)
  const bottom = all.reduce((most, { y, height }) => Math.max(most, y + height), HEAD)
  const width = Math.ceil(Math.max(right + EDGE, 620))
  const room = Math.floor((width - 2 * EDGE) / (CELL * 1.25))
  const title = fitText(cleanLine(picture.title), room)
  const result = fitText(cleanLine(picture.result), room)
  const resultY = bottom + 36
  const legendY = result === '' ? bottom + 34 : resultY + 30
  const height = legend.length > 0 ? legendY + 22 : (result === '' ? bottom : resultY) + EDGE
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(cleanLine(picture.title))}</title>`,
    `<style>${SVG_STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}" rx="12"/>`,
    `<text class="head" x="${EDGE}" y="38">${escapeXml(title)}</text>`,
    `<text class="caption" x="${EDGE}" y="60">${escapeXml(picture.caption)}</text>`,
    ...edgesOf(boxes),
    ...all.map(boxText),
    ...(result === ''
      ? []
      : [`<text class="result" x="${EDGE}" y="${resultY}">→ ${escapeXml(result)}</text>`]),
    ...legendText(legend, legendY),
    '</svg>',
  ].join('\n')
}

// --- layout: a column for each depth, leaves below each other, parents centred on their children

function layOut(nodes: readonly PictureNode[]): ReadonlyMap<string, Box> {
  const children = childrenOf(nodes)
  const boxes = new Map<string, Box>()
  let next = HEAD
  const place = (node: PictureNode, depth: number): Box => {
    const box = boxOf(node, depth)
    boxes.set(node.id, box)
    const top = next
    const below = (children.get(node.id) ?? []).map((child) => place(child, depth + 1))
    const first = below[0]
    const last = below.at(-1)
    if (first === undefined || last === undefined) box.y = next
    else box.y = Math.max(top, (first.y + last.y + last.height - box.height) / 2)
    next = Math.max(next, box.y + box.height + GAP.y)
    return box
  }
  for (const root of children.get(null) ?? []) place(root, 0)
  setColumns([...boxes.values()])
  return boxes
}

function setColumns(boxes: readonly Box[]): void {
  const widths: number[] = []
  for (const { depth, width } of boxes) widths[depth] = Math.max(widths[depth] ?? 0, width)
  for (const box of boxes) {
    const before = widths.slice(0, box.depth).reduce((sum, width) => sum + width + GAP.x, 0)
    box.x = EDGE + before
    if (box.node.look !== 'fold') box.width = widths[box.depth] as number
  }
}

function boxOf(node: PictureNode, depth: number): Box {
  const lines = fitLines(cleanText(node.text), TEXT_CELLS, TEXT_LINES)
  const widest = lines.reduce((most, line) => Math.max(most, textWidth(line)), 0)
  const badge = badgeWidth(node)
  return {
    node,
    lines,
    depth,
    x: 0,
    y: 0,
    width: Math.ceil(
      widest * (node.look === 'best' ? BOLD_CELL : CELL) + 2 * PAD.x + (badge === 0 ? 0 : badge + 10),
    ),
    height: lines.length * LINE + 2 * PAD.y,
  }
}

// --- marks

const EDGE_ORDER: readonly Look[] = [
  'fold',
  'merged',
  'pruned',
  'plain',
  'kept',
  'good',
  'warn',
  'bad',
  'active',
  'best',
]

/** The best path is drawn above the others. */
function edgesOf(boxes: ReadonlyMap<string, Box>): string[] {
  const drawn = [...boxes.values()].sort(
    (a, b) => EDGE_ORDER.indexOf(a.node.look) - EDGE_ORDER.indexOf(b.node.look),
  )
  return drawn.flatMap((box) => {
    const parent = box.node.parent === null ? undefined : boxes.get(box.node.parent)
    if (parent === undefined) return []
    const from = { x: parent.x + parent.width, y: parent.y + parent.height / 2 }
    const to = { x: box.x, y: box.y + box.height / 2 }
    const bend = (from.x + to.x) / 2
    const way = `M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}`
    return [`<path class="edge ${box.node.look}" d="${way}"/>`]
  })
}

function boxText({ node, lines, x, y, width, height }: Box): string {
  const { look, text } = node
  const rows = lines.map(
    (line, i) => `<text x="${x + PAD.x}" y="${y + PAD.y + 13 + i * LINE}">${escapeXml(line)}</text>`,
  )
  const rect = look === 'fold' ? '' : `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="9"/>`
  const whole = cleanLine(text, 500)
  return `<g class="node ${look}"><title>${escapeXml(whole)}</title>${rect}${rows.join('')}${badgeText(node, x + width, y + height / 2)}</g>`
}

function badgeOf({ badge, verified, look }: PictureNode): string {
  return [look === 'merged' ? '≡' : '', badge, verified ? '✓' : ''].filter((part) => part !== '').join(' ')
}

function badgeWidth(node: PictureNode): number {
  const badge = badgeOf(node)
  return badge === '' ? 0 : Math.ceil(textWidth(badge) * BOLD_CELL * 0.95 + 16)
}

function badgeText(node: PictureNode, right: number, middle: number): string {
  const badge = badgeOf(node)
  if (badge === '') return ''
  const width = badgeWidth(node)
  const x = right - width - 8
  return `<rect class="pill" x="${x}" y="${middle - 11}" width="${width}" height="22" rx="11"/><text class="score" x="${x + width / 2}" y="${middle + 4.5}">${escapeXml(badge)}</text>`
}

// --- the legend explains only what is drawn

function legendOf({ nodes }: Picture, lang: Lang): [look: string, text: string][] {
  const words = pictureWords(lang)
  const has = (look: Look) => nodes.some((node) => node.look === look)
  const legend: [string, string][] = []
  if (has('best')) legend.push(['best', words.best])
  if (nodes.some(({ verified }) => verified)) legend.push(['', `✓ ${words.verified}`])
  if (has('best') && has('pruned')) legend.push(['pruned', words.cut])
  if (has('merged')) legend.push(['merged', `≡ ${words.same}`])
  return legend
}

function legendText(legend: readonly [string, string][], y: number): string[] {
  let x = EDGE
  return legend.map(([look, text]) => {
    const swatch =
      look === ''
        ? ''
        : `<g class="node ${look}"><rect x="${x}" y="${y - 10}" width="22" height="12" rx="4"/></g>`
    const at = look === '' ? x : x + 30
    x = at + textWidth(text) * CELL + 26
    return `${swatch}<text class="caption" x="${at}" y="${y}">${escapeXml(text)}</text>`
  })
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML does not allow are left out. */
export function escapeXml(text: string): string {
  return cleanText(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
