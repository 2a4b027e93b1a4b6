import { expect, it } from 'vitest'
import { costText, countText, durationText, usageText } from './figures.ts'
import { langOf, wordsOf } from './words.ts'

it('writes times as people read them', () => {
  expect([0, 1_250, 9_960, 59_400, 65_000, 3_720_000].map(durationText)).toEqual([
    '0.0s',
    '1.3s',
    '10s',
    '59s',
    '1m05s',
    '1h02m',
  ])
})

it('writes counts and costs short', () => {
  expect([0, 999, 1_000, 1_234, 45_600, 1_234_567].map(countText)).toEqual([
    '0',
    '999',
    '1k',
    '1.2k',
    '46k',
    '1.2M',
  ])
  expect([0, 0.00001, 0.0123, 1.5].map(costText)).toEqual(['$0', '<$0.0001', '$0.0123', '$1.50'])
})

it('says how much of the tokens came from a cache', () => {
  const usage = { calls: 2, inputTokens: 12_300, outputTokens: 700, costUsd: 0.5 }
  expect(usageText(usage, wordsOf('en'))).toBe('2 calls · 13k tokens · $0.50')
  expect(usageText({ ...usage, cachedInputTokens: 11_000 }, wordsOf('en'))).toBe(
    '2 calls · 13k tokens (11k cached) · $0.50',
  )
  expect(usageText({ ...usage, cachedInputTokens: 11_000 }, wordsOf('zh'))).toContain('(缓存 11k)')
})

it('takes the language from the goal', () => {
  expect(langOf('写一份报告')).toBe('zh')
  expect(langOf('write a report')).toBe('en')
})
