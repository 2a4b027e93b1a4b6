import { describe, expect, it } from 'vitest'
import { checkAnswer, type OwnChecker } from './check-answer.ts'
import { readChecker } from './checker.ts'

const solved = (answer: string, check: OwnChecker) => checkAnswer(answer, check).solved

describe('an answer is right', () => {
  it.each<[string, OwnChecker, string, string]>([
    ['as the same text, however it is set', { exact: 'Canberra' }, '**canberra**.', 'Sydney'],
    ['as one of several texts', { exact: ['UK', 'United Kingdom'] }, 'united kingdom', 'England'],
    ['as what follows "Answer:"', { exact: 'Ann, Ben' }, 'Ben lies not.\nAnswer: Ann，Ben', 'Ben, Ann'],
    ['as the same number', { numeric: 14 }, 'x = 14', '15'],
    ['as the last number', { numeric: '7/2' }, '3 + 1/2 comes to 3.5', '3.51'],
    ['as a large number', { numeric: 1234567 }, 'about 1,234,567', '1,234'],
    ['as a negative number', { numeric: -3 }, '−3', '3'],
    ['as a number that is near enough', { numeric: 2.5, tolerance: 0.01 }, '2.51', '2.52'],
    ['as a match', { regex: '^yes\\b', flags: 'i' }, 'Yes, it is', 'no, yes'],
    ['as JSON that fits', { schema: { type: 'array', minItems: 2 } }, '```json\n[1, 2]\n```', '[1]'],
    [
      'as an expression that reaches the target',
      { reach: '24', from: ['4', '9', '10', '13'] },
      '(13-9)*(10-4) = 24',
      '4+9+10+13',
    ],
  ])('%s', (_, check, right, wrong) => {
    expect(readChecker(check, 'here')).toEqual(check)
    expect(checkAnswer(right, check)).toEqual({ solved: true, score: 1 })
    expect(checkAnswer(wrong, check)).toMatchObject({ solved: false, score: 0, why: expect.any(String) })
    expect(solved('', check)).toBe(false)
  })
})

it('says what is wrong in the language of the task', () => {
  const why = (answer: string, check: OwnChecker) => checkAnswer(answer, check, 'zh').why
  expect(why('7', { exact: ['8', '九'] })).toBe('不是8或九')
  expect(why('七', { numeric: 8 })).toBe('没有数字')
  expect(why('7', { numeric: 8 })).toBe('是 7，不是 8')
  expect(why('no', { regex: '^yes' })).toBe('与 ^yes 不匹配')
  expect(why('no', { schema: {} })).toBe('不是 JSON')
})

describe('a checker is refused, with the place', () => {
  it.each([
    [{ exakt: 'x' }, 'did you mean "exact"'],
    [{ exact: 'x', regex: 'y' }, 'must have one of'],
    [{ regex: '(' }, "can't be used"],
    [{ numeric: 'many' }, 'must be a number'],
    [{ numeric: 1, tolerance: -1 }, 'tolerance'],
    [{ program: 'rm -rf /' }, 'must be a list'],
    [{ judge: ' ' }, 'what a right answer is'],
    ['exact', 'must be an object'],
  ])('%j', (given, problem) => {
    expect(() => readChecker(given, 'line 3')).toThrow(
      new RegExp(`line 3: .*${problem.replace(/[()]/g, '.')}`),
    )
  })
})
