/** Checks that this process makes by itself. */
import { answerText } from '../../arithmetic/answer-text.ts'
import { answerProblem } from '../../arithmetic/puzzle-answer.ts'
import { parseRational, type Rational, subtract } from '../../arithmetic/rational.ts'
import { type Language, parseJson } from '../../protocol/index.ts'
import { LinearPattern } from '../../protocol/patterns/linear-pattern.ts'
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

/** The reason is in the given language. */
export function checkAnswer(answer: string, check: OwnChecker, language: Language = 'en'): Verdict {
  const problem = problemOf(answer, check, language)
  return problem === null ? { solved: true, score: 1 } : { solved: false, score: 0, why: problem }
}

function problemOf(answer: string, check: OwnChecker, language: Language): string | null {
  const words = WORDS[language]
  if ('exact' in check) return exactProblem(answer, [check.exact].flat(), words)
  if ('numeric' in check) return numericProblem(answer, check, words)
  if ('regex' in check)
    return new LinearPattern(check.regex, check.flags).test(answer) ? null : words.noMatch(check.regex)
  if ('schema' in check) return jsonProblem(answer, check.schema, words)
  return answerProblem(answer, { target: given(check.reach), numbers: check.from.map(given) }, language)
}

const WORDS = {
  en: {
    not: (expected: readonly string[]) => `it is not ${expected.join(' or ')}`,
    noMatch: (pattern: string) => `it does not match ${pattern}`,
    noNumber: 'it has no number',
    otherNumber: (said: string, expected: string) => `it is ${said}, not ${expected}`,
    notJson: 'it is not JSON',
  },
  zh: {
    not: (expected: readonly string[]) => `不是${expected.join('或')}`,
    noMatch: (pattern: string) => `与 ${pattern} 不匹配`,
    noNumber: '没有数字',
    otherNumber: (said: string, expected: string) => `是 ${said}，不是 ${expected}`,
    notJson: '不是 JSON',
  },
}
type Words = (typeof WORDS)['en']

function exactProblem(answer: string, expected: readonly string[], words: Words): string | null {
  const said = [answer, answerText(answer)].map(asListed)
  return expected.some((one) => said.includes(asListed(one))) ? null : words.not(expected)
}

/** Names in a list stand apart by commas of any kind. */
function asListed(text: string): string {
  return comparable(text).replace(/ ?[,，、] ?/g, ', ')
}

const NUMBERS = /-?\d+(?:\.\d+)?(?:\s*\/\s*[1-9]\d*)?/g

function numericProblem(
  answer: string,
  { numeric, tolerance = 0 }: Extract<Checker, { numeric: unknown }>,
  words: Words,
): string | null {
  const [last] = comparable(answerText(answer)).match(NUMBERS)?.slice(-1) ?? []
  const value = last === undefined ? null : parseRational(last.replace(/\s/g, ''))
  if (value === null) return words.noNumber
  const off = Math.abs(asNumber(subtract(value, given(String(numeric)))))
  return off <= tolerance ? null : words.otherNumber(String(last), String(numeric))
}

function jsonProblem(answer: string, schema: Readonly<Record<string, unknown>>, words: Words): string | null {
  const text = /```(?:json)?([\s\S]*?)```/.exec(answer)?.[1] ?? answer
  const value = parseJson(text)
  return value === undefined ? words.notJson : (schemaProblem(value, schema) ?? null)
}

function given(text: string): Rational {
  const value = parseRational(text)
  if (value === null) throw new Error(`"${text}" is not a number`)
  return value
}

function asNumber({ n, d }: Rational): number {
  return Number(n) / Number(d)
}
