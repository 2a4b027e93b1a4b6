/** Checks that this process makes by itself. */
import { answerText } from '../../arithmetic/answer-text.ts'
import { answerProblem } from '../../arithmetic/puzzle-answer.ts'
import { parseRational, type Rational, subtract } from '../../arithmetic/rational.ts'
import { parseJson } from '../../protocol/index.ts'
import { schemaProblem } from '../../schema/check-schema.ts'
import { comparable } from '../../strategies/best-of/tally.ts'
import type { Checker } from './checker.ts'

export interface Verdict {
  readonly solved: boolean
  /** From 0 to 1; a checker that only says right or wrong gives one of the two. */
  readonly score: number
  /** What is wrong, or why it is right. */
  readonly why?: string
}

export type OwnChecker = Exclude<Checker, { program: unknown } | { judge: unknown }>

export function checkAnswer(answer: string, check: OwnChecker): Verdict {
  const problem = problemOf(answer, check)
  return problem === null ? { solved: true, score: 1 } : { solved: false, score: 0, why: problem }
}

function problemOf(answer: string, check: OwnChecker): string | null {
  if ('exact' in check) return exactProblem(answer, [check.exact].flat())
  if ('numeric' in check) return numericProblem(answer, check)
  if ('regex' in check)
    return new RegExp(check.regex, check.flags).test(answer) ? null : `it does not match ${check.regex}`
  if ('schema' in check) return jsonProblem(answer, check.schema)
  return answerProblem(answer, { target: given(check.reach), numbers: check.from.map(given) }, 'en')
}

function exactProblem(answer: string, expected: readonly string[]): string | null {
  const said = [answer, answerText(answer)].map(asListed)
  return expected.some((one) => said.includes(asListed(one))) ? null : `it is not ${expected.join(' or ')}`
}

/** Names in a list stand apart by commas of any kind. */
function asListed(text: string): string {
  return comparable(text).replace(/\s*[,，、]\s*/g, ', ')
}

const NUMBERS = /-?\d+(?:\.\d+)?(?:\s*\/\s*[1-9]\d*)?/g

function numericProblem(
  answer: string,
  { numeric, tolerance = 0 }: Extract<Checker, { numeric: unknown }>,
): string | null {
  const [last] = comparable(answerText(answer)).match(NUMBERS)?.slice(-1) ?? []
  const value = last === undefined ? null : parseRational(last.replace(/\s/g, ''))
  if (value === null) return 'it has no number'
  const off = Math.abs(asNumber(subtract(value, given(String(numeric)))))
  return off <= tolerance ? null : `it is ${last}, not ${numeric}`
}

function jsonProblem(answer: string, schema: Readonly<Record<string, unknown>>): string | null {
  const text = /```(?:json)?\s*([\s\S]*?)```/.exec(answer)?.[1] ?? answer
  const value = parseJson(text)
  return value === undefined ? 'it is not JSON' : (schemaProblem(value, schema) ?? null)
}

function given(text: string): Rational {
  const value = parseRational(text)
  if (value === null) throw new Error(`"${text}" is not a number`)
  return value
}

function asNumber({ n, d }: Rational): number {
  return Number(n) / Number(d)
}
