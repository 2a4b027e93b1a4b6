/**
 * Training pairs: a prompt of the compact form, and what embedded:abacus would say to it. Goals that are held out are in none of them,
 * as a goal or as an intermediate form.
 */
import {
  countOperations,
  type Expression,
  number,
  type Operation,
  type Operator,
  operation,
  substitute,
} from '../src/arithmetic/expression.ts'
import { nextSteps, type Puzzle, type Step } from '../src/arithmetic/puzzle.ts'
import { equals, formatFraction, type Rational, rational } from '../src/arithmetic/rational.ts'
import { compute, operationsOf, type SingleOperation } from '../src/models/embedded/abacus/decompose.ts'
import { WORDS } from '../src/models/embedded/abacus/words.ts'
import { compactExpression, compactStep, PROMPTS } from '../src/models/embedded/mini/compact.ts'
import { encode } from '../src/models/embedded/mini/tokens.ts'
import { isHeldOut, isHeldOutExpression, isHeldOutPuzzle } from './held-out.ts'
import { randomWordProblem } from './word-problems.ts'

export interface Pair {
  readonly prompt: string
  readonly answer: string
}

/** Longer pairs are left out: tokens of the prompt and the answer, without the end. */
export const MAX_TOKENS = 95

/** So many pairs, the same for the same source of randomness. */
export function traces(random: () => number, count: number): Pair[] {
  const found: Pair[] = []
  while (found.length < count) {
    const pairs = pick(random, SOURCES)(random)
    found.push(...pairs.filter(({ prompt, answer }) => encode(prompt + answer).length <= MAX_TOKENS))
  }
  return found.slice(0, count)
}

/** Each gives some twenty pairs. */
const SOURCES: readonly ((random: () => number) => Pair[])[] = [
  singleOperations,
  goalsWorkedOut,
  goalsWorkedOut,
  puzzlePairs,
  puzzlePairs,
  (random) => [...repeat(14, () => wordPairs(random)), ...repeat(6, () => toolPairs(random))],
]

function singleOperations(random: () => number): Pair[] {
  return repeat(20, () => {
    const most = pick(random, [20, 100, 1_000])
    const operand = () => ({
      type: 'number' as const,
      value: rational(Math.floor((random() * 2 - 0.6) * most)),
    })
    const [operator, base] = [pick(random, OPERATORS), operand()]
    // A reader would take -2^2 for -(2^2).
    if (operator === '^' && base.value.n < 0n) return []
    const expression = operation(operator, base, operand())
    const value = plainValue(expression)
    if (value === null || isHeldOutExpression(expression)) return []
    return [{ prompt: PROMPTS.think(expression), answer: `R${formatFraction(value)}` }]
  })
}

/** A nested goal directly, in steps, and every form that recursion brings it to. */
function goalsWorkedOut(random: () => number): Pair[] {
  return repeat(3, () => {
    const goal = nested(random, pick(random, [1, 2, 2, 3, 3, 4, 5, 6]))
    if (plainValue(goal) === null) return []
    const steps = operationsOf(goal, WORDS.en)
    if (steps.some(({ value }) => !isPlain(value))) return []
    return forms(goal, steps).flatMap((form, done) => formPairs(form, steps.slice(done)))
  })
}

/** The expression before each of its operations, with the values of those before it. */
function forms(goal: Expression, steps: readonly SingleOperation[]): Expression[] {
  const found = [goal]
  for (const { operation: first, value } of steps.slice(0, -1)) {
    const text = compactExpression(first)
    let isDone = false
    const known = (part: Expression) => {
      if (isDone || compactExpression(part) !== text) return undefined
      isDone = true
      return value
    }
    found.push(substitute(found.at(-1) as Expression, known))
  }
  return found
}

function formPairs(form: Expression, left: readonly SingleOperation[]): Pair[] {
  const [first, last] = [left[0], left.at(-1)]
  if (first === undefined || last === undefined || isHeldOutExpression(form)) return []
  const value = formatFraction(last.value)
  const answer = countOperations(form) === 1 ? `R${value}` : `C${compactExpression(first.operation)}`
  return [
    { prompt: PROMPTS.direct(form), answer: value },
    { prompt: PROMPTS.think(form), answer },
    {
      prompt: PROMPTS.steps(form),
      answer: left.map((step) => compactStep(step.operation, step.value)).join(';'),
    },
  ]
}

