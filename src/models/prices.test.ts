import { expect, it } from 'vitest'
import { costOf, priceOf } from './prices.ts'

it('finds a model by its name, also with a date, and never by a part of it', () => {
  expect(priceOf('openai', 'gpt-5')).toMatchObject({ input: 1.25, output: 10 })
  expect(priceOf('openai', 'gpt-5-2025-08-07')).toBe(priceOf('openai', 'gpt-5'))
  expect(priceOf('anthropic', 'claude-opus-4-5-20251101')).toBe(priceOf('anthropic', 'claude-opus-4-5'))
  expect(priceOf('openai', 'gpt-5-pro')).toBeUndefined()
  expect(priceOf('openai', 'claude-opus-4-5')).toBeUndefined()
  expect(priceOf('somebody', 'gpt-5')).toBeUndefined()
})

it('costs nothing on the own machine', () => {
  expect(priceOf('ollama', 'anything')).toEqual({ input: 0, output: 0 })
  expect(costOf({ input: 0, output: 0 }, { inputTokens: 10, outputTokens: 10, cachedInputTokens: 5 })).toBe(0)
})

it('takes the other rate for the whole of a long request', () => {
  const price = { input: 1, output: 10, cachedInput: 0.1, long: { above: 1_000, input: 2, output: 20 } }
  expect(costOf(price, { inputTokens: 1_000, outputTokens: 100 })).toBeCloseTo(0.002, 9)
  expect(costOf(price, { inputTokens: 1_001, outputTokens: 100 })).toBeCloseTo(0.004002, 9)
  expect(costOf(price, { inputTokens: 2_000, outputTokens: 0, cachedInputTokens: 1_000 })).toBeCloseTo(
    0.0022,
    9,
  )
})
