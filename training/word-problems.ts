/** Short word problems in English and Chinese: a text with numbers a, b and c, and the expression that it asks for. */
import { type Expression, number, operation } from '../src/arithmetic/expression.ts'
import { rational } from '../src/arithmetic/rational.ts'

type Numbers = readonly [a: number, b: number, c: number]

interface Template {
  readonly text: (name: string, thing: string, numbers: Numbers) => string
  readonly expression: (numbers: readonly [Expression, Expression, Expression]) => Expression
}

const sumThenLess: Template['expression'] = ([a, b, c]) => operation('-', operation('+', a, b), c)
const productMore: Template['expression'] = ([a, b, c]) => operation('+', operation('×', a, b), c)
const shared: Template['expression'] = ([a, b, c]) => operation('÷', operation('+', a, b), c)

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
]

const LANGUAGES = [
  { templates: EN, names: ['Ann', 'Tom', 'Mia', 'Ben'], things: ['apples', 'pens', 'cards', 'eggs'] },
  { templates: ZH, names: ['小明', '小红', '小李'], things: ['苹果', '本子', '鸡蛋'] },
] as const

export function randomWordProblem(random: () => number): { text: string; expression: Expression } {
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