/** Chains from a puzzle and from states on the way, and whether states can be won, half of them if possible. */
function puzzlePairs(random: () => number): Pair[] {
  const whole = (most: number) => rational(1 + Math.floor(random() * most))
  const target = random() < 0.5 ? rational(24) : whole(100)
  const most = random() < 0.7 ? 13 : 25
  const tree = new PuzzleTree(target)
  const start = Array.from({ length: pick(random, [3, 4, 4, 4]) }, () => whole(most))
  return repeat(12, () => {
    let numbers: readonly Rational[] = start
    while (numbers.length > 2 && random() < 0.5) {
      const step = tree.step(random, numbers, random() < 0.6)
      if (step === null) break
      numbers = step.left
    }
    return statePairs(random, tree, { target, numbers })
  })
}

function statePairs(random: () => number, tree: PuzzleTree, puzzle: Puzzle): Pair[] {
  if (isHeldOutPuzzle(puzzle)) return []
  const moves: string[] = []
  for (let left = puzzle.numbers; left.length > 1; ) {
    const step = tree.step(random, left, true)
    if (step === null) break
    moves.push(compactStep(step.operation as Operation, step.value))
    left = step.left
  }
  const worth = { prompt: PROMPTS.value(puzzle), answer: tree.isWon(puzzle.numbers) ? 's' : 'i' }
  return [worth, { prompt: PROMPTS.puzzle(puzzle), answer: moves.join(';') }]
}

/** What can be reached from a puzzle, remembered: a state is met on many ways. */
class PuzzleTree {
  readonly #target: Rational
  readonly #steps = new Map<string, readonly Step[]>()
  readonly #won = new Map<string, boolean>()

  constructor(target: Rational) {
    this.#target = target
  }

  isWon(numbers: readonly Rational[]): boolean {
    const key = stateKey(numbers)
    const known = this.#won.get(key)
    if (known !== undefined) return known
    const [only] = numbers
    const won =
      numbers.length === 1 && only !== undefined
        ? equals(only, this.#target)
        : this.#stepsFrom(numbers).some(({ left }) => this.isWon(left))
    this.#won.set(key, won)
    return won
  }

  /** One by chance: of those that lead to the target, where that is wanted and there are any. */
  step(random: () => number, numbers: readonly Rational[], toTarget: boolean): Step | null {
    const steps = this.#stepsFrom(numbers)
    const leading = toTarget ? steps.filter(({ left }) => this.isWon(left)) : []
    const from = leading.length > 0 ? leading : steps
    return from.length === 0 ? null : pick(random, from)
  }

  #stepsFrom(numbers: readonly Rational[]): readonly Step[] {
    const key = stateKey(numbers)
    const steps = this.#steps.get(key) ?? nextSteps(numbers).filter(({ value }) => isPlain(value))
    this.#steps.set(key, steps)
    return steps
  }
}

function wordPairs(random: () => number): Pair[] {
  const { text, expression } = randomWordProblem(random)
  if (isHeldOut(text)) return []
  return [{ prompt: PROMPTS.words(text), answer: compactExpression(expression) }]
}

/** Computes first, writes then, and ends (e) when there is nothing left that a tool can do. */
function toolPairs(random: () => number): Pair[] {
  const [tools, used, wantsFile] = [
    pick(random, ['', 'c', 'w', 'cw']),
    pick(random, ['', 'c', 'w', 'cw']),
    random() < 0.5,
  ]
  const open = (tool: string) => tools.includes(tool) && !used.includes(tool)
  const answer = wantsFile && open('w') ? 'w' : !wantsFile && open('c') ? 'c' : 'e'
  return [{ prompt: PROMPTS.tool(tools, wantsFile, used), answer }]
}

const OPERATORS: readonly Operator[] = ['+', '+', '-', '-', '×', '×', '÷', '^']
const NESTED_OPERATORS: readonly Operator[] = ['+', '+', '-', '-', '×', '×', '÷']

/** Exactly so deep. */
function nested(random: () => number, depth: number): Expression {
  if (depth === 0) return number(rational(Math.floor(random() * 21)))
  const deep = nested(random, depth - 1)
  const other = nested(random, Math.floor(random() * depth))
  const [left, right] = random() < 0.5 ? [deep, other] : [other, deep]
  return operation(pick(random, NESTED_OPERATORS), left, right)
}

function plainValue(expression: Expression): Rational | null {
  const computed = compute(expression)
  return computed.ok && isPlain(computed.value) ? computed.value : null
}

/** What a small model can learn to compute. */
function isPlain({ n, d }: Rational): boolean {
  return d <= 24n && n > -10_000n && n < 10_000n
}

function stateKey(numbers: readonly Rational[]): string {
  return numbers.map(formatFraction).sort().join(' ')
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function repeat<T>(times: number, make: () => readonly T[]): T[] {
  return Array.from({ length: times }, make).flat()
}
