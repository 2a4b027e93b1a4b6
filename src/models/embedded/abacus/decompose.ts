/**
 * How expressions are worked out in steps: what is to be solved below, what the results make of it, what is left. Every
 * strategy's kinds build on these; all of them are pure.
 */
import {
  countOperations,
  depthOf,
  type Expression,
  evaluate,
  formatExpression,
  number,
  type Operation,
  substitute,
} from '../../../arithmetic/expression.ts'
import {
  ArithmeticError,
  formatRational,
  parseRational,
  type Rational,
} from '../../../arithmetic/rational.ts'
import { parseExpression } from '../../../arithmetic/read-expression.ts'
import type { Words } from './words.ts'

export interface SingleOperation {
  /** Its operands are numbers: those given, or the values of earlier operations. */
  readonly operation: Operation
  readonly value: Rational
  /** As a sub-goal in the goal's language: "compute 3 + 4". */
  readonly goal: string
  /** As a result: "3 + 4 = 7". */
  readonly result: string
}

/** The single operations of an expression, innermost first, from left to right. Throws an ArithmeticError. */
export function operationsOf(expression: Expression, words: Words): SingleOperation[] {
  const found: SingleOperation[] = []
  const visit = (part: Expression): Rational => {
    if (part.type === 'number') return part.value
    if (part.type === 'negation') return evaluate({ ...part, of: number(visit(part.of)) })
    const operation: Operation = { ...part, left: number(visit(part.left)), right: number(visit(part.right)) }
    const value = evaluate(operation)
    found.push({ operation, value, goal: subGoal(operation, words), result: resultText(operation, value) })
    return value
  }
  visit(expression)
  return found
}

export function subGoal(expression: Expression, words: Words): string {
  return words.compute(formatExpression(expression))
}

export function resultText(expression: Expression, value: Rational): string {
  return `${formatExpression(expression)} = ${formatRational(value)}`
}

/** What a result says: "3 + 4 = 7", or the bare value. Null when it says something else. */
export function readResult(text: string): { expression: string | null; value: Rational } | null {
  const parts = text.trim().split(' = ')
  if (parts.length > 2) return null
  const value = parseRational((parts.at(-1) ?? '').trim())
  if (value === null) return null
  if (parts.length === 1) return { expression: null, value }
  const expression = parseExpression(parts[0] ?? '')
  return expression === null ? null : { expression: formatExpression(expression), value }
}

/**
 * What is to be solved below a block that has these expressions to work out, given that `levels` more levels may be used:
 * the operands of a single expression, or the several expressions themselves; of what is nested too deep for that, the
 * largest parts that fit. The same part twice is solved once. Empty when the block can answer by itself.
 */
export function partsToSolve(expressions: readonly Expression[], levels: number): Expression[] {
  const alone = expressions.length === 1 ? (expressions[0] as Expression) : null
  if (levels < 1 || (alone !== null && countOperations(alone) <= 1)) return []
  const deepest = alone === null ? levels : Math.min(levels, depthOf(alone) - 1)
  const parts = new Map<string, Expression>()
  const visit = (part: Expression): void => {
    const depth = depthOf(part)
    if (depth === 0) return
    if (part.type === 'negation') visit(part.of)
    else if (depth <= deepest) parts.set(formatExpression(part), part)
    else if (part.type === 'operation') {
      visit(part.left)
      visit(part.right)
    }
  }
  for (const expression of expressions) visit(expression)
  return [...parts.values()]
}

export interface Standing {
  /** The expressions with all known values put in. */
  readonly expressions: readonly Expression[]
  /** To be solved now. With none, and nothing failed, the block can answer. */
  readonly next: readonly Expression[]
  /** Parts that came to no value, with the text they came to. */
  readonly failed: readonly { expression: string; text: string }[]
}

export interface StandingOptions {
  /** How many levels below the block may be used. */
  levels: number
  /** How many parts are solved at once; all that are ready unless said otherwise. */
  width?: number
}

/**
 * Where a block stands, from the texts in its `done` alone. Children are archived in the order they were called, batch by
 * batch; a child that was done again comes once more after its batch, and its later result counts.
 */
export function standing(
  given: readonly Expression[],
  done: readonly string[],
  { levels, width = Number.POSITIVE_INFINITY }: StandingOptions,
): Standing {
  let expressions = given
  let at = 0
  for (;;) {
    const batch = partsToSolve(expressions, levels).slice(0, width)
    if (batch.length === 0 || at + batch.length > done.length) return { expressions, next: batch, failed: [] }
    const values = new Map<string, Rational>()
    const texts = new Map<string, string>()
    for (const part of batch) {
      const name = formatExpression(part)
      const text = done[at++] as string
      const result = readResult(text)
      texts.set(name, text)
      if (result !== null && (result.expression ?? name) === name) values.set(name, result.value)
    }
    for (; at < done.length; at++) {
      const again = readResult(done[at] as string)
      if (again === null || again.expression === null || !texts.has(again.expression)) break
      values.set(again.expression, again.value)
    }
    expressions = expressions.map((expression) =>
      substitute(expression, (part) => values.get(formatExpression(part))),
    )
    const failed = [...texts].filter(([name]) => !values.has(name))
    if (failed.length > 0) {
      return { expressions, next: [], failed: failed.map(([expression, text]) => ({ expression, text })) }
    }
  }
}

/** The value, or why there is none. */
export function compute(
  expression: Expression,
): { ok: true; value: Rational } | { ok: false; why: ArithmeticError } {
  try {
    return { ok: true, value: evaluate(expression) }
  } catch (thrown) {
    if (thrown instanceof ArithmeticError) return { ok: false, why: thrown }
    throw thrown
  }
}
