/** Unified diffs: reading one, and applying the hunks of one file to its text. No files are touched here. */
import { parsePatch as parseStrictly, type StructuredPatch, type StructuredPatchHunk } from 'diff'
import type { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { errorText } from '../../protocol/index.ts'
import { toolError } from '../define-tool.ts'

export type Hunk = StructuredPatchHunk

export interface FilePatch {
  /** Null if the patch makes the file. */
  readonly from: string | null
  /** Null if the patch removes it. */
  readonly to: string | null
  /** The file stays under its old name, too. */
  readonly isCopy: boolean
  readonly hunks: readonly Hunk[]
}

/** Throws with the line of the patch that can't be read. */
export function parsePatch(patch: string): FilePatch[] {
  const files = sectionsOf(patch).flatMap((section) => filePatch(section) ?? [])
  if (files.length === 0) throw toolError('no file in the patch: it must be a unified diff (---, +++, @@)')
  return files
}

function sectionsOf(patch: string): StructuredPatch[] {
  const counted = withRightCounts(patch)
  try {
    return parseStrictly(counted)
  } catch (error) {
    throw toolError(`the patch can't be read: ${errorText(error)}`)
  }
}

/** Null for a section that changes no text and no name: the mode of a file stays as it is. */
function filePatch(section: StructuredPatch): FilePatch | null {
  const { oldFileName, newFileName, oldHeader, isCreate, isDelete, isCopy = false, hunks } = section
  if (oldFileName === undefined || newFileName === undefined) return null
  const [from, to] = stripPrefixes(
    isCreate || oldFileName === '/dev/null' ? null : oldFileName,
    isDelete || newFileName === '/dev/null' ? null : newFileName,
  )
  if (from === null && to === null) throw toolError('a section of the patch has /dev/null twice and no file')
  if (hunks.length === 0 && oldHeader !== undefined) {
    throw toolError(`${to ?? from}: no hunk (@@ … @@) follows --- and +++ in the patch`)
  }
  return hunks.length > 0 || from !== to ? { from, to, isCopy, hunks } : null
}

/** The text after all hunks, which is taken from the budget; throws naming the hunk that does not fit. */
export function applyHunks(
  name: string,
  text: string,
  hunks: readonly Hunk[],
  budget: DecodingBudget,
): string {
  const hasCrlf = text.includes('\r\n')
  const plain = text.replaceAll('\r\n', '\n')
  if (hasCrlf && text.replaceAll('\r\n', '').includes('\n')) {
    throw toolError(`${name} mixes line ends (\\n and \\r\\n): use edit_file`)
  }
  const added = hunks.reduce((sum, { lines }) => sum + lines.reduce((size, line) => size + line.length, 0), 0)
  budget.take(text.length + added)
  const rows = rowsOf(plain)
  const places = placesOf(rows, hunks)
  const misfit = hunks[places.length]
  if (misfit !== undefined) throw doesNotFit(name, rows, hunks, places.length)
  const result = textOf(plain, changedRows(rows, hunks, places), hunks.at(-1))
  return hasCrlf ? result.replaceAll('\n', '\r\n') : result
}

/** How many positions are compared for all hunks: the search for hunks whose line numbers are far off is not linear. */
const MAX_COMPARED = 2_000_000

/** The index of the first row of each hunk, up to the first hunk that does not fit. */
function placesOf(rows: readonly string[], hunks: readonly Hunk[]): number[] {
  const places: number[] = []
  let left = MAX_COMPARED
  let from = 0
  let offset = 0
  for (const hunk of hunks) {
    const old = oldRows(hunk)
    const expected = hunk.oldStart - 1 + offset
    const at = nearestPlace(old, expected)
    if (at === undefined) return places
    places.push(at)
    offset += at - expected
    from = at + old.length
  }
  return places

  /** Where the rows are, closest to `expected` and after the hunk before. A hunk without rows has no other place. */
  function nearestPlace(old: readonly string[], expected: number): number | undefined {
    const last = rows.length - old.length
    if (fitsAt(old, expected, last)) return expected
    const farthest = old.length === 0 ? 0 : Math.max(last - expected, expected - from)
    const nearest = Math.max(1, from - expected, expected - last)
    for (let distance = nearest; distance <= farthest && left > 0; distance++) {
      if (fitsAt(old, expected + distance, last)) return expected + distance
      if (fitsAt(old, expected - distance, last)) return expected - distance
    }
    return undefined
  }

  function fitsAt(old: readonly string[], at: number, last: number): boolean {
    if (at < from || at > last) return false
    let i = 0
    while (i < old.length && rows[at + i] === old[i]) i++
    left -= i + 1
    return i === old.length
  }
}

function changedRows(rows: readonly string[], hunks: readonly Hunk[], places: readonly number[]): string[] {
  const result: string[] = []
  let from = 0
  for (const [i, hunk] of hunks.entries()) {
    const at = places[i] as number
    for (; from < at; from++) result.push(rows[from] as string)
    for (const line of hunk.lines) if (/^[ +]/.test(line)) result.push(line.slice(1))
    from = at + oldRows(hunk).length
  }
  for (; from < rows.length; from++) result.push(rows[from] as string)
  return result
}

function oldRows({ lines }: Hunk): string[] {
  return lines.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1))
}

function textOf(before: string, rows: readonly string[], last: Hunk | undefined): string {
  if (rows.length === 0) return ''
  const isOpen = before !== '' && !before.endsWith('\n')
  const text = rows.join('\n') + (isOpen ? '' : '\n')
  return last === undefined ? text : withLineEnd(before, text, last)
}

