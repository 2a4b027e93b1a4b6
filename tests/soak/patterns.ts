/**
 * Runs every regular expression of src/ on texts that repeat pieces of its own alphabet, and looks how the time grows: what the static check of the
 * gate (scripts/check-patterns.ts) may not see. Expressions that the gate knows to see short texts only get short ones.
 */
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { BOUNDED } from '../../scripts/bounded-patterns.ts'
import { type Pattern, readPatterns } from '../../scripts/read-patterns.ts'

const CHARS = 40_000
/** For whole words, of which a text has fewer: the expression begins less often. */
const WORD_CHARS = 160_000
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
  const most = BOUNDED[file]?.chars ?? WORD_CHARS
  const pieces = [
    ...piecesOf(source).map((piece) => [piece, chars] as const),
    ...wordsOf(source).map((word) => [word, most] as const),
  ]
  for (const [piece, size] of pieces) {
    for (const end of ['', '\u0000']) {
      const text = piece.repeat(Math.ceil(size / piece.length)) + end
      if (!endsInTime(pattern, text))
        return `${file}:${line} /${source}/${flags} on ${size} characters of ${JSON.stringify(piece)}`
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

/** The words of the expression, each with what may follow it. */
function wordsOf(source: string): string[] {
  const words = plainWords(source).filter((word) => word.length > 1)
  const several = [words.join(''), words.join(' ')]
  return [...words.slice(0, 4), ...several].flatMap((word) =>
    word === '' ? [] : [`${word} `, `${word}=`, `${word}-`, `${word}\n`],
  )
}

function plainWords(source: string): string[] {
  const plain = source.replace(
    /\\[pP]\{[^}]*\}|\\[dDwWsSbBnrt]|\\u\{?[\da-fA-F]*\}?|\(\?<?[=!:]|[\\^$.*+?()[\]{}|]/g,
    ' ',
  )
  return plain.split(/\s+/).filter((word) => word !== '')
}

function piecesOf(source: string): string[] {
  const words = plainWords(source)
  const chars = [...new Set([...words.join(''), ...' \n\ta1-.,:"\'`([{<#=/\\'])]
  const pairs = chars.slice(0, 4).flatMap((one) => [` ${one}`, `\n${one}`, `1${one}`])
  return [...new Set([...chars, ...pairs, ...words.slice(0, 5)])].slice(0, 60)
}
