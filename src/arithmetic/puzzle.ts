/**
 * Puzzles: reach a target from given numbers, each used once, with + - × ÷ and exact fractions. Gives the next steps, the value
 * of a state, a solution, and verifies answers.
 */
import {
  type Expression,
  evaluate,
  formatExpression,
  number,
  numbersIn,
  type Operator,
  operation,
} from './expression.ts'
import { ArithmeticError, compare, equals, formatRational, type Rational } from './rational.ts'
import { parseExpression } from './read-expression.ts'

export interface Puzzle {
  readonly target: Rational
  readonly numbers: readonly Rational[]
}

/** Up to this many numbers, trying every way takes at most two seconds. */
export const MAX_NUMBERS = 6
/** Up to this many numbers a state is valued exactly, in a quarter of a second. */
const MAX_VALUED = 5

export interface Step {
  /** With its operands as numbers. */
  readonly operation: Expression
  readonly value: Rational
  /** The remaining numbers, smallest first. */
  readonly left: readonly Rational[]
  /** "10 - 4 = 6". */
  readonly text: string
}

/** Every operation on two of the numbers, without repetitions, in a fixed order. */
export function nextSteps(numbers: readonly Rational[]): Step[] {
  const steps = new Map<string, Step>()
  for (const move of movesFrom(numbers.map((value) => ({ value, expression: number(value) })))) {
    const { value, expression } = move.made
    const text = `${formatExpression(expression)} = ${formatRational(value)}`
    if (steps.has(text)) continue
    const left = [...move.rest.map((item) => item.value), value].sort(compare)
    steps.set(text, { operation: expression, value, left, text })
  }
  return [...steps.values()]
}

/** The value of a state; `likely` means that there are too many numbers to try every way. */
export function valueState(numbers: readonly Rational[], target: Rational): 'sure' | 'likely' | 'impossible' {
  if (numbers.length > MAX_VALUED) return 'likely'
  return solvePuzzle({ numbers, target }) === null ? 'impossible' : 'sure'
}

/** An expression that reaches the target, if possible with whole numbers all the way; null if there is none. */
export function solvePuzzle({ numbers, target }: Puzzle): Expression | null {
  const items = numbers.map((value) => ({ value, expression: number(value) })).sort(larger)
  const plain = search(items, target, isPlain, new Set())
  return plain ?? search(items, target, () => true, new Set())
}

export type AnswerCheck = { readonly ok: true } | { readonly ok: false; readonly why: WrongAnswer }
export type WrongAnswer =
  | 'not-an-expression'
  | 'other-operations'
  | 'other-numbers'
  | 'no-value'
  | 'other-value'

/** Whether the text is an expression that uses each number once and reaches the target; "… = 24" may follow it. */
export function verifyAnswer(text: string, { numbers, target }: Puzzle): AnswerCheck {
  const [left = '', claimed, ...more] = text.split('=')
  const expression = parseExpression(left)
  if (expression === null || more.length > 0) return { ok: false, why: 'not-an-expression' }
  if (!isArithmetic(expression)) return { ok: false, why: 'other-operations' }
  const used = numbersIn(expression).sort(compare)
  const given = [...numbers].sort(compare)
  if (used.length !== given.length || !used.every((value, i) => equals(value, given[i] as Rational))) {
    return { ok: false, why: 'other-numbers' }
  }
  try {
    if (!equals(evaluate(expression), target)) return { ok: false, why: 'other-value' }
  } catch (thrown) {
    if (thrown instanceof ArithmeticError) return { ok: false, why: 'no-value' }
    throw thrown
  }
  if (claimed !== undefined && claimed.trim() !== formatRational(target)) {
    return { ok: false, why: 'other-value' }
  }
  return { ok: true }
}

interface Item {
  readonly value: Rational
  readonly expression: Expression
}

interface Move {
  readonly made: Item
  readonly rest: readonly Item[]
}

/** Depth first; `dead` holds the states from which the target can't be reached. */
function search(
  items: readonly Item[],
  target: Rational,
  allowed: (value: Rational) => boolean,
  dead: Set<string>,
): Expression | null {
  const [first, ...others] = items
  if (first === undefined) return null
  if (others.length === 0) return equals(first.value, target) ? first.expression : null
  const state = items
    .map(({ value }) => `${value.n}/${value.d}`)
    .sort()
    .join()
  if (dead.has(state)) return null
  for (const { made, rest } of movesFrom(items)) {
    if (!allowed(made.value)) continue
    const found = search([...rest, made], target, allowed, dead)
    if (found !== null) return found
  }
  dead.add(state)
  return null
}

function* movesFrom(items: readonly Item[]): Generator<Move> {
  for (const [i, one] of items.entries()) {
    for (const [k, other] of items.entries()) {
      if (k <= i) continue
      const rest = items.filter((_, index) => index !== i && index !== k)
      for (const made of combinations(one, other)) yield { made, rest }
    }
  }
}

/** Sums and products have the larger operand first, which reads better and is one move instead of two. */
function combinations(one: Item, other: Item): Item[] {
  const [a, b] = larger(one, other) <= 0 ? [one, other] : [other, one]
  const moves: [Operator, Item, Item][] = [
    ['+', a, b],
    ['-', a, b],
    ['×', a, b],
    ['÷', a, b],
  ]
  if (!equals(a.value, b.value)) moves.push(['-', b, a], ['÷', b, a])
  return moves
    .filter(([operator, , right]) => operator !== '÷' || right.value.n !== 0n)
    .map(([operator, left, right]) => ({
      value: evaluate(operation(operator, number(left.value), number(right.value))),
      expression: operation(operator, left.expression, right.expression),
    }))
}

function larger(a: Item, b: Item): number {
  return compare(b.value, a.value)
}

function isPlain(value: Rational): boolean {
  return value.d === 1n && value.n >= 0n
}

function isArithmetic(expression: Expression): boolean {
  if (expression.type === 'number') return true
  if (expression.type === 'negation') return false
  return expression.operator !== '^' && isArithmetic(expression.left) && isArithmetic(expression.right)
}
