/** What the model answers in the compact form, read. Null for what is none. */
import { type Expression, number, type Operator, operation } from '../../../arithmetic/expression.ts'
import { parseRational, type Rational } from '../../../arithmetic/rational.ts'

/** "((3+4)×2)" */
export function readCompact(text: string): Expression | null {
  const [read, rest] = operand(text)
  return rest === '' ? read : null
}

export interface CompactStep {
  readonly operator: Operator
  readonly left: Rational
  readonly right: Rational
  /** What it says that it comes to. */
  readonly value: Rational
}

/** "10-4=6" */
export function readStep(text: string): CompactStep | null {
  const [, a = '', operator, b = '', c = ''] = STEP.exec(text) ?? []
  const [left, right, value] = [a, b, c].map(parseRational)
  return left && right && value ? { operator: operator as Operator, left, right, value } : null
}

const NUMBER = String.raw`-?\d+(?:\/\d+)?`
const NEXT_NUMBER = new RegExp(`^${NUMBER}`)
const STEP = new RegExp(`^(${NUMBER})([-+×÷^])(${NUMBER})=(${NUMBER})$`)
const OPERATORS: ReadonlySet<string> = new Set<Operator>(['+', '-', '×', '÷', '^'])

/** The first operand of a text, and what follows it. */
function operand(text: string): [Expression | null, rest: string] {
  if (!text.startsWith('(')) {
    const [digits = ''] = NEXT_NUMBER.exec(text) ?? []
    const value = parseRational(digits)
    return [value && number(value), text.slice(digits.length)]
  }
  const [left, afterLeft] = operand(text.slice(1))
  const operator = afterLeft.charAt(0)
  if (left === null || !OPERATORS.has(operator)) return [null, text]
  const [right, afterRight] = operand(afterLeft.slice(1))
  if (right === null || !afterRight.startsWith(')')) return [null, text]
  return [operation(operator as Operator, left, right), afterRight.slice(1)]
}
