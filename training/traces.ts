/**
 * Pairs of a prompt of the compact form and what embedded:abacus would say to it. Those for training have no goal that is held out, as
 * a goal or as an intermediate form; those that are held out have no other.
 */
import {
  type Expression,
  number,
  type Operation,
  type Operator,
  operation,
  substitute,
} from '../src/arithmetic/expression.ts'
import { nextSteps, type Puzzle, type Step } from '../src/arithmetic/puzzle.ts'
import { equals, formatFraction, type Rational, rational } from '../src/arithmetic/rational.ts'
import { isPlain, isWhole, nestedExpression } from '../src/lab/tasks/expressions.ts'
import { isHeldOut, isHeldOutExpression, isHeldOutPuzzle } from '../src/lab/tasks/held-out.ts'
import { randomWordProblem } from '../src/lab/tasks/word-problems.ts'
import { compute, operationsOf, type SingleOperation } from '../src/models/embedded/abacus/decompose.ts'
import { compactExpression, compactStep, PROMPTS } from '../src/models/embedded/mini/compact.ts'
import { encode } from '../src/models/embedded/mini/tokens.ts'
import { WORDS } from '../src/models/embedded/words.ts'

export interface Pair {
  readonly prompt: string
  readonly answer: string
}

/** Longer pairs are left out: tokens of the prompt and the answer, without the end. */
export const MAX_TOKENS = 140

export type Split = 'training' | 'held-out'

/** Where the pairs of a source come from. */
interface Drawing {
  readonly random: () => number
  readonly split: Split
}

/** So many pairs, the same for the same source of randomness. */
export function traces(random: () => number, count: number, split: Split = 'training'): Pair[] {
  const found: Pair[] = []
  while (found.length < count) {
    const pairs = pick(random, SOURCES)({ random, split })
    found.push(...pairs.filter(({ prompt, answer }) => encode(prompt + answer).length <= MAX_TOKENS))
  }
  return found.slice(0, count)
}

/** Each gives some twenty pairs; how often one stands here is how much strategies ask of its kind, and how hard it is to learn. */
const SOURCES: readonly ((drawing: Drawing) => Pair[])[] = [
  ...repeat(2, () => [singleOperations]),
  ...repeat(16, () => [goalsWorkedOut]),
  ...repeat(8, () => [puzzlePairs]),
  (drawing) => [...repeat(7, () => wordPairs(drawing)), ...repeat(1, () => toolPairs(drawing))],
]

function singleOperations({ random, split }: Drawing): Pair[] {
  return repeat(20, () => {
    const expression = singleOperation(random, pick(random, OPERATORS))
    const value = plainValue(expression)
    if (value === null || !isOf(split, isHeldOutExpression(expression))) return []
    return [{ prompt: PROMPTS.think(expression), answer: `R${formatFraction(value)}` }]
  })
}

/** Of numbers whose result is modest: a product of two large ones is seldom met, and hard to learn. */
function singleOperation(random: () => number, operator: Operator): Expression {
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const sign = () => (random() < 0.25 ? -1 : 1)
  const whole = (value: number) => number(rational(value))
  if (operator === '^') return operation('^', whole(upTo(12)), whole(upTo(3)))
  if (random() < 0.06) {
    const fraction = () => number(rational(sign() * upTo(20), 1 + upTo(11)))
    return operation(operator, fraction(), random() < 0.5 ? fraction() : whole(upTo(20)))
  }
  if (operator === '+' || operator === '-') {
    const operand = () => whole(sign() * upTo(pick(random, [20, 100, 999, 999])))
    return operation(operator, operand(), operand())
  }
  const small = 1 + upTo(pick(random, [12, 30]))
  const other = upTo(Math.min(Math.floor(999 / small), pick(random, [20, 999])))
  const [a, b] = [sign() * small, sign() * other]
  if (operator === '×')
    return random() < 0.5 ? operation('×', whole(a), whole(b)) : operation('×', whole(b), whole(a))
  return operation('÷', whole(random() < 0.7 ? a * b : b), whole(a))
}

/**
 * A nested goal, every form that recursion brings it to, and its single operations, which are what recursion asks most; some of the forms
 * also directly.
 */
function goalsWorkedOut(drawing: Drawing): Pair[] {
  const { random } = drawing
  const depth = pick(random, [1, 2, 3, 4, 5, 6])
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const goal = nestedExpression(random, depth)
    const steps = compute(goal).ok ? operationsOf(goal, WORDS.en) : []
    if (steps.some(({ value }) => !isPlain(value))) continue
    if (steps.some(({ value }) => !isWhole(value)) && random() < 0.9) continue
    const singles = steps.map((step) => ({
      prompt: PROMPTS.think(step.operation),
      answer: `R${formatFraction(step.value)}`,
      isKept: random() < 0.6 && isOf(drawing.split, isHeldOutExpression(step.operation)),
    }))
    return [
      ...forms(goal, steps).flatMap((form, done) => formPairs(drawing, form, steps.slice(done))),
      ...singles.filter(({ isKept }) => isKept),
    ]
  }
  return []
}

/** Of deep goals nine in ten have a value on the way that is not plain. */
const MOST_TRIES = 100

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

