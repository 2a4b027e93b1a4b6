/**
 * What a state of a target puzzle is worth, cheaply and not exactly: a search that is to be seen searching can't be told the
 * answer. One or two numbers are tried out; of three or four it is asked whether a number needs just what the others make
 * without dividing; of more nothing is known.
 */
import type { Puzzle } from './puzzle.ts'
import { add, compare, divide, equals, multiply, type Rational, subtract } from './rational.ts'

export interface Estimate {
  /** 0 to 10. */
  readonly score: number
  /** 0 to 1. */
  readonly confidence: number
}

export function estimateState({ numbers, target }: Puzzle): Estimate {
  if (numbers.length < 3) return { score: isReached(numbers, target) ? 10 : 0, confidence: 1 }
  if (numbers.length > 4) return { score: 5, confidence: 0.2 }
  const distance = distanceTo(numbers, target)
  if (distance === 0) return { score: 9, confidence: 0.9 }
  return { score: Math.max(1, 5 - Math.min(distance, 8) / 2), confidence: 0.5 }
}

function isReached([a, b]: readonly Rational[], target: Rational): boolean {
  if (a === undefined) return false
  if (b === undefined) return equals(a, target)
  return complements(a, target).some((needed) => equals(needed, b))
}

/** How far what the others make is from what a number needs, at its nearest. */
function distanceTo(numbers: readonly Rational[], target: Rational): number {
  if (numbers.length === 2) {
    const [a, b] = numbers as [Rational, Rational]
    return Math.min(...complements(a, target).map((needed) => gap(needed, b)))
  }
  let nearest = Number.POSITIVE_INFINITY
  for (const [i, a] of numbers.entries()) {
    for (const b of numbers.slice(i + 1)) {
      const rest = without(numbers, a, b)
      for (const made of [add(a, b), subtract(a, b), subtract(b, a), multiply(a, b)]) {
        nearest = Math.min(nearest, distanceTo([made, ...rest], target))
        if (nearest === 0) return 0
      }
    }
  }
  return nearest
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

function without(numbers: readonly Rational[], a: Rational, b: Rational): Rational[] {
  const rest = [...numbers]
  rest.splice(rest.indexOf(a), 1)
  rest.splice(rest.indexOf(b), 1)
  return rest
}
