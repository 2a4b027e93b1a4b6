import { expect, it } from 'vitest'
import { formatThought } from './format-thought.ts'
import type { Thought } from './schema.ts'

const THOUGHT: Thought = {
  thought_number: 2,
  current_thinking: 'The first sum:\n3 + 4 = 7',
  planning: [
    { description: 'add', status: 'Done', result: '7' },
    { description: 'multiply', status: 'Pending' },
  ],
  next_thought_needed: true,
  evaluation: 'It holds.',
}

it('a thought is printed as in the document: its number, its thinking, the plan as it stands', () => {
  expect(formatThought(THOUGHT)).toBe(`Thought 2:
  It holds.
  The first sum:
  3 + 4 = 7
Plan:
  [x] 1. add: 7
  [ ] 2. multiply
`)
})

it('the last one with the solution after the plan', () => {
  const last = { ...THOUGHT, current_thinking: 'It is 14.', planning: [], next_thought_needed: false }
  expect(formatThought(last)).toBe(`Thought 2 (conclusion):
  It holds.
  It is 14.
Solution:
It is 14.
`)
  expect(formatThought(last, 'zh')).toContain('思考 2（结论）')
})
