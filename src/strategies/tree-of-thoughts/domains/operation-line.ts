/** Thoughts such as "13 - 9 = 4 (left: 4 4 10)": one operation, with numbers as people write them. */
import { evaluate, number, type Operator, operation } from '../../../arithmetic/expression.ts'
import {
  ArithmeticError,
  compare,
  equals,
  formatRational,
  parseRational,
  type Rational,
  rational,
  subtract,
} from '../../../arithmetic/rational.ts'
import type { Language } from '../../../protocol/index.ts'

/** A number as it was written, perhaps rounded: 1.67 for 5/3. */
export interface Written {
  readonly value: Rational
  /** Digits after the point. */
  readonly places: number
}

export interface OperationLine {
  readonly operator: Operator
  readonly left: Written
  readonly right: Written
  /** The result it claims. */
  readonly result: Written | null
}

/** An operation that was done, exactly. */
export interface ArithmeticStep {
  readonly operator: Operator
  readonly left: Rational
  readonly right: Rational
  readonly value: Rational
}

export function readOperation(line: string): OperationLine | null {
  const match = OPERATION.exec(plain(line))
  if (match === null) return null
  const [, a = '', sign = '', b = '', c] = match
  const [left, right, result] = [written(a), written(b), c === undefined ? null : written(c)]
  const operator = OPERATORS[sign]
  if (left === null || right === null || operator === undefined) return null
  return { operator, left, right, result }
}

/** Whether the number was written for the value: exactly, or cut to the digits it has. */
export function isWrittenFor({ value: text, places }: Written, value: Rational): boolean {
  if (equals(text, value)) return true
  if (places === 0) return false
  const difference = subtract(text, value)
  const distance = difference.n < 0n ? { n: -difference.n, d: difference.d } : difference
  return compare(distance, rational(1n, 10n ** BigInt(places))) < 0
}

/** The one that was meant: an exact one before a rounded one, the last before the first. */
export function meantIndex(text: Written, values: readonly Rational[]): number {
  const exact = values.findLastIndex((value) => equals(text.value, value))
  return exact >= 0 ? exact : values.findLastIndex((value) => isWrittenFor(text, value))
}

/** The line's operation done on exact numbers; or why it can't be done. */
export function stepOf(
  { operator, result }: OperationLine,
  left: Rational,
  right: Rational,
  wrong: WrongStep,
): ArithmeticStep | string {
  try {
    const value = evaluate(operation(operator, number(left), number(right)))
    if (result !== null && !isWrittenFor(result, value)) return wrong.comesTo(formatRational(value))
    return { operator, left, right, value }
  } catch (thrown) {
    if (thrown instanceof ArithmeticError) return wrong.arithmetic(thrown)
    throw thrown
  }
}

/** What is left after an operation; or why it can't be done. */
export type Apply<Left> = (
  left: Left,
  line: OperationLine,
  wrong: WrongStep,
) => { readonly left: Left; readonly step: ArithmeticStep } | string

/** What is left after the operation that a thought is; or why it is wrong. */
export function applyThought<Left>(
  apply: Apply<Left>,
  left: Left,
  thought: string,
  wrong: WrongStep,
): ReturnType<Apply<Left>> {
  const line = readOperation(thought)
  return line === null ? wrong.noOperation : apply(left, line, wrong)
}

/** What is left after all of the thoughts, with their steps; null where one of them is wrong. */
export function follow<Left>(
  apply: Apply<Left>,
  start: Left,
  thoughts: readonly string[],
  wrong: WrongStep,
): { left: Left; steps: ArithmeticStep[] } | null {
  let left = start
  const steps: ArithmeticStep[] = []
  for (const thought of thoughts) {
    const applied = applyThought(apply, left, thought, wrong)
    if (typeof applied === 'string') return null
    left = applied.left
    steps.push(applied.step)
  }
  return { left, steps }
}

/** An operation with what is left after it, as the Generator is asked to write it. */
export function operationText(language: Language, operation: string, left: readonly Rational[]): string {
  const numbers = left.map(formatRational)
  return language === 'zh'
    ? `${operation}, 剩余: ${numbers.join(', ')}`
    : `${operation} (left: ${numbers.join(' ')})`
}

