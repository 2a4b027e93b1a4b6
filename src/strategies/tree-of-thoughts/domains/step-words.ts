/** One operation as a step of a reasoning, and what can be wrong with it, in the problem's language. */
import type { Operator } from '../../../arithmetic/expression.ts'
import { type ArithmeticError, formatRational, type Rational } from '../../../arithmetic/rational.ts'
import type { Language } from '../../../protocol/index.ts'

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

const en = {
  noOperation: 'it is no operation',
  notLeft: 'it uses a number that is not left',
  noSuchOperation: 'there is no such operation left',
  noPowers: 'powers are not allowed',
  comesTo: (value: string) => `it comes to ${value}`,
  arithmetic: ({ message }: ArithmeticError) => message,
}

const zh: typeof en = {
  noOperation: '不是一个运算',
  notLeft: '用到了不在剩余数字中的数',
  noSuchOperation: '没有这样的运算可做',
  noPowers: '不允许乘方',
  comesTo: (value) => `结果应为${value}`,
  arithmetic: ({ reason, message }) => (reason === 'division-by-zero' ? '除数为零' : message),
}

/** Why a step is wrong. */
export type WrongStep = typeof en

export const WRONG_STEP: Readonly<Record<Language, WrongStep>> = { en, zh }
