/**
 * The run as a tree with progress marks: a fold view, the same for the terminal, for pipes and for prompts.
 *
 * [ ] not started   [-] running   [?] waits for a person or a model   [x] completed   [~] partial   [/] skipped   [!] failed, cancelled
 */
import type { BlockState, RoleUsage, RunState, Usage } from '../protocol/index.ts'
import { blockRow, elapsedMs, MARKS, NOT_BEGUN, type Note } from './block-row.ts'
import type { Details } from './details.ts'
import { checkView } from './entrances.ts'
import { costs, costText, countText, durationText, tokensOf } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { addDetails, reservedRows } from './progress-details.ts'
import { type Counts, progressRows, type Row } from './progress-rows.ts'
import { cleanLine, fitTail, fitText, textWidth } from './text-width.ts'
import { type Lang, type Words, wordsOf } from './words.ts'

export interface ProgressOptions {
  lang: Lang
  /** Maximum width of a line, in cells. */
  width: number
  maxLines: number
  /** The end of the time shown for running blocks: now, or when the run was last seen. */
  nowMs: number
  /** Text that a block's model is streaming: its end is shown in place of what the block is doing. */
  incoming?(path: string): string
  /** Why a block's model call is tried again, or waits: shown before all else that the block is doing. */
  retrying?(path: string): string
  /** What strategies show below their blocks' rows. */
  details?: Details
  /** Maximum lines of details in all. */
  maxDetailLines?: number
}

/** If narrower, only the time is shown on the right. */
const MIN_WIDTH_FOR_USAGE = 72
const MIN_TITLE = 12
const MIN_NOTE = 18

export function progressLines(state: RunState, options: ProgressOptions): Line[] {
  checkView('progressLines', [state, options])
  const words = wordsOf(options.lang)
  const { details, maxLines } = options
  const room = details === undefined ? null : { ...options, details }
  const reserved = room === null ? 0 : reservedRows(state.blocks.values(), room)
  const rows = progressRows(
    state,
    maxLines - reserved,
    details && ((path) => details.todoOf(path, options.lang)),
  )
  const figures = alignRight(rows.map((row) => figuresOf(row, options, words)))
  const lines = rows.map((row, i) => layOut(row, figures[i] as string, state, options, words))
  return room === null ? lines : addDetails(rows, lines, room)
}

function layOut(row: Row, figures: string, state: RunState, options: ProgressOptions, words: Words): Line {
  const branch = branchOf(row, options.width)
  const figuresWidth = figures.trim() === '' ? 0 : textWidth(figures) + 2
  const room = options.width - textWidth(branch) - figuresWidth
  const left = fitSegments(contentOf(row, state, options, words), room)
  const line: Segment[] = branch === '' ? [...left] : [segment(branch, 'dim'), ...left]
  if (figuresWidth === 0) return line
  return [...line, segment(`${' '.repeat(Math.max(0, room - widthOf(left)) + 2)}${figures}`.trimEnd(), 'dim')]
}

function branchOf(row: Row, width: number): string {
  if (row.kind === 'block' && row.block.parent === null) return ''
  const guides = row.guides.map((goesOn) => (goesOn ? '│  ' : '   ')).join('')
  const branch = `${guides}${row.last ? '└─ ' : '├─ '}`
  const maxLength = Math.floor(width / 2)
  // A deep branch would leave no room for the text; the path shows the depth anyway.
  return branch.length > maxLength ? `…${branch.slice(branch.length - maxLength + 1)}` : branch
}

/** The content of a row: `head` is never cut, `title` and `note` share the remaining room. */
interface Content {
  head: Segment[]
  title: Segment | null
  tags: Segment[]
  note: Note | null
}

function contentOf(row: Row, state: RunState, options: ProgressOptions, words: Words): Content {
  switch (row.kind) {
    case 'block':
      return blockContent(row.block, row.hidden, state, options, words)
    case 'todo':
      return {
        head: [segment(`${NOT_BEGUN} `, 'dim')],
        title: segment(quoted(row.text), 'dim'),
        tags: [],
        note: null,
      }
    case 'group': {
      const { mark, tone } = MARKS[row.status]
      const more = row.hidden.blocks > row.count ? ` (${hiddenText(row.hidden, words)})` : ''
      const text = `${row.count} ${words.status[row.status]}${more}`
      return {
        head: [segment(mark, tone), segment(` ${row.from} … ${row.to}  `, 'dim')],
        title: segment(text, 'dim'),
        tags: [],
        note: null,
      }
    }
    case 'more': {
      const parts = [row.todo > 0 ? `${NOT_BEGUN} ×${row.todo}` : '']
      if (row.hidden.blocks > 0)
        parts.push(`${words.more(row.hidden.blocks)}${statesText(row.hidden, words)}`)
      const text = parts.filter((part) => part !== '').join(' · ')
      return { head: [segment('… ', 'dim')], title: segment(text, 'dim'), tags: [], note: null }
    }
  }
}

function blockContent(
  block: BlockState,
  hidden: Counts | null,
  state: RunState,
  options: ProgressOptions,
  words: Words,
): Content {
  const { path, status } = block
  const row = blockRow(block, state, {
    ...options,
    incoming: options.incoming?.(path) ?? '',
    retrying: options.retrying?.(path) ?? '',
  })
  const { mark, tone } = MARKS[status]
  const tags: Segment[] = []
  if (row.strategy !== '') tags.push(segment(` ${row.strategy}`, 'dim'))
  if (row.name !== path) tags.push(segment(` ‹${path}›`, 'dim'))
  for (const tag of row.tags) tags.push(segment(` ${tag}`, 'warn'))
  if (hidden !== null) tags.push(segment(` (+${hiddenText(hidden, words)})`, 'dim'))
  return {
    head: [segment(mark, tone), segment(` ${row.name} `, 'dim')],
    title: segment(quoted(row.title), block.outcome === null ? 'strong' : 'plain'),
    tags,
    note: row.note,
  }
}

