import { expect, it } from 'vitest'
import { holm, mcnemar, wilson } from './stats.ts'

// The first three are in Newcombe's comparison of methods (1998).
it.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [29, 29, 0.883, 1],
])('the interval of %i of %i is %f to %f', (solved, of, low, high) => {
  const found = wilson(solved, of)
  expect(found.low).toBeCloseTo(low, 4)
  expect(found.high).toBeCloseTo(high, 4)
})

// Worked out with exact fractions.
it.each([
  [0, 0, 1],
  [5, 5, 1],
  [0, 5, 0.0625],
  [0, 6, 0.03125],
  [10, 2, 0.03857422],
  [2, 10, 0.03857422],
  [400, 300, 0.00017848],
])('of %i against %i the significance is %f', (first, second, p) => {
  expect(mcnemar(first, second)).toBeCloseTo(p, 6)
})

it('several comparisons are corrected in the order given', () => {
  expect(holm([0.04, 0.01, 0.03])).toEqual([0.06, 0.03, 0.06])
  expect(holm([0.5])).toEqual([0.5])
})
