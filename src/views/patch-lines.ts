/** The lines of a unified diff, by file. What can't be read of it is left out: whoever applies it says what is wrong. */
import type { DiffLine } from './line-diff.ts'

export interface PatchedFile {
  readonly path: string
  readonly lines: readonly DiffLine[]
}

interface Reading {
  readonly files: { path: string; lines: DiffLine[] }[]
  /** The path that the last `---` named. */
  from: string
  /** Lines of the hunk that are still to come, of either side. */
  old: number
  new: number
}

export function patchedFiles(patch: string): PatchedFile[] {
  const reading: Reading = { files: [], from: '', old: 0, new: 0 }
  for (const row of patch.split('\n')) {
    if (reading.old > 0 || reading.new > 0) takeLine(reading, row)
    else takeHead(reading, row)
  }
  return reading.files
}

function takeLine(reading: Reading, row: string): void {
  // "\ No newline at end of file"
  if (row.startsWith('\\')) return
  const kind = row.startsWith('+') ? 'added' : row.startsWith('-') ? 'removed' : 'same'
  if (kind !== 'added') reading.old--
  if (kind !== 'removed') reading.new--
  reading.files.at(-1)?.lines.push({ kind, text: row.slice(1) })
}

function takeHead(reading: Reading, row: string): void {
  if (row.startsWith('--- ')) reading.from = pathIn(row)
  else if (row.startsWith('+++ ')) {
    const to = pathIn(row)
    reading.files.push({ path: to === '/dev/null' ? reading.from : to, lines: [] })
  } else takeHunk(reading, /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(row))
}

function takeHunk(reading: Reading, found: RegExpExecArray | null): void {
  const file = reading.files.at(-1)
  if (found === null || file === undefined) return
  reading.old = Number(found[1] ?? 1)
  reading.new = Number(found[2] ?? 1)
  if (file.lines.length > 0) file.lines.push({ kind: 'skipped', text: '' })
}

function pathIn(row: string): string {
  const name = row.slice(4).split('\t')[0]?.trim() ?? ''
  return name.replace(/^[ab]\//, '')
}
