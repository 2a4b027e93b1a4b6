/** Reports errors and maps them to exit codes. */
import { type ErrorCode, type ErrorData, EXIT_CODES, errorText, ThinkonError } from '../protocol/index.ts'
import { bugText, errorInWords } from './error-words.ts'
import type { Output } from './output.ts'

/** Errors that the caller can do something about. */
const USAGE_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'BAD_INPUT',
  'UNKNOWN_RUN',
  'QUESTION_NOT_OPEN',
  'INVALID_ANSWER',
  'RUN_LOCKED',
  'STORE_CORRUPT',
  'STORE_WAL_MISSING',
  'STORE_OLDER',
  'STORE_NEWER',
  'STORE_BUSY',
  'TOO_LARGE',
  'NO_MODEL',
  'NO_SUCH_STRATEGY',
  'NO_SUCH_TOOL',
  'VERSION_MISMATCH',
  'UNTRUSTED',
])

export const EXIT_INTERNAL = 1
export const EXIT_USAGE = 2
export const EXIT_DIFFERS = 4
export const EXIT_STOPPED = 130

/** Prints the error to stderr, with `--json` also as a JSON line on stdout, and returns the exit code. */
export function reportError(thrown: unknown, out: Output): number {
  const error = dataOf(thrown)
  out.remark(`thinkon: ${errorInWords(error, out.lang)}`)
  if (error.code === 'INTERNAL' && thrown instanceof Error) {
    out.remark(`${bugText(out.lang)}\n${thrown.stack ?? ''}`)
  }
  if (out.json) out.data({ type: 'error', ...error })
  return exitCodeOf(error.code)
}

function exitCodeOf(code: ErrorCode): number {
  if (USAGE_ERRORS.has(code)) return EXIT_USAGE
  if (code === 'REPLAY_DIFFERS') return EXIT_DIFFERS
  if (code === 'MODEL_OUTAGE') return EXIT_CODES.waiting
  return code === 'INTERRUPTED' ? EXIT_STOPPED : EXIT_INTERNAL
}

function dataOf(thrown: unknown): ErrorData {
  if (ThinkonError.isInstance(thrown)) return thrown.toJSON()
  const system = thrown as NodeJS.ErrnoException | null
  // What the system refuses (a folder that can't be written, a path that is not a file) is not a bug.
  if (thrown instanceof Error && typeof system?.syscall === 'string') {
    return { code: 'STORE_IO', message: thrown.message }
  }
  return { code: 'INTERNAL', message: errorText(thrown) }
}
