/** Unified diffs: reading one, and applying the hunks of one file to its text. No files are touched here. */
import { toolError } from '../define-tool.ts'

export interface FilePatch {
  /** Null when the file is made. */
  readonly from: string | null
  /** Null when it is removed. */
  readonly to: string | null
  readonly hunks: readonly Hunk[]
}

export interface Hunk {
  /** From 1, as its header says. */
  readonly line: number
  /** Lines with their first character: ` `, `-` or `+`. */
  readonly lines: readonly string[]
  /** Whether the last line of the old and of the new text has no line end. */
  readonly oldOpen: boolean
  readonly newOpen: boolean
}

/** Throws with the line of the patch where it can't be read. */
export function parsePatch(patch: string): FilePatch[] {
  const rows = patch.replaceAll('\r\n', '\n').split('\n')
  if (rows.at(-1) === '') rows.pop()
  const files: FilePatch[] = []
  let renamed: { from?: string; to?: string } = {}
  const flushRename = () => {
    if (renamed.from !== undefined && renamed.to !== undefined)
      files.push({ from: renamed.from, to: renamed.to, hunks: [] })
    renamed = {}
  }
  for (let i = 0; i < rows.length; ) {
    const row = rows[i] as string
    if (isFileHeader(rows, i)) {
      const [from, to] = stripPrefixes(headerPath(row), headerPath(rows[i + 1] as string))
      if (from === null && to === null) throw toolError(`line ${i + 1} of the patch names no file`)
      const hunks: Hunk[] = []
      i += 2
      while (rows[i]?.startsWith('@@')) {
        const read = readHunk(rows, i)
        hunks.push(read.hunk)
        i = read.next
      }
      if (hunks.length === 0)
        throw toolError(`${to ?? from}: no hunk (@@ … @@) follows at line ${i + 1} of the patch`)
      files.push({ from, to, hunks })
      renamed = {}
      continue
    }
    if (row.startsWith('diff ')) flushRename()
    else if (row.startsWith('rename from ')) renamed.from = row.slice('rename from '.length)
    else if (row.startsWith('rename to ')) renamed.to = row.slice('rename to '.length)
    else if (row.startsWith('GIT binary patch') || /^Binary files .* differ$/.test(row)) {
      throw toolError(`line ${i + 1} of the patch is binary: only text can be patched`)
    } else if (row.startsWith('@@'))
      throw toolError(`line ${i + 1} of the patch: a hunk without --- and +++ before it`)
    i++
  }
  flushRename()
  if (files.length === 0) throw toolError('no file in the patch: it must be a unified diff (---, +++, @@)')
  return files
}

/** The text after all hunks; throws naming the hunk that does not fit. */
export function applyHunks(name: string, text: string, hunks: readonly Hunk[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const rows = text === '' ? [] : text.replaceAll('\r\n', '\n').split('\n')
  const endsWithNewline = rows.at(-1) === ''
  if (endsWithNewline) rows.pop()
  if (text.includes('\r\n') && text.replaceAll('\r\n', '').includes('\n')) {
    throw toolError(`${name} mixes line ends (\\n and \\r\\n): use edit_file`)
  }
  const result: string[] = []
  let at = 0 // the first row that is not yet in the result
  let open = rows.length > 0 && !endsWithNewline
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter((line) => line[0] !== '+').map((line) => line.slice(1))
    // A hunk that only adds says the line after which; every other where its first line is.
    const expected = old.length === 0 ? hunk.line : hunk.line - 1
    const found = findRows(rows, old, Math.max(at, expected), at)
    if (found === null) throw doesNotFit(name, index, hunks.length, hunk, rows, old, Math.max(at, expected))
    result.push(...rows.slice(at, found))
    result.push(...hunk.lines.filter((line) => line[0] !== '-').map((line) => line.slice(1)))
    at = found + old.length
    if (at === rows.length && (hunk.oldOpen || hunk.newOpen || rows.length === 0)) open = hunk.newOpen
  }
  result.push(...rows.slice(at))
  if (result.length === 0) return ''
  return result.join(end) + (open ? '' : end)
}

function isFileHeader(rows: readonly string[], i: number): boolean {
  return rows[i]?.startsWith('--- ') === true && rows[i + 1]?.startsWith('+++ ') === true
}

