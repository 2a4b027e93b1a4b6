import { describe, expect, it } from 'vitest'
import { seededRandom } from '../kernel/random.ts'
import { solvePuzzle } from './puzzle.ts'
import { estimateState } from './puzzle-estimate.ts'
import { rational } from './rational.ts'

const state = (...numbers: number[]) => ({ target: rational(24), numbers: numbers.map((n) => rational(n)) })

describe('an estimate of a state', () => {
  it.each([
    [[24], 10],
    [[23], 0],
    [[4, 6], 10],
    [[30, 6], 10],
    [[6, 30], 10],
    [[2, 48], 10],
    [[0, 0], 0],
    [[0, 24], 10],
    [[10, 13], 0],
  ])('%j is known: %i', (numbers, score) => {
    expect(estimateState(state(...numbers))).toEqual({ score, confidence: 1 })
  })

  it('is right about one or two numbers; about more it is never sure, and at times it is wrong', () => {
    const random = seededRandom('estimates')
    let wrong = 0
    for (let i = 0; i < 1_000; i++) {
      const numbers = Array.from({ length: 1 + (i % 4) }, () => Math.floor(random() * 14))
      const { score, confidence } = estimateState(state(...numbers))
      const solvable = solvePuzzle(state(...numbers)) !== null
      if (confidence === 1) expect({ numbers, solvable }).toEqual({ numbers, solvable: score > 5 })
      else if (solvable && score < 8) wrong++
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(10)
    }
    expect(wrong).toBeGreaterThan(0)
  })

  it('is higher the nearer the numbers come', () => {
    const [near, nearer, there] = [state(50, 80, 99), state(9, 13, 3), state(9, 13, 2)].map(estimateState)
    expect(near!.score).toBeLessThan(nearer!.score)
    expect(nearer!.score).toBeLessThan(there!.score)
  })
})
