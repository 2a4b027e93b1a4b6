import { describe, expect, it } from 'vitest'
import { countTokens } from '../kernel/brief/count-tokens.ts'
import { estimateTokens } from '../kernel/budget.ts'
import { tokenCounter } from './tokens.ts'

// The expected counts were made by hand, after how byte-pair vocabularies cut such texts; no tokenizer was run.
it.each([
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['Tokens are pieces of words that a model reads and writes, one after the other.', 16],
  ['function add(a, b) {\n  return a + b;\n}', 16],
  ['今天天气很好,我们去公园散步吧。', 12],
])('is near what a tokenizer is expected to count: %s', (text, tokens) => {
  expect(Math.abs(countTokens(text) - tokens)).toBeLessThanOrEqual(Math.ceil(tokens * 0.2))
})

it('is not above the upper estimate by which budgets are held', () => {
  const text = 'Reserve what a call may cost, settle what it did cost; 1234567 tokens at most.'
  expect(countTokens(text)).toBeLessThanOrEqual(estimateTokens(text))
  expect(countTokens('')).toBe(0)
})

describe('the tokenizer', () => {
  it('counts as o200k does, and does not hang on a word without end', async () => {
    const count = await tokenCounter()
    expect(count('Hello world, 你好世界')).toBe(6)
    expect(count('a'.repeat(200_000))).toBeGreaterThan(0)
  })

  it('is near the estimate for prose', async () => {
    const count = await tokenCounter()
    const prose =
      'The runtime keeps every step in a journal, so that a run survives a kill and resumes. '.repeat(20)
    expect(countTokens(prose) / count(prose)).toBeGreaterThan(0.7)
    expect(countTokens(prose) / count(prose)).toBeLessThan(1.4)
  })
})
