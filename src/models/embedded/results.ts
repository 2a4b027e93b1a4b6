/** Sub-goals and results as texts, which every strategy passes on: "compute 3 + 4", "3 + 4 = 7". */
import { type Expression, formatExpression } from '../../arithmetic/expression.ts'
import { formatRational, parseRational, type Rational } from '../../arithmetic/rational.ts'
import { parseExpression } from '../../arithmetic/read-expression.ts'
import type { Words } from './words.ts'

export function subGoal(expression: Expression, words: Words): string {
  return words.compute(formatExpression(expression))
}

export function resultText(expression: Expression, value: Rational): string {
  return `${formatExpression(expression)} = ${formatRational(value)}`
}

/** Reads a result, "3 + 4 = 7" or a bare value; null if it is neither. */
export function readResult(text: string): { expression: string | null; value: Rational } | null {
  const parts = text.trim().split(' = ')
  if (parts.length > 2) return null
  const value = parseRational((parts.at(-1) ?? '').trim())
  if (value === null) return null
  if (parts.length === 1) return { expression: null, value }
  const expression = parseExpression(parts[0] ?? '')
  return expression === null ? null : { expression: formatExpression(expression), value }
}