function fitSegments(content: Content, room: number): Segment[] {
  const { head, title, note } = content
  const tags = [...content.tags]
  const titleWidth = title === null ? 0 : textWidth(title.text)
  const freeOf = () => room - widthOf(head) - widthOf(tags)
  const noteWidth = note === null ? 0 : textWidth(note.text) + 2
  // The title and the note, which has the answer, matter more than the tags.
  const wanted = Math.min(titleWidth, MIN_TITLE) + Math.min(noteWidth, MIN_NOTE)
  while (tags.length > 0 && freeOf() < wanted) tags.shift()
  const free = Math.max(0, freeOf())
  // If both don't fit, the note gets at least two fifths; where there is little room, what it needs to say something.
  const share = Math.max(Math.floor(free * 0.4), Math.min(MIN_NOTE, free - MIN_TITLE))
  const noteRoom = Math.max(free - titleWidth, Math.min(noteWidth, share))
  const line = [...head]
  if (title !== null) line.push(fitSegment(title, free - Math.min(noteWidth, noteRoom)))
  line.push(...tags)
  if (note !== null && noteRoom > 4) line.push(segment('  '), fitNote(note, noteRoom - 2))
  return freeOf() < 0 ? cutLine(line, room) : line
}

function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + textWidth(text), 0)
}

function cutLine(line: readonly Segment[], room: number): Segment[] {
  const kept: Segment[] = []
  let left = room
  for (const part of line) {
    if (left <= 0) break
    const fitted = fitSegment(part, left)
    kept.push(fitted)
    left -= textWidth(fitted.text)
  }
  return kept
}

function fitNote(note: Note, room: number): Segment {
  return note.tail ? segment(fitTail(note.text, room), note.tone) : fitSegment(note, room)
}

/** Cuts inside the quotes, so that a cut title keeps its closing quote. */
function fitSegment({ text, tone }: Segment, room: number): Segment {
  if (textWidth(text) <= room) return segment(text, tone)
  const inQuotes = text.startsWith('"') && text.endsWith('"') && room > 3
  return segment(inQuotes ? `${fitText(text.slice(0, -1), room - 1)}"` : fitText(text, room), tone)
}

// --- figures on the right: time, calls, tokens, cost

type Figures = readonly string[]

function figuresOf(row: Row, options: ProgressOptions, words: Words): Figures {
  if (row.kind === 'todo' || row.kind === 'more') return []
  const time = row.kind === 'block' ? durationText(elapsedMs(row.block, options.nowMs)) : ''
  return options.width < MIN_WIDTH_FOR_USAGE ? [time] : [time, ...usageFigures(row.usage, words)]
}

function usageFigures(usage: Usage, words: Words): Figures {
  const tokens = tokensOf(usage)
  return [
    callsColumn(usage.calls, words),
    tokens === 0 ? '' : `${countText(tokens)} tok`,
    costs(usage) ? costText(usage.costUsd) : '',
  ]
}

/** What each model role and the tools have used; empty if there is only one role. */
export function roleLines(roles: RoleUsage, lang: Lang): Line[] {
  const names = Object.keys(roles)
    .filter((name) => hasFigures(roles[name] as Usage))
    .sort((a, b) => rankOf(a) - rankOf(b))
  if (names.length < 2) return []
  const width = Math.max(...names.map((name) => name.length))
  const figures = alignRight(names.map((name) => usageFigures(roles[name] as Usage, wordsOf(lang))))
  return names.map((name, i) => [segment(`  ${name.padEnd(width)}  ${figures[i]}`.trimEnd(), 'dim')])
}

/** Looks that nobody pays for have none. */
function hasFigures(usage: Usage): boolean {
  return usage.calls > 0 || tokensOf(usage) > 0 || costs(usage)
}

const ROLE_ORDER = ['plan', 'act', 'judge', 'compact', 'synthesize', 'tool']

function rankOf(role: string): number {
  const rank = ROLE_ORDER.indexOf(role)
  return rank === -1 ? ROLE_ORDER.length : rank
}

/** `1 call` is padded to the width of `2 calls`, so that the numbers line up. */
function callsColumn(n: number, words: Words): string {
  if (n === 0) return ''
  const missing = textWidth(words.calls(2)) - textWidth(words.calls(1))
  return words.calls(n) + (n === 1 ? ' '.repeat(missing) : '')
}

function alignRight(rows: readonly Figures[]): string[] {
  const widths: number[] = []
  for (const figures of rows) {
    for (const [i, text] of figures.entries()) widths[i] = Math.max(widths[i] ?? 0, textWidth(text))
  }
  return rows.map((figures) =>
    widths
      .map((width, i) => ({ width, text: figures[i] ?? '' }))
      .filter(({ width }) => width > 0)
      .map(({ width, text }) => ' '.repeat(width - textWidth(text)) + text)
      .join('  '),
  )
}

function hiddenText(counts: Counts, words: Words): string {
  return `${words.blocks(counts.blocks)}${statesText(counts, words)}`
}

function statesText({ running, waiting, failed, partial }: Counts, words: Words): string {
  const parts: string[] = []
  if (running > 0) parts.push(`${running} ${words.status.running}`)
  if (waiting > 0) parts.push(`${waiting} ${words.status.waiting}`)
  if (partial > 0) parts.push(`${partial} ${words.status.partial}`)
  if (failed > 0) parts.push(`${failed} ${words.status.failed}`)
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

function quoted(text: string): string {
  return `"${cleanLine(text)}"`
}
