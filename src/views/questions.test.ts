import { expect, it } from 'vitest'
import type { Question } from '../protocol/index.ts'
import { pickChoice, refusalText, unattendedAnswer } from './questions.ts'

const asks = (choices?: string[], fallback?: string): Question => ({
  text: 'Go on?',
  ...(choices && { choices }),
  ...(fallback && { fallback }),
})

it('understands a choice in either language, its number and its beginning', () => {
  const open = asks(['yes', 'no', 'always', 'always in the plan'])
  for (const given of ['yes', 'Y', '1', '是']) expect(pickChoice(open, given)).toBe('yes')
  expect(pickChoice(open, '否')).toBe('no')
  expect(pickChoice(open, 'always')).toBe('always')
  expect(pickChoice(open, '总')).toBe('always')
  expect(pickChoice(open, '在计划')).toBe('always in the plan')
  expect(pickChoice(asks(undefined, 'continue'), '')).toBe('continue')
})

it('says of a wrong answer what is allowed, in the language of the run', () => {
  const open = asks(['yes', 'no'])
  expect(refusalText(open, 'perhaps', 'en')).toBe(
    '“perhaps” is no choice; answer with a number, a choice or its beginning: 1 yes, 2 no',
  )
  expect(refusalText(open, '也许', 'zh')).toBe('没有“也许”这个选项；请输入编号、选项或选项的开头：1 是、2 否')
  expect(refusalText(open, ' ', 'en')).toBe('an answer is a number, a choice or its beginning: 1 yes, 2 no')
  expect(refusalText(asks(['red', 'rose']), 'r', 'en')).toBe('“r” could be red, rose: type more of it')
  expect(refusalText(asks(), '', 'zh')).toBe('请输入回答')
})

it('takes any other text where a question allows one besides its choices', () => {
  const open = { ...asks(['yes', 'no']), other: true }
  expect(pickChoice(open, 'Yes')).toBe('yes')
  expect(pickChoice(open, '否')).toBe('no')
  for (const given of ['mention Ada', 'y', '1']) expect(pickChoice(open, given)).toBe(given)
  expect(pickChoice(open, ' ')).toBeUndefined()
  expect(refusalText(open, ' ', 'en')).toBe('type an answer')
})

it('answers for nobody with the fallback, the first choice, or yes in the language of the run', () => {
  expect(unattendedAnswer({ text: '', choices: ['a', 'b'], fallback: 'b' }, 'zh')).toBe('b')
  expect(unattendedAnswer({ text: '', choices: ['a', 'b'] }, 'zh')).toBe('a')
  expect([unattendedAnswer({ text: '' }, 'en'), unattendedAnswer({ text: '' }, 'zh')]).toEqual(['yes', '是'])
})
