/** Numbers that are to reach a target, each used once; every puzzle has a solution. */

import { type Puzzle, solvePuzzle } from '../../arithmetic/puzzle.ts'
import { formatFraction, rational } from '../../arithmetic/rational.ts'
import type { Random } from '../chance.ts'
import { isHeldOutPuzzle } from './held-out.ts'
import type { Drawn, Split } from './task.ts'

const NUMBERS = 4
const MAX_NUMBER = 13

/** Null where there is no solution; that takes a while to know, so it is known only of those that are wanted. */
export function drawPuzzle(random: Random, target: number, wanted: Split): Drawn | null {
  const values = Array.from({ length: NUMBERS }, () => 1 + Math.floor(random() * MAX_NUMBER))
  const puzzle: Puzzle = {
    target: rational(target),
    numbers: values.toSorted((a, b) => a - b).map((value) => rational(value)),
  }
  const split = isHeldOutPuzzle(puzzle) ? 'held-out' : 'tuning'
  if (split !== wanted || solvePuzzle(puzzle) === null) return null
  const numbers = puzzle.numbers.map(formatFraction)
  return {
    goal: `Make ${target} from ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`,
    group: `make ${target}`,
    check: { reach: String(target), from: numbers },
    split,
  }
}