export const ACTION_TYPES: Readonly<Record<Operator, string>> = {
  '+': 'addition',
  '-': 'subtraction',
  '×': 'multiplication',
  '÷': 'division',
  '^': 'power',
}

/** A step of a reasoning, in the problem's language. */
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

/** What a line says is left after its operation, each time that it does: the numbers, and where they stand. */
export function claimedLeft(line: string): { numbers: Written[]; from: number; to: number }[] {
  return [...line.slice(0, MAX_LINE).matchAll(LEFT)].map(({ 0: whole, 1: text = '', index }) => {
    const numbers = plain(text).match(/-?\d+(?:\.\d+)?(?:\/\d+)?/g) ?? []
    const to = index + whole.length
    return { numbers: numbers.flatMap((number) => written(number) ?? []), from: to - text.length, to }
  })
}

/** Whether numbers were written for these values, in any order. */
export function areWrittenFor(numbers: readonly Written[], values: readonly Rational[]): boolean {
  const left = [...values]
  for (const number of numbers) {
    const at = meantIndex(number, left)
    if (at < 0) return false
    left.splice(at, 1)
  }
  return left.length === 0
}

const ONE_LEFT = String.raw`(?:\([-−–]?\d+(?:\.\d+)?(?:\/\d+)?\)|(?:(?:approximately|approx\.?|about|约)\s*)?[-−–~≈]?\d+(?:\.\d+)?(?:\/\d+)?(?:\.\.\.|…)?)`
/** A semicolon stands between two of them only where the second is not the beginning of something else. */
const BETWEEN = String.raw`(?:[\s,，、&]|[;；](?=\s*${ONE_LEFT}\s*(?:[;；)\]}]|$))|and|和)+`
const LEFT = new RegExp(
  String.raw`(?:left|leaving|remaining|剩余|剩下|余下)(?:\s*(?:numbers?|的?数字?))?(?:\s*(?:are|is|为|是))?[*_]*\s*[:：=]?[*_]*\s*[[{\x60]?\s*(${ONE_LEFT}(?:${BETWEEN}${ONE_LEFT})*)`,
  'giu',
)

const PLAIN_NUMBER = String.raw`-?\d+(?:\.\d+)?(?:\/\d+)?`
const NUMBER = `(${PLAIN_NUMBER})`
/** "Step 1: " may precede it; the last of several results counts; anything but more to compute may follow. */
const OPERATION = new RegExp(
  String.raw`^(?:[^\d=(-][^:=]*:\s*)?${NUMBER}\s*([-+*/×÷^])\s*${NUMBER}(?:(?:\s*=\s*${PLAIN_NUMBER})*?\s*=\s*${NUMBER})?(?=$|[,;(]|\.(?!\d)|\s+(?![-+*/×÷^=\s]))`,
)
const BARE_IN_PARENTHESES = /\((-?\d+(?:\.\d+)?(?:\/\d+)?)\)/g
const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': '+',
  '-': '-',
  '*': '×',
  '×': '×',
  '/': '÷',
  '÷': '÷',
  '^': '^',
}

/** No line that is written for one operation is longer. */
const MAX_LINE = 1_000

function plain(line: string): string {
  return line
    .slice(0, MAX_LINE)
    .normalize('NFKC')
    .replace(/[−–—]/g, '-')
    .replace(/[≈≒]/g, '=')
    .replace(/\(?(?:approximately|approx\.?|about|约|~)\)?\s*(?=-?\d)/gi, '')
    .replace(/=\s*=\s*/g, '= ')
    .replace(/^(?:[-*•]|\d+[.)])\s+(?=\(?-?\d)/, '')
    .replace(/(?<=\d\)?\s*)[xX✕·](?=\s*\(?-?\d)/g, '×')
    .replace(BARE_IN_PARENTHESES, '$1')
    .trim()
}

function written(text: string): Written | null {
  const value = parseRational(text)
  return value === null ? null : { value, places: /\.(\d+)/.exec(text)?.[1]?.length ?? 0 }
}
