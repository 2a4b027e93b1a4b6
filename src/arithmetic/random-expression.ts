/** Random expressions, the same for the same source of randomness: for tests and training data. */
import { type Expression, number, type Operator, operation } from './expression.ts'
import { rational } from './rational.ts'

const OPERATORS: readonly Operator[] = ['+', '-', '×', '÷']
const MAX_NUMBER = 20
/** How often a branch ends before the maximum depth. */
const LEAF_SHARE = 0.3

/** One or more operations, nested at most `maxDepth` deep; may divide by zero. */
export function randomExpression(random: () => number, maxDepth: number): Expression {
  const operator = OPERATORS[Math.floor(random() * OPERATORS.length)] as Operator
  const operand = () =>
    maxDepth <= 1 || random() < LEAF_SHARE
      ? number(rational(Math.floor(random() * (MAX_NUMBER + 1))))
      : randomExpression(random, maxDepth - 1)
  return operation(operator, operand(), operand())
}
