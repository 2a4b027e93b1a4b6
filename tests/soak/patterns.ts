/**
 * Runs every regular expression of src/ on texts that repeat pieces of its own alphabet, and looks how the time grows: what the static check of the
 * gate (scripts/check-patterns.ts) may not see. Expressions that the gate knows to see short texts only get short ones.
 */
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { BOUNDED } from '../../scripts/bounded-patterns.ts'
import { type Pattern, readPatterns } from '../../scripts/read-patterns.ts'

const CHARS = 40_000
/** One that is linear takes a few milliseconds. */
const MOST_MS = 1_000

export async function scanPatterns(): Promise<{ readonly count: number; readonly findings: string[] }> {
  const patterns = await readPatterns(join(import.meta.dirname, '../..'))
  const findings = patterns.flatMap((pattern) => finding(pattern) ?? [])
  return { count: patterns.length, findings }
}

function finding(pattern: Pattern): string | null {
  const { file, line, source, flags } = pattern
  const chars = BOUNDED[file]?.chars ?? CHARS
  for (const piece of piecesOf(source)) {
    for (const end of ['', '\u0000']) {
      const text = piece.repeat(Math.ceil(chars / piece.length)) + end
      if (!endsInTime(pattern, text))
        return `${file}:${line} /${source}/${flags} on ${chars} characters of ${JSON.stringify(piece)}`
    }
  }
  return null
}

/** V8 interrupts an expression when the time of a script is up. */
function endsInTime({ source, flags }: Pattern, text: string): boolean {
  context.run = () => text.replace(new RegExp(source, flags), '')
  try {
    script.runInContext(context, { timeout: MOST_MS })
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  }
}

const context = createContext({ run: () => '' })
const script = new Script('run()')

function piecesOf(source: string): string[] {
  const plain = source.replace(/\\[pP]\{[^}]*\}|\\[dDwWsSbB]|\\u\{?[\da-fA-F]*\}?|[\\^$.*+?()[\]{}|]/g, ' ')
  const words = plain.split(/\s+/).filter((word) => word !== '')
  const chars = [...new Set([...words.join(''), ...' \n\ta1-.,:"\'`([{<#=/\\'])]
  const pairs = chars.slice(0, 4).flatMap((one) => [` ${one}`, `\n${one}`, `1${one}`])
  return [...new Set([...chars, ...pairs, ...words.slice(0, 5)])].slice(0, 60)
}
