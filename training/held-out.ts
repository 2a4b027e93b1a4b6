/** Which goals are kept for evaluation: a hash of the goal decides, so that no list has to be kept. */
import { type Expression, numbersIn } from '../src/arithmetic/expression.ts'
import type { Puzzle } from '../src/arithmetic/puzzle.ts'
import { seededRandom } from '../src/kernel/random.ts'
import { compactExpression, compactPuzzle } from '../src/models/embedded/mini/compact.ts'

const SHARE = 0.1
/** From here on a number is large: single operations of small numbers are the facts that every goal is made of. */
const LARGE = 100n

export function isHeldOutExpression(expression: Expression): boolean {
  const numbers = numbersIn(expression)
  const isFact = numbers.length <= 2 && numbers.every(({ n }) => n > -LARGE && n < LARGE)
  return !isFact && isHeldOut(compactExpression(expression))
}

/** States of up to three numbers are what all puzzles come to. */
export function isHeldOutPuzzle(puzzle: Puzzle): boolean {
  return puzzle.numbers.length > 3 && isHeldOut(compactPuzzle(puzzle))
}

export function isHeldOut(goal: string): boolean {
  return seededRandom(`held out/${goal}`)() < SHARE
}
