/**
 * Works out expressions in steps: which parts to solve in children, what their results give, what is left. Every strategy's
 * kinds build on these functions; all of them are pure.
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
import { ArithmeticError, type Rational } from '../../../arithmetic/rational.ts'
import type { Room, Standing } from '../mind.ts'
import { readResult, resultText, subGoal } from '../results.ts'
import type { Words } from '../words.ts'

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

/**
 * The parts to solve in children of a block that works out these expressions, with `levels` levels available below it: the
 * operands of a single expression, or the expressions themselves if there are several; if they are nested too deep, the largest
 * parts that fit. Equal parts are solved once. Empty if the block can answer by itself.
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

/**
 * The progress of a block, from the texts in its `done` alone. Children are archived in the order of their calls, batch by
 * batch; a child that was redone follows its batch once more, and its later result counts.
 */
export function standing(
  given: readonly Expression[],
  done: readonly string[],
  { levels, width = Number.POSITIVE_INFINITY }: Room,
): Standing {
  let expressions = given
  let at = 0
  for (;;) {
    const batch = partsToSolve(expressions, levels).slice(0, width)
    if (batch.length === 0 || at + batch.length > done.length) return { expressions, next: batch, failed: [] }
    const names = batch.map(formatExpression)
    const texts = done.slice(at, at + batch.length)
    const redone = redoneResults(names, done.slice(at + batch.length))
    at += batch.length + redone.length
    const values = new Map([...namedResults(names, texts), ...redone])
    expressions = expressions.map((expression) =>
      substitute(expression, (part) => values.get(formatExpression(part))),
    )
    const failed = names.flatMap((expression, i) =>
      values.has(expression) ? [] : [{ expression, text: texts[i] as string }],
    )
    if (failed.length > 0) return { expressions, next: [], failed }
  }
}

type NamedResult = [name: string, value: Rational]

/** The results of a batch, where a text is the result of its part. */
function namedResults(names: readonly string[], texts: readonly string[]): NamedResult[] {
  return names.flatMap((name, i): NamedResult[] => {
    const result = readResult(texts[i] as string)
    return result !== null && (result.expression ?? name) === name ? [[name, result.value]] : []
  })
}

/** The results that follow a batch and belong to parts of it. */
function redoneResults(names: readonly string[], following: readonly string[]): NamedResult[] {
  const redone: NamedResult[] = []
  for (const text of following) {
    const result = readResult(text)
    if (result === null || result.expression === null || !names.includes(result.expression)) break
    redone.push([result.expression, result.value])
  }
  return redone
}

/** The value, or the reason why there is none. */
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
