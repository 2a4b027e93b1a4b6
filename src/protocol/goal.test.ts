import { describe, expect, it } from 'vitest'
import { goalText, goalTitle } from './goal.ts'

const CORE4 = {
  intent: 'find the bug',
  deliverable: 'a patch',
  metric: 'tests pass',
  constraint: 'no new files',
}

describe('a goal', () => {
  it('as text says all four parts, or is the text itself', () => {
    expect(goalText('find the bug')).toBe('find the bug')
    expect(goalText(CORE4)).toBe(
      'find the bug\nDeliverable: a patch\nMetric: tests pass\nConstraint: no new files',
    )
  })

  it('as a title is one line of at most so many characters', () => {
    expect(goalTitle('  find\n the\t bug ')).toBe('find the bug')
    expect(goalTitle(CORE4)).toBe('find the bug')
    expect(goalTitle('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(goalTitle('x'.repeat(10), 10)).toBe('x'.repeat(10))
  })
})
