/** An arithmetic goal: what its expressions come to must be in the result. */
import { evaluate, formatExpression } from '../../arithmetic/expression.ts'
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import {
  compare,
  divide,
  equals,
  formatRational,
  parseRational,
  type Rational,
  rational,
  subtract,
} from '../../arithmetic/rational.ts'
import type { ValueDemand } from './demand.ts'

export function valueDemands(goal: string): ValueDemand[] {
  const task = parseGoal(goal)
  if (task?.type !== 'compute') return []
  return task.expressions.flatMap((expression) => {
    try {
      return [
        { type: 'value', expression: formatExpression(expression), value: evaluate(expression) } as const,
      ]
    } catch {
      // Without a value there is nothing to look for.
      return []
    }
  })
}

export function valueProblem({ expression, value }: ValueDemand, result: string): string | null {
  if (isOtherwiseWritten(result) || numbersIn(result).some((number) => isValue(number, value))) return null
  return `${expression} is ${formatRational(value)}; the result does not say so.`
}

/** In words, or with a power of ten: not for a program to judge. */
function isOtherwiseWritten(result: string): boolean {
  return !/\d/.test(result) || /\d\s*(?:[×x*]\s*10|e[+-]?\d)|[万亿]/i.test(result)
}

interface Written {
  readonly number: Rational
  /** How many digits stand after the point. */
  readonly places: number
}

function numbersIn(result: string): Written[] {
  const plain = result.replace(/[−–]/g, '-').replace(/(?<=\d)[,\s_'](?=\d{3}(?!\d))/g, '')
  return [...plain.matchAll(/-?\d+(?:\.\d+)?(?:\s*\/\s*\d+)?/g)].flatMap(([text]) => {
    const bare = text.replace(/\s/g, '').replace(/^(-?)0+(?=\d)/, '$1')
    const places = /\.(\d+)/.exec(bare)?.[1]?.length ?? 0
    // "5-3" has no negative number in it.
    return [bare, bare.replace(/^-/, '')].flatMap((form) => {
      const number = parseRational(form)
      return number === null ? [] : [{ number, places }]
    })
  })
}

/** Exactly, rounded to two places or more, or in percent. */
function isValue({ number, places }: Written, value: Rational): boolean {
  if (equals(number, value) || equals(divide(number, rational(100)), value)) return true
  const off = subtract(number, value)
  const size = { n: off.n < 0n ? -off.n : off.n, d: off.d }
  return places >= 2 && compare(size, rational(1, 10n ** BigInt(places))) < 0
}
