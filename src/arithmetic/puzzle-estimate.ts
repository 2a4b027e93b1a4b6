/**
 * A cheap, inexact estimate of a puzzle's state: a search that is to be seen searching must not know the answer. One or two
 * numbers are tried out. For more, it measures how near the sum of the others (of two also the difference and the product) is to
 * what a number needs; quotients and other combinations are ignored.
 */
import type { Puzzle } from './puzzle.ts'
import { add, compare, divide, equals, multiply, type Rational, subtract, ZERO } from './rational.ts'

export interface Estimate {
  /** 0 to 10. */
  readonly score: number
  /** 0 to 1. */
  readonly confidence: number
}

export function estimateState({ numbers, target }: Puzzle): Estimate {
  if (numbers.length < 3) return { score: isReached(numbers, target) ? 10 : 0, confidence: 1 }
  const distance = distanceTo(numbers, target)
  return { score: distance === 0 ? 8 : 7 - Math.min(distance, 12) / 2, confidence: 0.6 }
}

function isReached([a, b]: readonly Rational[], target: Rational): boolean {
  if (a === undefined) return false
  if (b === undefined) return equals(a, target)
  return complements(a, target).some((needed) => equals(needed, b))
}

/** The smallest distance between what a number needs and what the others make. */
function distanceTo(numbers: readonly Rational[], target: Rational): number {
  const distances = numbers.flatMap((one, i) => {
    const values = valuesOf(numbers.filter((_, k) => k !== i))
    return complements(one, target).flatMap((needed) => values.map((value) => gap(needed, value)))
  })
  return Math.min(...distances)
}

function valuesOf(numbers: readonly Rational[]): Rational[] {
  const sum = numbers.reduce(add, ZERO)
  const [a, b] = numbers
  return numbers.length === 2 && a && b ? [sum, subtract(a, b), subtract(b, a), multiply(a, b)] : [sum]
}

/** The numbers that reach the target together with this one, in one operation. */
function complements(a: Rational, target: Rational): Rational[] {
  const found = [subtract(target, a), subtract(a, target), add(target, a)]
  if (a.n !== 0n) found.push(divide(target, a), multiply(target, a))
  if (a.n !== 0n && target.n !== 0n) found.push(divide(a, target))
  return found
}

function gap(a: Rational, b: Rational): number {
  const difference = compare(a, b) < 0 ? subtract(b, a) : subtract(a, b)
  return Number(difference.n) / Number(difference.d)
}
