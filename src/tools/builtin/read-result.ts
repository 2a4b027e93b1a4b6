import { doesNothing } from '../../kernel/deed.ts'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { integer, objectSchema, optional, text } from '../object-schema.ts'

const DEFAULT_RESULT_CHARS = 16_000
const MAX_RESULT_CHARS = 200_000

/**
 * Reads a text, or a part of it, that was left out of a request. `lookup` returns the full text behind a reference; it must return
 * texts of this run only. How much of the part a request then has room for is decided by the brief.
 */
export function readResultTool(
  lookup: (ref: string, run: string) => Promise<string | undefined>,
): GuardedTool {
  return defineTool({
    name: 'read_result',
    description:
      'Reads text that was left out of what you were shown, by the reference that stands there. Give `from` and `length` in characters to read a part.',
    access: 'read',
    input: objectSchema({
      ref: text('The reference that stands where the text was left out, such as 1-2/4', {
        minLength: 1,
        maxLength: 200,
      }),
      from: optional(integer('The first character, from 0', 0, Number.MAX_SAFE_INTEGER)),
      length: optional(integer('How many characters', 1, MAX_RESULT_CHARS)),
    }),
    deeds: doesNothing,
    async run({ ref, from = 0, length = DEFAULT_RESULT_CHARS }, { run }) {
      const all = await lookup(ref, run)
      if (all === undefined) throw toolError(`there is no result ${ref}`)
      const start = Math.min(splitsPair(all, from) ? from - 1 : from, all.length)
      const end = Math.min(start + length, all.length)
      const to = splitsPair(all, end) ? end + 1 : end
      return { ref, from: start, to, total: all.length, text: all.slice(start, to) }
    },
  })
}

/** Whether a cut here would split a character. */
function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
