/**
 * What a state of a target puzzle is worth, cheaply and not exactly: a search that is to be seen searching can't be told the
 * answer. One or two numbers are tried out. Of more it is asked whether a number needs what the others come to together, or
 * nearly so; that they could be divided by each other, or taken together in several ways, is not thought of.
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

/** How far what the others make is from what a number needs, at its nearest. */
function distanceTo(numbers: readonly Rational[], target: Rational): number {
  const distances = numbers.flatMap((one, i) => {
    const made = madeOf(numbers.filter((_, k) => k !== i))
    return complements(one, target).flatMap((needed) => made.map((value) => gap(needed, value)))
  })
  return Math.min(...distances)
}

function madeOf(numbers: readonly Rational[]): Rational[] {
  const sum = numbers.reduce(add, ZERO)
  const [a, b] = numbers
  return numbers.length === 2 && a && b ? [sum, subtract(a, b), subtract(b, a), multiply(a, b)] : [sum]
}

/** What else it takes to reach the target from this number by one operation. */
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
