import { defineTool, type GuardedTool } from '../define-tool.ts'
import { objectSchema, text } from '../object-schema.ts'
import { evaluate } from './expression.ts'
import { decimalText, fractionText } from './rational.ts'

export const MAX_EXPRESSION_CHARS = 10_000
/** Digits after the point, where the decimal does not end. */
export const MAX_PLACES = 50

export function calculateTool(): GuardedTool {
  return defineTool({
    name: 'calculate',
    description:
      'Computes an arithmetic expression exactly: + - * / ^ (whole exponents), parentheses, decimals, percent (15% is 0.15). Gives a fraction and a decimal.',
    access: 'read',
    input: objectSchema({
      expression: text('Such as (1/3 + 0.5) * 12 ^ 2', { minLength: 1, maxLength: MAX_EXPRESSION_CHARS }),
    }),
    async run({ expression }) {
      const value = evaluate(expression)
      const decimal = decimalText(value, MAX_PLACES)
      return {
        exact: fractionText(value),
        decimal: decimal.text,
        ...(decimal.isExact ? {} : { rounded: true }),
      }
    },
  })
}
