import { expect, it } from 'vitest'
import { costText, countText, durationText } from './figures.ts'
import { langOf } from './words.ts'

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

it('takes the language from the goal', () => {
  expect(langOf('写一份报告')).toBe('zh')
  expect(langOf('write a report')).toBe('en')
})
