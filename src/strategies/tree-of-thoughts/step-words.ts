/** One operation as a step of a reasoning, in the problem's language. */
import type { Operator } from '../../arithmetic/expression.ts'
import type { Language } from '../../arithmetic/language.ts'
import { formatRational, type Rational } from '../../arithmetic/rational.ts'

export interface ArithmeticStep {
  readonly operator: Operator
  readonly left: Rational
  readonly right: Rational
  readonly value: Rational
}

export function stepLine(
  language: Language,
  n: number,
  { operator, left, right, value }: ArithmeticStep,
): string {
  const [a, b, c] = [left, right, value].map(formatRational)
  return language === 'zh'
    ? `步骤${n}: 用${a}${ZH[operator]}${b}得到${c}`
    : `Step ${n}: ${a} ${operator} ${b} = ${c}`
}

const ZH: Readonly<Record<Operator, string>> = {
  '+': '加',
  '-': '减',
  '×': '乘以',
  '÷': '除以',
  '^': '的乘方',
}