/** A path of a header without its time stamp; null for /dev/null. */
function headerPath(row: string): string | null {
  const path = row.slice(4).replace(/\t.*$/, '').trim()
  if (path === '/dev/null') return null
  return path.startsWith('"') ? unquote(path) : path
}

/** git quotes unusual names: octal bytes and backslashes. */
function unquote(path: string): string {
  const bytes: number[] = []
  const inner = path.slice(1, -1)
  const simple: Record<string, string> = { n: '\n', t: '\t', '"': '"', '\\': '\\' }
  for (const [part] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8))
    else bytes.push(...Buffer.from(part.startsWith('\\') ? (simple[part.slice(1)] ?? part) : part))
  }
  return Buffer.from(bytes).toString('utf8')
}

function stripPrefixes(from: string | null, to: string | null): [string | null, string | null] {
  const prefixed = (from === null || from.startsWith('a/')) && (to === null || to.startsWith('b/'))
  return prefixed ? [from?.slice(2) ?? null, to?.slice(2) ?? null] : [from, to]
}

/**
 * Models miscount: the counts of the header decide where a line could be two things, but a hunk ends at the next header
 * whatever they say.
 */
function readHunk(rows: readonly string[], start: number): { hunk: Hunk; next: number } {
  const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(rows[start] as string)
  if (header === null) {
    throw toolError(`line ${start + 1} of the patch is no hunk header (@@ -1,2 +1,2 @@): ${rows[start]}`)
  }
  let oldLeft = Number(header[2] ?? 1)
  let newLeft = Number(header[4] ?? 1)
  const lines: string[] = []
  let [oldOpen, newOpen] = [false, false]
  let i = start + 1
  for (; i < rows.length; i++) {
    const row = rows[i] as string
    const isDone = oldLeft <= 0 && newLeft <= 0
    if (row.startsWith('@@') || row.startsWith('diff ')) break
    if (isFileHeader(rows, i) && (isDone || (rows[i + 2]?.startsWith('@@') && oldLeft !== 1))) break
    if (row.startsWith('\\')) {
      const last = lines.at(-1)?.[0]
      if (last !== '+') oldOpen = true
      if (last !== '-') newOpen = true
      continue
    }
    if (row === '' && isDone) break
    const line = row === '' ? ' ' : row // an empty line of context that lost its space
    if (!' +-'.includes(line[0] as string)) {
      if (isDone) break
      throw toolError(`line ${i + 1} of the patch must begin with a space, + or -: ${row}`)
    }
    if (line[0] !== '+') oldLeft--
    if (line[0] !== '-') newLeft--
    lines.push(line)
  }
  if (lines.length === 0) throw toolError(`the hunk at line ${start + 1} of the patch is empty`)
  return { hunk: { line: Number(header[1]), lines, oldOpen, newOpen }, next: i }
}

/** Where the rows are, nearest to where they are expected, not before `from`. */
function findRows(
  rows: readonly string[],
  wanted: readonly string[],
  expected: number,
  from: number,
): number | null {
  const last = rows.length - wanted.length
  if (wanted.length === 0) return expected <= rows.length ? expected : null
  const fits = (at: number) => at >= from && at <= last && wanted.every((row, i) => rows[at + i] === row)
  for (let distance = 0; distance <= rows.length; distance++) {
    if (fits(expected - distance)) return expected - distance
    if (fits(expected + distance)) return expected + distance
  }
  return null
}

function doesNotFit(
  name: string,
  index: number,
  count: number,
  hunk: Hunk,
  rows: readonly string[],
  old: readonly string[],
  expected: number,
): Error {
  const wrong = Math.max(
    0,
    old.findIndex((row, i) => rows[expected + i] !== row),
  )
  const found = rows[expected + wrong]
  const said = found === undefined ? 'the file ends there' : `the file has ${JSON.stringify(found)}`
  return toolError(
    `hunk ${index + 1} of ${count} for ${name} does not fit (line ${hunk.line}); nothing was changed. ` +
      `Line ${expected + wrong + 1} should be ${JSON.stringify(old[wrong] ?? '')}, ${said}. Read the file again.`,
    { file: name, hunk: index + 1 },
  )
}
