import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../protocol/index.ts'
import { checkedSpending, checkedUsage } from './checked-usage.ts'

const request = (chars: number): ModelRequest => ({
  kind: 'test',
  version: 1,
  role: 'act',
  messages: [{ role: 'user', content: 'x'.repeat(chars) }],
})
const check = (usage: unknown, chars = 300, isPriced = true, mayBeFree = false) =>
  checkedUsage(usage, { request: request(chars), saidBytes: () => 30, isPriced, mayBeFree })

describe('the usage that a model reports', () => {
  it.each([
    { inputTokens: 100, outputTokens: 5 },
    { inputTokens: 12.5, outputTokens: 0.5, costUsd: 0.2, cachedInputTokens: 10 },
    { inputTokens: 0, outputTokens: 0 },
  ])('is taken as it is: %o', (usage) => {
    const mayBeFree = usage.inputTokens === 0
    expect(check(usage, 300, true, mayBeFree)).toEqual({ usage })
  })

  it.each<[string, unknown, string]>([
    ['null', null, 'usage is null'],
    ['a text', '5', 'usage is "5"'],
    ['nothing', {}, 'inputTokens is missing'],
    ['NaN', { inputTokens: Number.NaN, outputTokens: 5 }, 'inputTokens is NaN'],
    ['Infinity', { inputTokens: Infinity, outputTokens: 5 }, 'inputTokens is Infinity'],
    ['less than nothing', { inputTokens: -1, outputTokens: 5 }, 'inputTokens is -1'],
    ['texts', { inputTokens: '50', outputTokens: 5 }, 'inputTokens is "50"'],
    ['a BigInt', { inputTokens: 50n, outputTokens: 5 }, 'inputTokens is 50n'],
    ['more than any model takes', { inputTokens: 1e300, outputTokens: 5 }, 'inputTokens is 1e+300'],
    ['0 of a call that is not free', { inputTokens: 0, outputTokens: 0 }, 'far below'],
    ['0 of the reply', { inputTokens: 0, outputTokens: 0 }, 'outputTokens is 0, and the reply has 30 bytes'],
    ['a part of a token', { inputTokens: 0.001, outputTokens: 5 }, 'far below'],
  ])('is replaced by the estimate, and the problem is named: %s', (_, given, problem) => {
    const checked = check(given)
    expect(checked.usage.inputTokens).toBe(100)
    expect([5, 10]).toContain(checked.usage.outputTokens)
    expect(checked.problem).toContain(problem)
  })

  it('may be less than the estimate, but not far below the size of a large prompt', () => {
    expect(check({ inputTokens: 2_000, outputTokens: 1 }, 30_000).problem).toBeUndefined()
    const { usage, problem } = check({ inputTokens: 10, outputTokens: 1 }, 30_000)
    expect(usage.inputTokens).toBe(10_000)
    expect(problem).toBe('inputTokens 10 is far below the 10000 that were sent')
    // Most prompts are small: a model that answers them with less may be a program.
    expect(check({ inputTokens: 10, outputTokens: 1 }, 3_000).problem).toBeUndefined()
  })

  it('loses a cost that is no amount, or that was reported for other counts by a model with a price', () => {
    expect(check({ inputTokens: 1, outputTokens: 1, costUsd: Number.NaN })).toEqual({
      usage: { inputTokens: 1, outputTokens: 1 },
      problem: 'costUsd is NaN',
    })
    const wrong = { inputTokens: -1, outputTokens: 1, costUsd: 0.5 }
    expect(check(wrong).usage).not.toHaveProperty('costUsd')
    expect(check(wrong, 300, false).usage.costUsd).toBe(0.5)
  })
})

it.each([Number.NaN, undefined, null, -5, '50', 5n, Infinity])(
  'what a tool reports as spent is a number of tokens: %s',
  (amount) => {
    const { tokens, problem } = checkedSpending(amount, { text: 'x'.repeat(289) })
    expect(tokens).toBe(100)
    expect(problem).toContain('not a number of tokens')
  },
)
