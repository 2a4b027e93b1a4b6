/** Which goals are kept for evaluation, and are in no training data: a hash of the goal decides, so that no list has to be kept. */
import { type Expression, numbersIn } from '../../arithmetic/expression.ts'
import type { Puzzle } from '../../arithmetic/puzzle.ts'
import { seededRandom } from '../../kernel/random.ts'
import { compactExpression, compactPuzzle } from '../../models/embedded/mini/compact.ts'

const SHARE = 0.1
/** From here on a number is large: single operations of small numbers are the facts that every goal is made of. */
const LARGE = 100n

export function isHeldOutExpression(expression: Expression): boolean {
  return !isFact(expression) && isHeldOut(compactExpression(expression))
}

/** Training has all facts, and so may an evaluation. */
export function isFact(expression: Expression): boolean {
  const numbers = numbersIn(expression)
  return numbers.length <= 2 && numbers.every(({ n }) => n > -LARGE && n < LARGE)
}

/** States of up to three numbers are what all puzzles come to. */
export function isHeldOutPuzzle(puzzle: Puzzle): boolean {
  return puzzle.numbers.length > 3 && isHeldOut(compactPuzzle(puzzle))
}

export function isHeldOut(goal: string): boolean {
  return seededRandom(`held out/${goal}`)() < SHARE
}
