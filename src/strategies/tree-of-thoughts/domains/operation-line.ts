/** Reads "13 - 9 = 4 (left: 4 4 10)" and its like: one operation, with numbers as people write them. */
import { evaluate, number, type Operation, type Operator, operation } from '../../../arithmetic/expression.ts'
import {
  compare,
  equals,
  parseRational,
  type Rational,
  rational,
  subtract,
} from '../../../arithmetic/rational.ts'

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

/** The operation on exact operands; throws an ArithmeticError. */
export function computed(operator: Operator, left: Rational, right: Rational): [Operation, Rational] {
  const exact = operation(operator, number(left), number(right))
  return [exact, evaluate(exact)]
}

/** The part of a line that can be an answer: without "Answer:" in front. */
export function answerText(line: string): string {
  return line
    .trim()
    .replace(/^(?:the\s+)?(?:final\s+)?(?:answer|solution|答案|解答?)\s*(?:is|是|为)?\s*[:：]?\s*/iu, '')
}

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:\/\d+)?)`
/** "Step 1: " may precede it; anything but more to compute may follow. */
const OPERATION = new RegExp(
  String.raw`^(?:[^\d=(-][^:=]*:\s*)?${NUMBER}\s*([-+*/×÷^])\s*${NUMBER}(?:\s*=\s*${NUMBER})?(?=$|[,;(]|\.(?!\d)|\s+(?![-+*/×÷^=\s]))`,
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

function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[−–—]/g, '-')
    .replace(/[≈≒]/g, '=')
    .replace(/(?<=\d\)?\s*)[xX✕·](?=\s*\(?-?\d)/g, '×')
    .replace(BARE_IN_PARENTHESES, '$1')
    .trim()
}

function written(text: string): Written | null {
  const value = parseRational(text)
  return value === null ? null : { value, places: /\.(\d+)/.exec(text)?.[1]?.length ?? 0 }
}
