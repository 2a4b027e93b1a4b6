import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { integer, objectSchema, optional, text } from '../object-schema.ts'
import { insideWorkspace } from '../workspace.ts'
import { withoutKeyLines } from './key-lines.ts'
import { readTextFile } from './text-file.ts'

const MAX_READ_LINES = 2_000
const MAX_READ_CHARS = 50_000

export function readFileTool(): GuardedTool {
  return defineTool({
    name: 'read_file',
    description: `Reads a text file of the workspace, at most ${MAX_READ_LINES} lines at a time.`,
    access: 'read',
    input: objectSchema({
      path: text('The file, from the workspace', { minLength: 1 }),
      from: optional(integer('The first line, from 1', 1, 1_000_000_000)),
      lines: optional(integer('How many lines', 1, MAX_READ_LINES)),
    }),
    deeds: ({ path }) => [{ does: 'read', path }],
    async run({ path, from = 1, lines = MAX_READ_LINES }, { workspace }) {
      const place = await insideWorkspace(workspace, path)
      const { text: all } = await readTextFile(place)
      const rows = all.replace(/^\uFEFF/, '').split('\n')
      if (rows.at(-1) === '') rows.pop()
      if (from > Math.max(rows.length, 1)) {
        throw toolError(`${place.name} has ${rows.length} lines, none from ${from}`, {
          totalLines: rows.length,
        })
      }
      const shown = fitting(withoutKeyLines(rows).slice(from - 1, from - 1 + lines))
      const to = from - 1 + shown.rows
      const next = to < rows.length ? { next: `read on with from: ${to + 1}` } : {}
      return { path: place.name, from, to, totalLines: rows.length, text: shown.text, ...next }
    },
  })
}

/** As many whole lines as fit; a first line that is too long by itself is cut, and says so. */
function fitting(rows: readonly string[]): { text: string; rows: number } {
  let size = 0
  let count = 0
  for (const row of rows) {
    size += row.length + 1
    if (size > MAX_READ_CHARS) break
    count++
  }
  const [first = ''] = rows
  if (count > 0 || rows.length === 0) return { text: rows.slice(0, count).join('\n'), rows: count }
  const cut = first.slice(0, MAX_READ_CHARS)
  return { text: `${cut}[… ${first.length - cut.length} more characters in this line]`, rows: 1 }
}
