/** Nested expressions of a given depth, with values that stay small and whole all the way. */

import {
  type Expression,
  formatExpression,
  number,
  type Operator,
  operation,
} from '../../arithmetic/expression.ts'
import { formatFraction, type Rational, rational } from '../../arithmetic/rational.ts'
import { compute, operationsOf } from '../../models/embedded/abacus/decompose.ts'
import { WORDS } from '../../models/embedded/words.ts'
import { pick, type Random } from '../chance.ts'
import { isFact, isHeldOutExpression } from './held-out.ts'
import type { Drawn } from './task.ts'

export const DEPTHS = [1, 2, 3, 4, 5, 6]

/** Null where the expression that came by chance has no plain value. */
export function drawExpression(random: Random, depth: number): Drawn | null {
  const expression = nestedExpression(random, depth)
  const value = plainValue(expression)
  if (value === null) return null
  return {
    goal: `Compute ${formatExpression(expression)}`,
    group: `depth ${depth}`,
    check: { numeric: formatFraction(value) },
    // Of single operations none is held out.
    split: isFact(expression) ? 'both' : isHeldOutExpression(expression) ? 'held-out' : 'tuning',
  }
}

const NESTED_OPERATORS: readonly Operator[] = [...'++++----××××÷'] as Operator[]

/** Exactly so deep. */
export function nestedExpression(random: Random, depth: number): Expression {
  if (depth === 0) return number(rational(Math.floor(random() * 21)))
  const deep = nestedExpression(random, depth - 1)
  const other = nestedExpression(random, Math.floor(random() * depth))
  const [left, right] = random() < 0.5 ? [deep, other] : [other, deep]
  return operation(pick(random, NESTED_OPERATORS), left, right)
}

function plainValue(expression: Expression): Rational | null {
  if (!compute(expression).ok) return null
  const steps = operationsOf(expression, WORDS.en)
  return steps.every(({ value }) => isPlain(value) && isWhole(value)) ? (steps.at(-1)?.value ?? null) : null
}

export function isWhole({ d }: Rational): boolean {
  return d === 1n
}

/** What a small model can learn to compute. */
export function isPlain({ n, d }: Rational): boolean {
  return d <= 24n && n > -1_000n && n < 1_000n
}
