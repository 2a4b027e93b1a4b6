/** An answer to a puzzle as people and models write it: read, and held against the puzzle. */
import type { Language } from '../protocol/index.ts'
import { answerText } from './answer-text.ts'
import { formatExpression, numbersIn } from './expression.ts'
import { type Puzzle, verifyAnswer, type WrongAnswer } from './puzzle.ts'
import { formatRational } from './rational.ts'
import { parseExpression } from './read-expression.ts'

const MAX_READ = 2_000

/** An expression with as many numbers as the puzzle: an answer, right or wrong. */
export function readAnswer(given: string, { numbers, target }: Puzzle): string | null {
  const text = answerText(given).slice(0, MAX_READ)
  const expression = parseExpression(text.split('=')[0] ?? '')
  if (expression === null || numbersIn(expression).length !== numbers.length) return null
  const claimed = /=\s*(-?\d+(?:\.\d+)?(?:\/\d+)?)[^=]*$/.exec(text)?.[1] ?? formatRational(target)
  return `${formatExpression(expression)} = ${claimed}`
}

/** What is wrong with an answer; null if it is right. */
export function answerProblem(given: string, puzzle: Puzzle, language: Language): string | null {
  const check = verifyAnswer(readAnswer(given, puzzle) ?? answerText(given), puzzle)
  return check.ok ? null : WORDS[language](formatRational(puzzle.target))[check.why]
}

const WORDS: Readonly<Record<Language, (target: string) => Readonly<Record<WrongAnswer, string>>>> = {
  en: (target) => ({
    'not-an-expression': 'it is not an expression',
    'other-operations': 'only + - × ÷ are allowed',
    'other-numbers': 'each number must be used once',
    'no-value': 'it has no value: it divides by zero',
    'other-value': `it does not come to ${target}`,
  }),
  zh: (target) => ({
    'not-an-expression': '不是算式',
    'other-operations': '只能用 + - × ÷',
    'other-numbers': '每个数字必须且只能用一次',
    'no-value': '除数为零，没有值',
    'other-value': `结果不等于${target}`,
  }),
}
