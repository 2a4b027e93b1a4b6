/** Puzzles such as "Make 24 from 4, 9, 10 and 13", with exact fractions. A state is what is left, the smallest first. */
import {
  type Expression,
  formatExpression,
  number,
  type Operation,
  operation,
} from '../../../arithmetic/expression.ts'
import { nextSteps, type Puzzle, verifyAnswer } from '../../../arithmetic/puzzle.ts'
import { answerProblem, readAnswer } from '../../../arithmetic/puzzle-answer.ts'
import {
  compare,
  equals,
  formatRational,
  parseRational,
  type Rational,
} from '../../../arithmetic/rational.ts'
import type { Language } from '../../../protocol/index.ts'
import type { Domain } from './domain.ts'
import {
  ACTION_TYPES,
  type Apply,
  applyThought,
  areWrittenFor,
  claimedLeft,
  follow,
  meantIndex,
  operationText,
  stepLine,
  stepOf,
  WRONG_STEP,
} from './operation-line.ts'

interface Item {
  readonly value: Rational
  readonly expression: Expression
}

export function puzzleDomain(puzzle: Puzzle, language: Language): Domain {
  const target = formatRational(puzzle.target)
  const wrong = WRONG_STEP[language]

  function isRight(answer: string): boolean {
    return verifyAnswer(answer, puzzle).ok
  }

  return {
    state: stateText(puzzle.numbers),
    depth: puzzle.numbers.length - 1,
    decomposition: WORDS[language].decomposition(puzzle),
    format: WORDS[language].format,
    /** An answer that is right, otherwise the operation, otherwise an answer that is wrong: it is refuted with the reason. */
    read(candidate, parentState) {
      const { content, metadata } = candidate
      const answer = readAnswer(content, puzzle)
      const answered = { ...candidate, metadata: { ...metadata, state: `${ANSWER}${answer}` } }
      if (answer !== null && isRight(answer)) return answered
      const applied = applyThought(apply, itemsOf(parentState), content, wrong)
      if (typeof applied === 'string') return answer === null ? applied : answered
      const left = applied.left.map(exactOf).sort(compare)
      return {
        ...candidate,
        content: withLeft(content, left),
        metadata: { ...metadata, state: stateText(left) },
      }
    },
    isComplete: (state) => state.startsWith(ANSWER) || !state.includes(' '),
    /** Of two numbers: the one operation that is left reaches the target, or none does. More would be to solve the puzzle here. */
    settle(state) {
      const numbers = itemsOf(state).map(exactOf)
      if (state.startsWith(ANSWER) || numbers.length !== 2) return null
      const step = nextSteps(numbers).find(({ value }) => equals(value, puzzle.target))
      const reasoning = WORDS[language].settled(state, target, step?.text ?? null)
      if (step === undefined) return { leads: false, reasoning }
      const action_type = ACTION_TYPES[(step.operation as Operation).operator]
      return {
        leads: true,
        reasoning,
        last: { content: operationText(language, step.text, step.left), action_type },
      }
    },
    answerOf(thoughts) {
      const [made, ...more] = follow(apply, puzzle.numbers.map(itemOf), thoughts, wrong)?.left ?? []
      if (made !== undefined && more.length === 0)
        return `${formatExpression(made.expression)} = ${formatRational(made.value)}`
      return readAnswer(thoughts.at(-1) ?? '', puzzle)
    },
    verify(answer) {
      const problem = answerProblem(answer, puzzle, language)
      return problem === null ? { is_valid: true, errors: [] } : { is_valid: false, errors: [problem] }
    },
    trace(thoughts) {
      const steps = follow(apply, puzzle.numbers.map(itemOf), thoughts, wrong)?.steps ?? []
      return steps.map((step, i) => stepLine(language, i + 1, step))
    },
  }
}

const ANSWER = 'answer: '

/** The line with what is really left, where it says something else: nobody is shown both. */
function withLeft(line: string, left: readonly Rational[]): string {
  const wrong = claimedLeft(line).filter(({ numbers }) => !areWrittenFor(numbers, left))
  // From the end, so that places before it stay what they are.
  return wrong.reduceRight((corrected, { from, to }) => {
    const separator = /[,，、]/.exec(line.slice(from, to))?.[0] ?? ''
    const text = left.map(formatRational).join(separator === ',' ? ', ' : separator || ' ')
    return corrected.slice(0, from) + text + corrected.slice(to)
  }, line)
}

function itemsOf(state: string): Item[] {
  const values = state.split(' ').map(parseRational)
  return values.filter((value) => value !== null).map(itemOf)
}

function itemOf(value: Rational): Item {
  return { value, expression: number(value) }
}

/** The result comes last, and is then used first where a number is there twice. */
const apply: Apply<readonly Item[]> = (items, line, wrong) => {
  const first = meantIndex(line.left, items.map(exactOf))
  const rest = items.filter((_, i) => i !== first)
  const second = meantIndex(line.right, rest.map(exactOf))
  const [a, b] = [items[first], rest[second]]
  if (a === undefined || b === undefined) return wrong.notLeft
  if (line.operator === '^') return wrong.noPowers
  const step = stepOf(line, a.value, b.value, wrong)
  if (typeof step === 'string') return step
  const made = { value: step.value, expression: operation(line.operator, a.expression, b.expression) }
  return { left: [...rest.filter((_, i) => i !== second), made], step }
}

function stateText(values: readonly Rational[]): string {
  return [...values].sort(compare).map(formatRational).join(' ')
}

function exactOf({ value }: Item): Rational {
  return value
}

const en = {
  settled: (state: string, target: string, step: string | null) =>
    step ?? `no operation on ${state.replace(' ', ' and ')} comes to ${target}`,
  format: 'each thought is one operation and what is left after it, like "13 - 9 = 4 (left: 4 4 10)"',
  decomposition: ({ numbers, target }: Puzzle) => ({
    thought_granularity: 'equation',
    intermediate_steps: numbers
      .slice(1)
      .map((_, i) => `Step ${i + 1}: combine two of the numbers left into one`),
    depth_estimate: numbers.length - 1,
    constraints: ['use each number exactly once', 'only + - × ÷'],
    success_criteria: `the result is ${formatRational(target)}`,
  }),
}

const zh: typeof en = {
  settled: (state, target, step) => step ?? `${state.replace(' ', ' 和 ')} 经任何运算都得不到 ${target}`,
  format: '每个思维写成一个运算及其后剩余的数字，例如“13 - 9 = 4, 剩余: 4, 4, 10”',
  decomposition: ({ numbers, target }) => ({
    thought_granularity: 'equation',
    intermediate_steps: numbers.slice(1).map((_, i) => `步骤${i + 1}: 从剩余的数字中选两个进行运算`),
    depth_estimate: numbers.length - 1,
    constraints: ['必须使用所有数字各一次', '只能用 + - × ÷'],
    success_criteria: `最终结果等于${formatRational(target)}`,
  }),
}

const WORDS: Readonly<Record<Language, typeof en>> = { en, zh }
