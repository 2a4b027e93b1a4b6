/**
 * Expressions: evaluated, taken apart and formatted. `parseExpression` reads what `formatExpression` writes as the same tree, so
 * that a text is unambiguous.
 */
import {
  ArithmeticError,
  add,
  divide,
  equals,
  formatRational,
  type Limits,
  multiply,
  negate,
  power,
  type Rational,
  READABLE_POWERS,
  subtract,
} from './rational.ts'

export type Operator = '+' | '-' | '×' | '÷' | '^'

export type Expression =
  | { readonly type: 'number'; readonly value: Rational }
  /** Only of an operation: a negated number is a number. */
  | { readonly type: 'negation'; readonly of: Expression }
  | Operation

export interface Operation {
  readonly type: 'operation'
  readonly operator: Operator
  readonly left: Expression
  readonly right: Expression
}

export function number(value: Rational): Expression {
  return { type: 'number', value }
}

export function operation(operator: Operator, left: Expression, right: Expression): Operation {
  return { type: 'operation', operator, left, right }
}

export function negation(of: Expression): Expression {
  if (of.type === 'number') return number(negate(of.value))
  return of.type === 'negation' ? of.of : { type: 'negation', of }
}

/** Throws an ArithmeticError if there is no value, or if it is too large. */
export function evaluate(expression: Expression, limits: Limits = READABLE_POWERS): Rational {
  // Sums and products nest to the left and may be long: a loop instead of recursion on that side.
  const operations: Operation[] = []
  let first = expression
  while (first.type === 'operation') {
    operations.push(first)
    first = first.left
  }
  let value = first.type === 'number' ? first.value : negate(evaluate(first.of, limits))
  for (const { operator, right } of operations.reverse()) {
    value = COMPUTE[operator](value, evaluate(right, limits), limits)
    if (limits.result?.(value)) throw new ArithmeticError('too-large')
  }
  return value
}

/** The number of operations. A change of sign does not count. */
export function countOperations(expression: Expression): number {
  if (expression.type === 'number') return 0
  if (expression.type === 'negation') return countOperations(expression.of)
  return 1 + countOperations(expression.left) + countOperations(expression.right)
}

/** The nesting depth of operations: 0 for a number, 1 for a single operation. */
export function depthOf(expression: Expression): number {
  if (expression.type === 'number') return 0
  if (expression.type === 'negation') return depthOf(expression.of)
  return 1 + Math.max(depthOf(expression.left), depthOf(expression.right))
}

/** The numbers in it, from left to right. */
export function numbersIn(expression: Expression): Rational[] {
  if (expression.type === 'number') return [expression.value]
  if (expression.type === 'negation') return numbersIn(expression.of)
  return [...numbersIn(expression.left), ...numbersIn(expression.right)]
}

/** The expression with every part replaced whose value is known. */
export function substitute(
  expression: Expression,
  known: (part: Expression) => Rational | undefined,
): Expression {
  if (expression.type === 'number') return expression
  const value = known(expression)
  if (value !== undefined) return number(value)
  if (expression.type === 'negation') return negation(substitute(expression.of, known))
  const { operator, left, right } = expression
  return operation(operator, substitute(left, known), substitute(right, known))
}

/** With as few parentheses as possible and a space around each operator. */
export function formatExpression(expression: Expression): string {
  if (expression.type === 'number') return formatRational(expression.value)
  if (expression.type === 'negation') return `-(${formatExpression(expression.of)})`
  const { operator, left, right } = expression
  return `${operandText(left, operator, 'left')} ${operator} ${operandText(right, operator, 'right')}`
}

const COMPUTE: Record<Operator, (a: Rational, b: Rational, limits: Limits) => Rational> = {
  '+': add,
  '-': subtract,
  '×': multiply,
  '÷': divide,
  '^': power,
}

const RANK: Record<Operator, number> = { '+': 1, '-': 1, '×': 2, '÷': 2, '^': 3 }

export function sameExpression(a: Expression, b: Expression): boolean {
  if (a.type === 'number') return b.type === 'number' && equals(a.value, b.value)
  if (a.type === 'negation') return b.type === 'negation' && sameExpression(a.of, b.of)
  if (b.type !== 'operation' || a.operator !== b.operator) return false
  return sameExpression(a.left, b.left) && sameExpression(a.right, b.right)
}

function operandText(operand: Expression, outer: Operator, side: 'left' | 'right'): string {
  const text = formatExpression(operand)
  const hidesSign =
    text.startsWith('-') && (side === 'right' || (outer === '^' && operand.type !== 'operation'))
  const isFraction = operand.type === 'number' && text.includes('/')
  const bindsLess = operand.type === 'operation' && !bindsWithin(operand.operator, outer, side)
  return hidesSign || isFraction || bindsLess ? `(${text})` : text
}

/** At the same rank, sums and products are read from the left, powers from the right. */
function bindsWithin(inner: Operator, outer: Operator, side: 'left' | 'right'): boolean {
  if (RANK[inner] !== RANK[outer]) return RANK[inner] > RANK[outer]
  return side === (outer === '^' ? 'right' : 'left')
}
