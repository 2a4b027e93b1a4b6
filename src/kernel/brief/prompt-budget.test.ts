import { expect, it } from 'vitest'
import { promptBudget } from './prompt-budget.ts'

it('is half of the window, at most 48,000 tokens', () => {
  expect(promptBudget(8_193)).toBe(4_096)
  expect(promptBudget(96_000)).toBe(48_000)
  expect(promptBudget(1_000_000)).toBe(48_000)
})

it('assumes a window of 128,000 tokens where none is known', () => {
  expect(promptBudget(undefined)).toBe(48_000)
  expect(promptBudget(undefined, 200_000)).toBe(128_000)
})

it('is what is configured, up to the window', () => {
  expect(promptBudget(8_000, 2_000)).toBe(2_000)
  expect(promptBudget(200_000, 100_000)).toBe(100_000)
  expect(promptBudget(8_000, 100_000)).toBe(8_000)
})
