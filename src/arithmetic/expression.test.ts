import { describe, expect, it } from 'vitest'
import { seededRandom } from '../kernel/random.ts'
import {
  type Expression,
  evaluate,
  formatExpression,
  negation,
  number,
  operation,
  sameExpression,
  substitute,
} from './expression.ts'
import { randomExpression } from './random-expression.ts'
import { ArithmeticError, formatRational, parseRational, rational } from './rational.ts'
import { parseExpression } from './read-expression.ts'

function value(text: string): string {
  const expression = parseExpression(text)
  return expression === null ? 'null' : formatRational(evaluate(expression))
}

describe('exact arithmetic', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['1/3 + 1/6', '0.5'],
    ['1/3', '1/3'],
    ['2/3 - 1', '-1/3'],
    ['1/1024', '0.0009765625'],
    ['1/2048', '1/2048'],
    ['10^40 + 1', '10000000000000000000000000000000000000001'],
    ['8 - 3 - 2', '3'],
    ['8 / 4 / 2', '1'],
    ['2 + 3 * 4', '14'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^3^2', '512'],
    ['2^-2', '0.25'],
    ['0^0', '1'],
    ['(-1)^1000001', '-1'],
    ['8/(3-8/3)', '24'],
    ['-0.25', '-0.25'],
  ])('%s is %s', (text, result) => expect(value(text)).toBe(result))

  it.each(['1/0', '1/(2-2)', '0^-1', '2^0.5', '9^99999'])('%s has no value', (text) =>
    expect(() => value(text)).toThrow(ArithmeticError),
  )

  it('writes numbers so that they are read as the same', () => {
    for (const [n, d] of [
      [1, 3],
      [-7, 4],
      [0, 5],
      [22, -7],
      [5, 1],
      [1, 1_000_000],
    ] as const) {
      expect(parseRational(formatRational(rational(n, d)))).toEqual(rational(n, d))
    }
  })
})

describe('an expression', () => {
  it('is written so that it is read as the same tree', () => {
    const random = seededRandom('round trip')
    for (let i = 0; i < 2_000; i++) {
      let expression: Expression = operation('+', randomExpression(random, 5), number(rational(-1, 3)))
      expression = substitute(expression, () => (random() < 0.1 ? rational(-8, 3) : undefined))
      if (random() < 0.2) expression = negation(expression)
      if (expression.type === 'number') continue
      const again = parseExpression(formatExpression(expression))
      expect(again !== null && sameExpression(again, expression), formatExpression(expression)).toBe(true)
    }
  })

  it('takes no parentheses that it does not need', () => {
    const texts = [
      '1 + 2 × 3',
      '(1 + 2) × 3',
      '1 - (2 - 3)',
      '1 - 2 - 3',
      '2 ^ (1/3)',
      '(-2) ^ 2',
      '1 + (-2 × 3)',
    ]
    for (const text of texts)
      expect(formatExpression(parseExpression(text) ?? number(rational(0)))).toBe(text)
  })
})
