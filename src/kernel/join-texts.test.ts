import { expect, it } from 'vitest'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { joinTexts } from './join-texts.ts'

it.each([
  ['nothing before', '', ' One', ' One'],
  ['a plain seam', 'one two', ' three', 'one two three'],
  ['a word cut in two', 'one tw', 'o three', 'one two three'],
  ['repeated words', 'The quick brown fox', 'brown fox jumps', 'The quick brown fox jumps'],
  [
    'repeated words after a line break',
    'The quick brown fox',
    '\nbrown fox jumps',
    'The quick brown fox jumps',
  ],
  ['the whole text repeated', 'The quick', 'The quick brown', 'The quick brown'],
  ['a word that is begun again', 'one two thr', 'three four', 'one two three four'],
  ['a value', '{"list":["alpha","be', '"alpha","beta"]}', '{"list":["alpha","beta"]}'],
  ['Chinese', '春天来了，花开', '花开了', '春天来了，花开花开了'],
  ['Chinese that repeats a clause', '春天来了，花开满园', '，花开满园，很美', '春天来了，花开满园，很美'],
  ['numbers that go on alike', '[0,0,0', ',0,0,0]', '[0,0,0,0,0,0]'],
  ['letters that are alike by chance', 'a banana', 'na split', 'a bananana split'],
])('%s', (_, before, more, joined) => {
  expect(joinTexts(before, more, new DecodingBudget('the text'))).toBe(joined)
})

it('takes the parts from the budget of the text', () => {
  const budget = new DecodingBudget('the text', { limit: 10 })
  const text = joinTexts('', 'one two', budget)
  expect(() => joinTexts(text, ' three', budget)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})
