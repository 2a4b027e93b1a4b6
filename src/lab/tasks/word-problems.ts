/** Short word problems in English and Chinese: a text with numbers a, b and c, and the expression that it asks for. */

import { type Expression, evaluate, number, operation } from '../../arithmetic/expression.ts'
import { formatFraction, rational } from '../../arithmetic/rational.ts'
import { languageOf } from '../../protocol/index.ts'
import type { Random } from '../chance.ts'
import { isHeldOut } from './held-out.ts'
import type { Drawn } from './task.ts'

type Numbers = readonly [a: number, b: number, c: number]

interface Template {
  readonly text: (name: string, thing: string, numbers: Numbers) => string
  readonly expression: (numbers: readonly [Expression, Expression, Expression]) => Expression
}

const sumThenLess: Template['expression'] = ([a, b, c]) => operation('-', operation('+', a, b), c)
const productMore: Template['expression'] = ([a, b, c]) => operation('+', operation('×', a, b), c)
const productLess: Template['expression'] = ([a, b, c]) => operation('-', operation('×', a, b), c)
const shared: Template['expression'] = ([a, b, c]) => operation('÷', operation('+', a, b), c)
const spent: Template['expression'] = ([a, b, c]) => operation('-', a, operation('×', b, c))
const allThree: Template['expression'] = ([a, b, c]) => operation('+', operation('+', a, b), c)

const EN: readonly Template[] = [
  {
    text: (name, thing, [a, b, c]) =>
      `${name} has ${a} ${thing}, buys ${b} and gives away ${c}. How many are left?`,
    expression: sumThenLess,
  },
  {
    text: (name, thing, [a, b, c]) =>
      `${name} buys ${a} boxes of ${b} ${thing} and finds ${c}. How many in all?`,
    expression: productMore,
  },
  {
    text: (name, thing, [a, b, c]) => `${name} shares ${a} and ${b} ${thing} among ${c}. How many for each?`,
    expression: shared,
  },
  {
    text: (name, thing, [a, b, c]) =>
      `${name} has ${a} bags of ${b} ${thing} and loses ${c}. How many are left?`,
    expression: productLess,
  },
  {
    text: (name, thing, [a, b, c]) =>
      `${name} has ${a} coins and buys ${b} ${thing} at ${c} each. How many coins are left?`,
    expression: spent,
  },
  {
    text: (name, thing, [a, b, c]) => `${name} finds ${a}, ${b} and then ${c} ${thing}. How many in all?`,
    expression: allThree,
  },
]

const ZH: readonly Template[] = [
  {
    text: (name, thing, [a, b, c]) => `${name}有${a}个${thing}，买了${b}个，送出${c}个，还剩几个？`,
    expression: sumThenLess,
  },
  {
    text: (name, thing, [a, b, c]) => `${name}买${a}盒${thing}，每盒${b}个，又得${c}个，共几个？`,
    expression: productMore,
  },
  {
    text: (name, thing, [a, b, c]) => `${name}把${a}个和${b}个${thing}分给${c}人，每人几个？`,
    expression: shared,
  },
  {
    text: (name, thing, [a, b, c]) => `${name}有${a}袋${thing}，每袋${b}个，丢了${c}个，还剩几个？`,
    expression: productLess,
  },
  {
    text: (name, thing, [a, b, c]) => `${name}有${a}元，买了${b}个${thing}，每个${c}元，还剩几元？`,
    expression: spent,
  },
  {
    text: (name, thing, [a, b, c]) => `${name}先后找到${a}个、${b}个和${c}个${thing}，共几个？`,
    expression: allThree,
  },
]

const LANGUAGES = [
  { templates: EN, names: ['Ann', 'Tom', 'Mia', 'Ben'], things: ['apples', 'pens', 'cards', 'eggs'] },
  { templates: ZH, names: ['小明', '小红', '小李'], things: ['苹果', '本子', '鸡蛋'] },
] as const

export function randomWordProblem(random: Random): { text: string; expression: Expression } {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const { templates, names, things } = pick(LANGUAGES)
  const whole = (most: number) => 1 + Math.floor(random() * most)
  const numbers: Numbers = [whole(60), whole(40), whole(20)]
  const { text, expression } = pick(templates)
  const [a, b, c] = numbers
  const given = (value: number) => number(rational(value))
  return {
    text: text(pick<string>(names), pick<string>(things), numbers),
    expression: expression([given(a), given(b), given(c)]),
  }
}

/** Null where the answer is negative or not whole: nobody has half an egg. */
export function drawWordProblem(random: Random): Drawn | null {
  const { text, expression } = randomWordProblem(random)
  const value = evaluate(expression)
  if (value.n < 0n || value.d !== 1n) return null
  return {
    goal: text,
    group: languageOf(text) === 'zh' ? 'Chinese' : 'English',
    check: { numeric: formatFraction(value) },
    split: isHeldOut(text) ? 'held-out' : 'tuning',
  }
}
