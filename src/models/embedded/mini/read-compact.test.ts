import { expect, it } from 'vitest'
import { formatExpression, number } from '../../../arithmetic/expression.ts'
import { nextSteps } from '../../../arithmetic/puzzle.ts'
import { formatRational, rational } from '../../../arithmetic/rational.ts'
import { seededRandom } from '../../../kernel/random.ts'
import { nestedExpression } from '../../../lab/tasks/expressions.ts'
import { compactExpression, compactStep } from './compact.ts'
import { readCompact, readStep } from './read-compact.ts'

it('reads what is written in the compact form as the same', () => {
  const random = seededRandom('compact')
  for (let i = 0; i < 500; i++) {
    const expression = nestedExpression(random, 1 + (i % 6))
    expect(readCompact(compactExpression(expression))).toEqual(expression)
  }
  expect(formatExpression(readCompact('((0-3/4)+-1/2)')!)).toBe('0 - 3/4 + (-0.5)'.replace('3/4', '0.75'))
  expect(readCompact('7')).toEqual(number(rational(7)))
})

it.each(['', '()', '(3+4', '3+4', '(3+4)5', '(3+)', '(+4)', '(3&4)', 'R7', '((3+4)×2))', '(3/0+1)'])(
  'does not read %j',
  (text) => expect(readCompact(text)).toBeNull(),
)

it('reads a move, right or wrong', () => {
  for (const { operation, value } of nextSteps([rational(4), rational(-9), rational(2, 3)])) {
    if (operation.type !== 'operation') throw new Error('none')
    const text = compactStep(operation, value)
    const { left, right, operator, value: said } = readStep(text)!
    expect(compactStep({ type: 'operation', operator, left: number(left), right: number(right) }, said)).toBe(
      text,
    )
  }
  expect(formatRational(readStep('3+4=8')!.value)).toBe('8')
  for (const text of ['', '3+4', '3+4=', '3+4=7;', '3+4+1=8', '3=3', '1/0+4=4'])
    expect(readStep(text), text).toBeNull()
})
