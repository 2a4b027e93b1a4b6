/** What tells whether an answer is right, as it stands in a file of tasks: the first field names the way. */

import { isObject, nearest, ThinkonError } from '../../protocol/index.ts'
import { patternProblem } from '../../protocol/patterns/linear-pattern.ts'

export type Checker =
  /** The answer is this text, or one of these; case, spaces and marks around it make no difference. */
  | { readonly exact: string | readonly string[] }
  /** The last number of the answer is this one, exactly unless there is a tolerance. */
  | { readonly numeric: string | number; readonly tolerance?: number }
  /** The answer has a match. */
  | { readonly regex: string; readonly flags?: string }
  /** The answer is JSON that fits. */
  | { readonly schema: Readonly<Record<string, unknown>> }
  /** The answer is an expression that uses each number once and comes to the target. */
  | { readonly reach: string; readonly from: readonly string[] }
  /** A program that gets the task and the answer as JSON on stdin, and ends with 0 if it is right. */
  | {
      readonly program: readonly [string, ...string[]]
      readonly timeoutMs?: number
      /** Where it is run: the folder of the file of tasks. */
      readonly folder?: string
    }
  /** What a right answer is, in words: a model judges. */
  | { readonly judge: string }

export const CHECKERS = ['exact', 'numeric', 'regex', 'schema', 'reach', 'program', 'judge'] as const

/** Throws BAD_INPUT with what is wrong; `where` says where it stands. */
export function readChecker(given: unknown, where: string): Checker {
  const bad = (what: string) => new ThinkonError('BAD_INPUT', `${where}: ${what}`)
  if (!isObject(given)) throw bad(`"check" must be an object such as {"exact": "Canberra"}`)
  const kinds = CHECKERS.filter((kind) => kind in given)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    const near = nearest(Object.keys(given)[0] ?? '', CHECKERS)
    throw bad(
      `"check" must have one of ${CHECKERS.join(', ')}${near && kind === undefined ? `: did you mean "${near}"?` : ''}`,
    )
  }
  const problem = PROBLEMS[kind](given)
  if (problem !== null) throw bad(problem)
  return given as unknown as Checker
}

type Given = Readonly<Record<string, unknown>>

const PROBLEMS: Readonly<Record<(typeof CHECKERS)[number], (given: Given) => string | null>> = {
  exact: ({ exact }) =>
    typeof exact === 'string' || isTexts(exact) ? null : '"exact" must be a text or a list of texts',
  numeric: ({ numeric, tolerance = 0 }) => {
    if (typeof tolerance !== 'number' || tolerance < 0) return '"tolerance" must be a number of 0 or more'
    return typeof numeric === 'number' || (typeof numeric === 'string' && NUMBER.test(numeric))
      ? null
      : '"numeric" must be a number, or a text such as "2/3"'
  },
  regex: ({ regex, flags = '' }) => {
    if (typeof regex !== 'string' || typeof flags !== 'string') return '"regex" and "flags" must be texts'
    const problem = patternProblem(regex, flags)
    return problem === undefined ? null : `"regex" can't be used: ${problem}`
  },
  schema: ({ schema }) => (isObject(schema) ? null : '"schema" must be a JSON Schema'),
  reach: ({ reach, from }) =>
    typeof reach === 'string' && NUMBER.test(reach) && isTexts(from) && from.every((one) => NUMBER.test(one))
      ? null
      : '"reach" must be a number as a text, and "from" a list of such texts',
  program: ({ program }) =>
    isTexts(program) ? null : '"program" must be a list: the program and its arguments',
  judge: ({ judge }) =>
    typeof judge === 'string' && judge.trim() !== '' ? null : '"judge" must say what a right answer is',
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:\/[1-9]\d*)?$/

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}
