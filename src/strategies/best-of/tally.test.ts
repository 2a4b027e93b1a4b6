import { expect, it } from 'vitest'
import { comparable, neededToDecide, tally } from './tally.ts'

const of = (...answers: string[]) => tally(answers, (answer) => answer)

it.each([
  ['x = 42', '42'],
  ['**42**.', '42'],
  ['1,234', '1234'],
  [' Yes ', 'yes!'],
])('%s and %s are the same answer', (one, other) => expect(comparable(one)).toBe(comparable(other)))

it('different values and different texts are different answers', () => {
  expect(comparable('x = 42')).not.toBe(comparable('x = 43'))
  expect(comparable('a > b')).not.toBe(comparable('b > a'))
})

it('a vote needs as few more samples as could decide it', () => {
  expect(neededToDecide(of(), 5)).toBe(3)
  expect(neededToDecide(of('a', 'a', 'a'), 2)).toBe(0)
  expect(neededToDecide(of('a', 'a', 'b'), 2)).toBe(1)
  expect(neededToDecide(of('a', 'b'), 0)).toBe(0)
})
