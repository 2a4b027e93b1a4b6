/** The text that models are writing, below the tree: as much of its end as there is room for. */
import { goalIntent, type RunState } from '../protocol/index.ts'
import { type Line, segment } from './line.ts'
import type { Streams } from './streams.ts'
import { cleanLine, fitText, textWidth, UNITS_PER_CELL, wrapIndented } from './text-width.ts'

/** A pane smaller than a heading and this many lines says nothing. */
const MIN_LINES = 3

export interface StreamedOptions {
  width: number
  /** Including headings. */
  maxLines: number
}

export interface StreamedText {
  lines: Line[]
  /** The blocks whose text is shown. */
  paths: ReadonlySet<string>
}

/** A text that fits beside its block's row is left to that row. Several texts share the room; those that began first are shown. */
export function streamedText(
  state: RunState,
  streams: Streams,
  { width, maxLines }: StreamedOptions,
): StreamedText {
  const wanted = [...streams.paths()]
    .filter((path) => state.blocks.get(path)?.outcome === null && !fitsRow(streams.text(path), width))
    .slice(0, Math.floor(maxLines / (MIN_LINES + 1)))
  let room = maxLines
  const lines = wanted.flatMap((path, i) => {
    const most = Math.floor(room / (wanted.length - i))
    const pane = paneOf(path, state, streams.text(path), width, most)
    room -= pane.length
    return pane
  })
  return { lines, paths: new Set(wanted) }
}

function fitsRow(text: string, width: number): boolean {
  return text.length <= width && textWidth(text) <= width / 3 && !text.trim().includes('\n')
}

function paneOf(path: string, state: RunState, text: string, width: number, maxLines: number): Line[] {
  const goal = state.blocks.get(path)?.goal
  const title = fitText(`── ${path} ${cleanLine(goal === undefined ? '' : goalIntent(goal))} `, width - 4)
  const heading = `${title}${'─'.repeat(Math.max(0, width - textWidth(title)))}`
  return [
    [segment(heading, 'dim')],
    ...lastRows(text, width, maxLines - 1).map((row) => [segment(row, 'plain')]),
  ]
}

/** Wrapped line by line from the end: the lines above need not be known. */
function lastRows(text: string, width: number, maxRows: number): string[] {
  const lines = text.trimEnd().split('\n')
  const rows: string[] = []
  while (lines.length > 0 && rows.length < maxRows) {
    const line = lines.pop() as string
    // Rows that are not shown need not be measured.
    const end = line.slice(-width * maxRows * UNITS_PER_CELL)
    rows.unshift(...wrapIndented(end.replaceAll('\t', '  '), width))
  }
  return rows.slice(-maxRows)
}
