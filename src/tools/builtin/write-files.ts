import type { Deed } from '../../kernel/deed.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { defineTool, type GuardedTool, throwIfAborted, toolError } from '../define-tool.ts'
import { flag, objectSchema, optional, text } from '../object-schema.ts'
import { insideWorkspace, oneWriter, writeInside } from '../workspace.ts'
import { MAX_FILE_BYTES, readTextFile } from './text-file.ts'

export const MAX_WRITE_CHARS = 1_000_000

export function writeFileTool(): GuardedTool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file of the workspace whole, in place of what it was; makes the folders on the way.',
    access: 'write',
    input: objectSchema({
      path: text('The file, from the workspace', { minLength: 1 }),
      content: text('All of the text', { maxLength: MAX_WRITE_CHARS }),
    }),
    deeds: ({ path }) => [{ does: 'write', path }],
    run({ path, content }, { workspace, signal }) {
      return oneWriter(workspace, async () => {
        const place = await insideWorkspace(workspace, path, 'write')
        throwIfAborted(signal)
        const { created } = await writeInside(place, content)
        return { path: place.name, bytes: Buffer.byteLength(content), created }
      })
    },
  })
}

export function editFileTool(): GuardedTool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces a text in a file of the workspace. `old` must occur exactly once, unless `all` is true.',
    access: 'write',
    input: objectSchema({
      path: text('The file, from the workspace', { minLength: 1 }),
      old: text('The text as it is, to the letter', { minLength: 1, maxLength: MAX_WRITE_CHARS }),
      new: text('The text in its place', { maxLength: MAX_WRITE_CHARS }),
      all: optional(flag('Every occurrence')),
    }),
    deeds: ({ path }) => changing(path),
    run({ path, old, new: replacement, all = false }, { workspace, signal }) {
      return oneWriter(workspace, async () => {
        const place = await insideWorkspace(workspace, path, 'write')
        const { text: before, stats } = await readTextFile(place)
        const found = occurrences(before, old)
        if (found === 0) throw toolError(`\`old\` does not occur in ${place.name}${nearMiss(before, old)}`)
        if (found > 1 && !all) {
          throw toolError(
            `\`old\` occurs ${found} times in ${place.name} (lines ${linesOf(before, old)}): include more of the text around the one you mean, or set all: true`,
            { occurrences: found },
          )
        }
        if (old === replacement) throw toolError('`old` and `new` are the same')
        const budget = fileBudget(place.name)
        budget.take(before.length + found * (replacement.length - old.length))
        const after = before.replaceAll(old, () => replacement)
        throwIfAborted(signal)
        await writeInside(place, after, stats)
        return { path: place.name, replaced: found }
      })
    },
  })
}

/** For the text of a file after a change. */
export function fileBudget(name: string): DecodingBudget {
  const error = (maxChars: number) =>
    toolError(`${name} would have more than ${maxChars} characters; nothing was changed`, { maxChars })
  return new DecodingBudget(name, { limit: MAX_FILE_BYTES, error })
}

/** A change of a file reads it, and its failures tell what is in it. */
export function changing(path: string): Deed[] {
  return [
    { does: 'read', path },
    { does: 'write', path },
  ]
}

/** Why a text that looks right was not found. */
function nearMiss(text: string, old: string): string {
  if (text.includes('\r\n') && !old.includes('\r') && text.replaceAll('\r\n', '\n').includes(old)) {
    return ': its lines end in \\r\\n'
  }
  const loose = (given: string) => given.replace(/\s+/g, ' ').trim()
  const wanted = loose(old)
  if (wanted !== '' && loose(text).includes(wanted)) return ': it does with different white space'
  const [first = ''] = old.split('\n').filter((row) => row.trim() !== '')
  const line = text.split('\n').findIndex((row) => row.trim() === first.trim()) + 1
  return line > 0 ? `: its first line is line ${line}, what follows differs` : ''
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}

/** Of the first ten. */
function linesOf(text: string, part: string): string {
  const lines: number[] = []
  let line = 1
  let from = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    if (lines.length === 10) return `${lines.join(', ')}, …`
    line += occurrences(text.slice(from, at), '\n')
    lines.push(line)
    from = at
  }
  return lines.join(', ')
}