/** Longer ones are hopeless directly. */
const MAX_DIRECT = 5

function formPairs({ random, split }: Drawing, form: Expression, left: readonly SingleOperation[]): Pair[] {
  const [first, last] = [left[0], left.at(-1)]
  if (first === undefined || last === undefined || !isOf(split, isHeldOutExpression(form))) return []
  const value = formatFraction(last.value)
  const answer = left.length === 1 ? `R${value}` : `C${compactExpression(first.operation)}`
  const think = { prompt: PROMPTS.think(form), answer }
  const isShown = left.length <= MAX_DIRECT ? random() < 0.4 : random() < 0.05
  return isShown ? [think, { prompt: PROMPTS.direct(form), answer: value }] : [think]
}

/** Chains from a puzzle and from states on the way, and whether states can be won: states of three numbers above all. */
function puzzlePairs({ random, split }: Drawing): Pair[] {
  const whole = (most: number) => rational(1 + Math.floor(random() * most))
  const target = random() < 0.7 ? rational(24) : whole(100)
  const most = random() < 0.85 ? 13 : 25
  const tree = new PuzzleTree(target)
  const start = Array.from({ length: pick(random, [3, 4, 4, 4]) }, () => whole(most))
  return repeat(14, () => {
    let numbers: readonly Rational[] = start
    const least = pick(random, [4, 3, 3, 3, 3, 3, 2])
    while (numbers.length > least) {
      const step = tree.step(random, numbers, random() < 0.5)
      if (step === null) break
      numbers = step.left
    }
    return statePairs({ random, split }, tree, { target, numbers })
  })
}

/**
 * By the count of numbers. A search asks what a state is worth several times for each move that it asks for, and it needs different moves
 * more than the best one.
 */
const CHAIN_SHARES: Readonly<Record<number, number>> = { 4: 0.08, 3: 0.25, 2: 0.2 }

function statePairs({ random, split }: Drawing, tree: PuzzleTree, puzzle: Puzzle): Pair[] {
  if (!isOf(split, isHeldOutPuzzle(puzzle))) return []
  const isShown = random() < (CHAIN_SHARES[puzzle.numbers.length] ?? 0)
  const worth = random() < 0.7
  if (!tree.isWon(puzzle.numbers)) return worth ? [{ prompt: PROMPTS.value(puzzle), answer: 'i' }] : []
  const value = worth ? [{ prompt: PROMPTS.value(puzzle), answer: 's' }] : []
  return isShown
    ? [...value, { prompt: PROMPTS.puzzle(puzzle), answer: chainOf(random, tree, puzzle) }]
    : value
}

function chainOf(random: () => number, tree: PuzzleTree, { numbers }: Puzzle): string {
  const moves: string[] = []
  for (let left = numbers; left.length > 1; ) {
    const step = tree.step(random, left, true) as Step
    moves.push(compactStep(step.operation as Operation, step.value))
    left = step.left
  }
  return moves.join(';')
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

  /** One by chance: of those that lead to the target, where that is wanted and there are any; mostly a simple one. */
  step(random: () => number, numbers: readonly Rational[], toTarget: boolean): Step | null {
    const steps = this.#stepsFrom(numbers)
    const leading = toTarget ? steps.filter(({ left }) => this.isWon(left)) : []
    const from = leading.length > 0 ? leading : steps
    const simple =
      toTarget || random() < 0.7 ? from.filter(({ value }) => value.d === 1n && value.n >= 0n) : []
    return from.length === 0 ? null : pick(random, simple.length > 0 ? simple : from)
  }

  #stepsFrom(numbers: readonly Rational[]): readonly Step[] {
    const key = stateKey(numbers)
    const steps = this.#steps.get(key) ?? nextSteps(numbers).filter(({ value }) => isPlain(value))
    this.#steps.set(key, steps)
    return steps
  }
}

function wordPairs({ random, split }: Drawing): Pair[] {
  const { text, expression } = randomWordProblem(random)
  if (!isOf(split, isHeldOut(text))) return []
  return [{ prompt: PROMPTS.words(text), answer: compactExpression(expression) }]
}

/** Computes first, writes then, and ends (e) when there is nothing left that a tool can do. */
function toolPairs({ random }: Drawing): Pair[] {
  const [tools, used, wantsFile] = [
    pick(random, ['', 'c', 'w', 'cw']),
    pick(random, ['', 'c', 'w', 'cw']),
    random() < 0.5,
  ]
  const open = (tool: string) => tools.includes(tool) && !used.includes(tool)
  const answer = wantsFile && open('w') ? 'w' : !wantsFile && open('c') ? 'c' : 'e'
  return [{ prompt: PROMPTS.tool(tools, wantsFile, used), answer }]
}

const OPERATORS: readonly Operator[] = [...'+++---×××÷÷']
  .flatMap((one) => [one, one] as Operator[])
  .concat('^')

function isOf(split: Split, isHeldOut: boolean): boolean {
  return isHeldOut === (split === 'held-out')
}

function plainValue(expression: Expression): Rational | null {
  const computed = compute(expression)
  return computed.ok && isPlain(computed.value) ? computed.value : null
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
