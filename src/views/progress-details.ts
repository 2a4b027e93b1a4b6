/** Puts what strategies show below the rows of their blocks, as far as there is room: running blocks before ended ones. */
import type { BlockState } from '../protocol/index.ts'
import type { Details } from './details.ts'
import { type Line, segment } from './line.ts'
import type { Row } from './progress-rows.ts'
import type { Lang } from './words.ts'

export interface DetailRoom {
  details: Details
  width: number
  maxLines: number
  maxDetailLines?: number
  lang: Lang
}

/** Lines reserved for the details of running blocks: at most half. */
export function reservedRows(
  blocks: Iterable<BlockState>,
  { details, width, maxLines, lang }: DetailRoom,
): number {
  const most = Math.floor(maxLines / 2)
  let wanted = 0
  for (const { path, outcome } of blocks) {
    if (outcome !== null || !details.has(path)) continue
    wanted += details.linesOf(path, { width, lang, maxLines: most }).length
    if (wanted >= most) return most
  }
  return wanted
}

/** `lines` has one line for each row. */
export function addDetails(rows: readonly Row[], lines: readonly Line[], room: DetailRoom): Line[] {
  const below = new Map<Row, Line[]>()
  let spare = Math.min(room.maxLines - lines.length, room.maxDetailLines ?? Number.POSITIVE_INFINITY)
  const shown = rows.filter(hasDetails(room.details))
  const open = shown.filter(({ block }) => block.outcome === null).reverse()
  const ended = shown.filter(({ block }) => block.outcome !== null)
  for (const [i, row] of [...open, ...ended].entries()) {
    if (spare <= 0) break
    const sharers = i < open.length ? open.length - i : 1
    const prefix = prefixOf(row, rows[rows.indexOf(row) + 1])
    const own = detailLines(row, prefix, Math.ceil(spare / sharers), room)
    below.set(row, own)
    spare -= own.length
  }
  return rows.flatMap((row, i) => [lines[i] as Line, ...(below.get(row) ?? [])])
}

type BlockRow = Extract<Row, { kind: 'block' }>

function hasDetails(details: Details): (row: Row) => row is BlockRow {
  return (row): row is BlockRow => row.kind === 'block' && details.has(row.block.path)
}

function detailLines({ block }: BlockRow, prefix: string, maxLines: number, room: DetailRoom): Line[] {
  const { details, lang } = room
  const width = Math.max(8, room.width - prefix.length)
  return details
    .linesOf(block.path, { width, lang, maxLines })
    .map((line) => [segment(prefix, 'dim'), ...line])
}

/** Continues the tree's guides beside the details. */
function prefixOf({ guides, last, block }: BlockRow, next: Row | undefined): string {
  const isRoot = block.parent === null
  const own = isRoot ? '' : [...guides, !last].map((goesOn) => (goesOn ? '│  ' : '   ')).join('')
  const level = isRoot ? 0 : guides.length + 1
  const opens = next !== undefined && next.guides.length >= level
  return `${own}${opens ? '│  ' : '    '}`
}
