import { evaluate } from '../../arithmetic/expression.ts'
import {
  ArithmeticError,
  digitsUpTo,
  formatDecimal,
  formatFraction,
  type Rational,
} from '../../arithmetic/rational.ts'
import { ReadingError, readExpression } from '../../arithmetic/read-expression.ts'
import { doesNothing } from '../../kernel/deed.ts'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { objectSchema, text } from '../object-schema.ts'

const MAX_EXPRESSION_CHARS = 10_000
/** Digits after the decimal point that are given of a decimal that ends. */
const MAX_PLACES = 50
/** Of a rounded one: `exact` has the value. */
const SIGNIFICANT_DIGITS = 20

export function calculateTool(): GuardedTool {
  return defineTool({
    name: 'calculate',
    description:
      'Computes an arithmetic expression exactly: + - * / ^ (whole exponents), parentheses, decimals, percent (15% is 0.15). Gives a fraction and a decimal.',
    access: 'read',
    input: objectSchema({
      expression: text('Such as (1/3 + 0.5) * 12 ^ 2', { minLength: 1, maxLength: MAX_EXPRESSION_CHARS }),
    }),
    deeds: doesNothing,
    async run({ expression }) {
      const value = compute(expression)
      const decimal = formatDecimal(value, MAX_PLACES, SIGNIFICANT_DIGITS)
      return {
        exact: formatFraction(value),
        decimal: decimal.text,
        ...(decimal.isExact ? {} : { rounded: true }),
      }
    },
  })
}

const LIMITS = digitsUpTo(10_000)

function compute(expression: string): Rational {
  try {
    return evaluate(readExpression(expression, 'keyed'), LIMITS)
  } catch (thrown) {
    if (thrown instanceof ReadingError) throw toolError(thrown.message)
    if (!(thrown instanceof ArithmeticError)) throw thrown
    const isTooLarge = thrown.reason === 'too-large'
    throw toolError(isTooLarge ? 'the number has more than 10,000 digits' : thrown.message)
  }
}
