import { expect, it } from 'vitest'
import { seededRandom } from '../../../kernel/random.ts'
import { randomWordProblem } from '../../../lab/tasks/word-problems.ts'
import { isWordProblem } from './word-problem.ts'

it('takes all that the model was taught', () => {
  const random = seededRandom('words')
  for (let i = 0; i < 2_000; i++) {
    const { text } = randomWordProblem(random)
    expect(isWordProblem(text), text).toBe(true)
  }
})

it.each([
  'Ann has 3 pens, buys 4 and gives away 2.',
  'Ann has 3 pens and buys 4. How many are left?',
  'Ann has 3.5 pens, buys 4 and gives away 2. How many are left?',
  'Ann has 3 pens, buys 4 and gives away 2000. How many are left?',
  'Ann has 3 pens, buys 4 & gives away 2. How many are left?',
  'Which of 3, 4 and 5 is a prime?',
  '小明有3个榴莲，买了4个，送出2个，还剩几个？',
  'How many people lived in Rome in 100, in 200 and in 300, and how many of them were slaves or freedmen, in your opinion?',
])('takes nothing else: %s', (text) => expect(isWordProblem(text)).toBe(false))