/**
 * The line end at the end of the file, as the last hunk marks it (`\\ No newline at end of file`). Models often set a wrong mark:
 * after a hunk in the middle of the file it means nothing.
 */
function withLineEnd(before: string, after: string, { lines }: Hunk): string {
  const marked = lines.filter((_, i) => lines[i + 1]?.startsWith('\\'))
  const wasOpen = before !== '' && !before.endsWith('\n')
  const body = wasOpen ? after : after.replace(/\n$/, '')
  const ending = lines.filter((line) => /^[ +]/.test(line)).map((line) => `\n${line.slice(1)}`)
  if (marked.length === 0 || !`\n${body}`.endsWith(ending.join(''))) return after
  return marked.some((line) => line[0] !== '-') ? body : `${body}\n`
}

function rowsOf(text: string): string[] {
  const rows = text.split('\n')
  if (rows.at(-1) === '') rows.pop()
  return rows
}

function doesNotFit(name: string, rows: readonly string[], hunks: readonly Hunk[], index: number): Error {
  const hunk = hunks[index] as Hunk
  const { oldStart } = hunk
  const old = oldRows(hunk)
  const wrong = old.findIndex((row, i) => rows[oldStart - 1 + i] !== row)
  const found = rows[oldStart - 1 + wrong]
  const said = found === undefined ? 'the file ends there' : `the file has ${JSON.stringify(found)}`
  let why = `Line ${oldStart + wrong} should be ${JSON.stringify(old[wrong])}, ${said}.`
  if (wrong === -1)
    why = old.length > 0 ? 'It overlaps the hunk before it.' : `The file has ${rows.length} lines.`
  return toolError(
    `hunk ${index + 1} of ${hunks.length} for ${name} does not fit (line ${oldStart}); nothing was changed. ` +
      `${why} Read the file again.`,
    { file: name, hunk: index + 1 },
  )
}

function stripPrefixes(from: string | null, to: string | null): [string | null, string | null] {
  const prefixed = (from === null || from.startsWith('a/')) && (to === null || to.startsWith('b/'))
  return prefixed ? [from?.slice(2) ?? null, to?.slice(2) ?? null] : [from, to]
}

/**
 * The library refuses a hunk whose header has the wrong counts, and models miscount: each header gets the counts of its
 * lines, and an empty line of context its lost space. Problems are reported with their line; prose is left out.
 */
function withRightCounts(patch: string): string {
  const rows = rowsOf(patch.replaceAll('\r\n', '\n'))
  const result: string[] = []
  let hasHeader = false
  for (let i = 0; i < rows.length; ) {
    const row = rows[i] as string
    if (isFileHeader(rows, i)) {
      hasHeader = true
      result.push(row, rows[i + 1] as string)
      i += 2
    } else if (row.startsWith('@@')) {
      const hunk = recountHunk(rows, i, hasHeader)
      result.push(...hunk.rows)
      i = hunk.next
    } else {
      result.push(...otherRow(row, i))
      hasHeader &&= !row.startsWith('diff ')
      i++
    }
  }
  return result.join('\n')
}

function otherRow(row: string, i: number): string[] {
  if (BINARY.test(row)) throw toolError(`line ${i + 1} of the patch is binary: only text can be patched`)
  return GIT_HEADER.test(row) ? [row] : []
}

const BINARY = /^(GIT binary patch|Binary files .* differ$)/
const GIT_HEADER = /^(diff --git|(rename|copy) (from|to)|(new|deleted) file mode) /

function isFileHeader(rows: readonly string[], i: number): boolean {
  return rows[i]?.startsWith('--- ') === true && rows[i + 1]?.startsWith('+++ ') === true
}

function recountHunk(
  rows: readonly string[],
  start: number,
  hasHeader: boolean,
): { rows: string[]; next: number } {
  if (!hasHeader) throw toolError(`line ${start + 1} of the patch: a hunk without --- and +++ before it`)
  const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(rows[start] as string)
  if (header === null) {
    throw toolError(`line ${start + 1} of the patch is not a hunk header (@@ -1,2 +1,2 @@): ${rows[start]}`)
  }
  const said = { old: Number(header[2] ?? 1), new: Number(header[4] ?? 1) }
  const count = { old: 0, new: 0 }
  const lines: string[] = []
  let i = start + 1
  for (; i < rows.length && !endsHunk(rows, i, said.old - count.old, said.new - count.new); i++) {
    const line = rows[i] === '' ? ' ' : (rows[i] as string)
    if (!/^[ +\\-]/.test(line)) {
      throw toolError(`line ${i + 1} of the patch must begin with a space, + or -: ${line}`)
    }
    if (/^[ -]/.test(line)) count.old++
    if (/^[ +]/.test(line)) count.new++
    lines.push(line)
  }
  if (lines.length === 0) throw toolError(`the hunk at line ${start + 1} of the patch is empty`)
  return { rows: [`@@ -${header[1]},${count.old} +${header[3]},${count.new} @@`, ...lines], next: i }
}

/** The counts of the header decide only where a line could be two things: a hunk always ends at the next header. */
function endsHunk(rows: readonly string[], i: number, oldLeft: number, newLeft: number): boolean {
  const row = rows[i] as string
  const isDone = oldLeft <= 0 && newLeft <= 0
  if (row.startsWith('@@') || row.startsWith('diff ')) return true
  if (isFileHeader(rows, i)) return isDone || (rows[i + 2]?.startsWith('@@') === true && oldLeft !== 1)
  return isDone && !/^[ +\\-]/.test(row)
}
