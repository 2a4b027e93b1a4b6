/**
 * The compact form: what the model reads and writes. A prompt is a letter, what it is about, and ">"; an answer is what follows up
 * to the end of the line. training/README.md says which request of a strategy becomes which prompt.
 */
import type { Expression, Operation } from '../../../arithmetic/expression.ts'
import type { Puzzle } from '../../../arithmetic/puzzle.ts'
import { compare, formatFraction, type Rational } from '../../../arithmetic/rational.ts'

/** Every operation in parentheses: what comes first can be seen without knowing which operator binds more. */
export function compactExpression(expression: Expression): string {
  if (expression.type === 'number') return formatFraction(expression.value)
  if (expression.type === 'negation') return `(0-${compactExpression(expression.of)})`
  return `(${compactExpression(expression.left)}${expression.operator}${compactExpression(expression.right)})`
}

/** "3+4=7" */
export function compactStep({ left, operator, right }: Operation, value: Rational): string {
  return `${compactExpression(left)}${operator}${compactExpression(right)}=${formatFraction(value)}`
}

export function compactPuzzle({ target, numbers }: Puzzle): string {
  return `${formatFraction(target)}|${[...numbers].sort(compare).map(formatFraction).join(' ')}`
}

/** What can be asked of the model. */
export const PROMPTS = {
  /** The value, at once: "14". */
  direct: (expression: Expression) => `D|${compactExpression(expression)}>`,
  /** Of one operation its value, "R7"; of more the operation to work out first, "C(3+4)". */
  think: (expression: Expression) => `T|${compactExpression(expression)}>`,
  /** Moves that reach a target, "10-4=6;13-9=4;6×4=24". The first is what a tree of thoughts tries next. */
  puzzle: (puzzle: Puzzle) => `P|${compactPuzzle(puzzle)}>`,
  /** Whether the target can be reached: "s" for sure, "i" for impossible. */
  value: (puzzle: Puzzle) => `V|${compactPuzzle(puzzle)}>`,
  /** The expression that a word problem asks for. */
  words: (problem: string) => `W|${problem}>`,
  /** What to do next with tools (c: the calculator, w: writes a file), whether a file is asked for, and the tools used so far. */
  tool: (tools: string, wantsFile: boolean, used: string) => `U|${tools}|${wantsFile ? 'f' : ''}|${used}>`,
} as const

/** As the model sees it: numbers with their lowest digit first, which is how one adds and multiplies. The same the other way round. */
export function turnNumbers(text: string): string {
  return text.replaceAll(/\d+/g, (digits) => [...digits].reverse().join(''))
}
