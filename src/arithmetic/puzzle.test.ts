import { describe, expect, it } from 'vitest'
import { seededRandom } from '../kernel/random.ts'
import { formatExpression } from './expression.ts'
import { nextSteps, solvePuzzle, valueState, verifyAnswer } from './puzzle.ts'
import { rational } from './rational.ts'

const given = (...numbers: number[]) => numbers.map((n) => rational(n))
const puzzle = (target: number, ...numbers: number[]) => ({
  target: rational(target),
  numbers: given(...numbers),
})

/** By hand: every order, every operator, both ways to nest from a list, in floating point with a tolerance. */
function bruteForce(numbers: readonly number[], target: number): boolean {
  if (numbers.length === 1) return Math.abs((numbers[0] as number) - target) < 1e-9
  return numbers.some((a, i) =>
    numbers.some((b, k) => {
      if (i === k) return false
      const rest = numbers.filter((_, index) => index !== i && index !== k)
      const made = [a + b, a - b, a * b, ...(Math.abs(b) < 1e-12 ? [] : [a / b])]
      return made.some((value) => bruteForce([...rest, value], target))
    }),
  )
}

describe('a target puzzle', () => {
  it('is solved exactly where it can be, and only there: 100 by chance against brute force', () => {
    const random = seededRandom('puzzles')
    const found = { solvable: 0, unsolvable: 0 }
    for (let i = 0; i < 100; i++) {
      const numbers = Array.from({ length: 4 }, () => 1 + Math.floor(random() * 13))
      const solution = solvePuzzle(puzzle(24, ...numbers))
      expect(solution !== null, numbers.join()).toBe(bruteForce(numbers, 24))
      found[solution === null ? 'unsolvable' : 'solvable']++
      if (solution !== null) {
        expect(verifyAnswer(formatExpression(solution), puzzle(24, ...numbers))).toEqual({ ok: true })
      }
    }
    expect(found.unsolvable).toBeGreaterThan(5)
    expect(found.solvable).toBeGreaterThan(50)
  })

  it('knows the number of quadruples of 1 to 13 that make 24', { timeout: 60_000 }, () => {
    let solvable = 0
    for (let a = 1; a <= 13; a++)
      for (let b = a; b <= 13; b++)
        for (let c = b; c <= 13; c++)
          for (let d = c; d <= 13; d++) if (solvePuzzle(puzzle(24, a, b, c, d)) !== null) solvable++
    expect(solvable).toBe(1_362)
  })

  it('finds the ones that need fractions', () => {
    expect(formatExpression(solvePuzzle(puzzle(24, 3, 3, 8, 8))!)).toBe('8 ÷ (3 - 8 ÷ 3)')
    expect(formatExpression(solvePuzzle(puzzle(24, 1, 5, 5, 5))!)).toBe('5 × (5 - 1 ÷ 5)')
  })

  it('proposes every single operation, none twice', () => {
    expect(nextSteps(given(4, 4)).map((step) => step.text)).toEqual([
      '4 + 4 = 8',
      '4 - 4 = 0',
      '4 × 4 = 16',
      '4 ÷ 4 = 1',
    ])
    expect(nextSteps(given(3, 8)).map((step) => step.text)).toEqual([
      '8 + 3 = 11',
      '8 - 3 = 5',
      '8 × 3 = 24',
      '8 ÷ 3 = 8/3',
      '3 - 8 = -5',
      '3 ÷ 8 = 0.375',
    ])
    expect(nextSteps(given(0, 5)).some((step) => step.text.includes('÷ 0'))).toBe(false)
    const step = nextSteps(given(4, 9, 10, 13)).find(({ text }) => text === '10 - 4 = 6')
    expect(step?.left).toEqual(given(6, 9, 13))
    expect(nextSteps(given(4, 9, 10, 13))).toHaveLength(36)
  })

  it('values a state by trying every way', () => {
    expect(valueState(given(4, 6), rational(24))).toBe('sure')
    expect(valueState(given(10, 13, 13), rational(24))).toBe('impossible')
    expect(valueState(given(1, 2, 3, 4, 5, 6), rational(24))).toBe('likely')
  })

  it.each([
    ['(10 - 4) × (13 - 9)', null],
    ['(10-4)*(13-9) = 24', null],
    ['(10 - 4) × (13 - 9) = 25', 'other-value'],
    ['(10 - 4) × 4', 'other-numbers'],
    ['(10 - 4) × (13 - 9) + 9 - 9', 'other-numbers'],
    ['10 + 4 + 13 + 9', 'other-value'],
    ['10 ÷ (13 - 9 - 4)', 'no-value'],
    ['10 ^ 4 + 13 - 9', 'other-operations'],
    ['twenty-four', 'not-an-expression'],
  ])('checks the answer %s', (text, why) => {
    expect(verifyAnswer(text, puzzle(24, 4, 9, 10, 13))).toEqual(
      why === null ? { ok: true } : { ok: false, why },
    )
  })
})
