/**
 * How the Tree of Thoughts' requests are answered: legal steps, ranked cheaply, and values that are not exact, so that there is
 * something to search for.
 */
import {
  countOperations,
  type Expression,
  formatExpression,
  type Operation,
} from '../../arithmetic/expression.ts'
import type { Task } from '../../arithmetic/parse-goal.ts'
import { nextSteps, type Puzzle, type Step } from '../../arithmetic/puzzle.ts'
import { type Estimate, estimateState } from '../../arithmetic/puzzle-estimate.ts'
import { formatRational, parseRational, type Rational } from '../../arithmetic/rational.ts'
import { parseExpression } from '../../arithmetic/read-expression.ts'
import { compute, resultText } from '../../models/embedded/abacus/decompose.ts'
import { type Analysis, type Kind, type Kinds, kind } from '../../models/embedded/abacus/kinds.ts'
import type { Words } from '../../models/embedded/abacus/words.ts'
import { type Language, ThinkonError } from '../../protocol/index.ts'
import { ACTION_TYPES, operationText } from './domains/operation-line.ts'

interface TotInput {
  readonly problem: string
}

interface EvaluateInput extends TotInput {
  /** What is left: numbers of a puzzle, or expressions. */
  readonly state?: unknown
}

interface GenerateInput extends EvaluateInput {
  readonly num_candidates: number
  readonly draw?: { readonly n: number; readonly of: number }
}

interface VoteInput extends TotInput {
  readonly candidates: readonly { readonly node_id: string; readonly state?: unknown }[]
}

const onProblem = <Input extends TotInput>(answer: (analysis: Analysis, input: Input) => unknown): Kind =>
  kind<Input>(
    (analysis, input) => answer(withoutFile(analysis), input),
    ({ problem }) => problem,
  )

export const abacus: Kinds = {
  'tot/task-type': onProblem(() => ({ task_type: 'math_reasoning', reason: 'arithmetic' })),
  'tot/decompose': onProblem(({ task }) => decomposition(task)),
  'tot/generate': onProblem<GenerateInput>(generate),
  'tot/evaluate': onProblem<EvaluateInput>(({ task }, { state }) => evaluation(task, state)),
  'tot/vote': onProblem<VoteInput>(({ task }, { candidates }) => ({
    evaluations: candidates.map(({ node_id, state }) => ({ node_id, ...evaluation(task, state) })),
  })),
}

/** Thoughts write no files. */
function withoutFile(analysis: Analysis): Analysis {
  const { task, words } = analysis
  if (task.file === null) return analysis
  throw new ThinkonError('NO_MODEL', `${words.notWritten(task.file)}\n${words.connect}`)
}

function decomposition(task: Task): object {
  const texts = TEXTS[task.language]
  const depth =
    task.type === 'reach'
      ? task.puzzle.numbers.length - 1
      : Math.max(1, ...task.expressions.map(countOperations))
  const target = task.type === 'reach' ? formatRational(task.puzzle.target) : ''
  return {
    thought_granularity: 'equation',
    intermediate_steps: task.type === 'reach' ? texts.steps(depth, target) : texts.reductions,
    depth_estimate: depth,
    constraints: task.type === 'reach' ? texts.rules : [],
    success_criteria: task.type === 'reach' ? texts.reached(target) : texts.computed,
  }
}

function generate({ task, words }: Analysis, { state, num_candidates: most, draw }: GenerateInput): object {
  const candidates =
    task.type === 'reach'
      ? puzzleSteps(task.puzzle, numbersOf(task.puzzle, state), task.language)
      : reductions(expressionsOf(task.expressions, state), words)
  const shown = draw === undefined ? candidates.slice(0, most) : candidates.slice(draw.n - 1, draw.n)
  return { candidates: shown }
}

/** The most promising first; of those that lead to the same state only one. */
function puzzleSteps({ target }: Puzzle, numbers: readonly Rational[], language: Language): object[] {
  const states = new Map<string, Step>()
  for (const step of nextSteps(numbers)) {
    const state = step.left.map(formatRational).join(' ')
    if (!states.has(state)) states.set(state, step)
  }
  const ranked = [...states.values()].map((step) => ({
    step,
    score: estimateState({ numbers: step.left, target }).score,
  }))
  ranked.sort((a, b) => b.score - a.score)
  return ranked.map(({ step: { text, left, operation } }) => ({
    content: operationText(language, text, left),
    action_type: ACTION_TYPES[(operation as Operation).operator],
  }))
}

/** Every operation on two numbers. One that has no value is an error: there is no way around it. */
function reductions(expressions: readonly Expression[], words: Words): object[] {
  const found = new Map<string, object>()
  const visit = (part: Expression): void => {
    if (part.type === 'negation') visit(part.of)
    if (part.type !== 'operation') return
    if (part.left.type !== 'number' || part.right.type !== 'number') {
      visit(part.left)
      visit(part.right)
      return
    }
    const computed = compute(part)
    if (!computed.ok) {
      const why = words.arithmetic[computed.why.reason]
      throw new ThinkonError('MODEL_ERROR', `${formatExpression(part)}: ${why}`)
    }
    const content = resultText(part, computed.value)
    found.set(content, { content, action_type: ACTION_TYPES[part.operator] })
  }
  for (const expression of expressions) visit(expression)
  return [...found.values()]
}

function evaluation(task: Task, state: unknown): object {
  const texts = TEXTS[task.language]
  if (task.type === 'compute') return { score: 10, confidence: 1, reasoning: texts.exact }
  const { score, confidence } = estimateState({ ...task.puzzle, numbers: numbersOf(task.puzzle, state) })
  return { score, confidence, reasoning: texts.worth({ score, confidence }) }
}

function numbersOf({ numbers }: Puzzle, state: unknown): readonly Rational[] {
  const left = typeof state === 'string' ? state.split(' ').map(parseRational) : [...numbers]
  return left.filter((value) => value !== null)
}

function expressionsOf(given: readonly Expression[], state: unknown): readonly Expression[] {
  if (typeof state !== 'string') return given
  return state.split('; ').flatMap((text) => parseExpression(text) ?? [])
}

const en = {
  steps: (depth: number, target: string) =>
    Array.from({ length: depth }, (_, i) =>
      i === depth - 1
        ? `Step ${i + 1}: reach ${target}`
        : `Step ${i + 1}: combine two of the numbers into one`,
    ),
  reductions: ['compute one operation whose operands are numbers', 'go on until a number is left'],
  rules: ['use each number exactly once', 'only + - × ÷'],
  reached: (target: string) => `the result is ${target}`,
  computed: 'the exact value',
  exact: 'every operation is computed exactly',
  worth: ({ score, confidence }: Estimate): string =>
    confidence === 1
      ? score > 0
        ? 'one operation reaches the target'
        : 'no operation reaches the target'
      : score > 5
        ? 'a number needs just what the others make'
        : 'nothing fits at first sight',
}

const zh: typeof en = {
  steps: (depth, target) =>
    Array.from({ length: depth }, (_, i) =>
      i === depth - 1 ? `步骤${i + 1}: 得到目标数字${target}` : `步骤${i + 1}: 选择两个数字进行运算`,
    ),
  reductions: ['计算一个两边都是数字的运算', '重复，直到只剩一个数字'],
  rules: ['必须使用所有数字各一次', '只能用 + - × ÷'],
  reached: (target) => `最终结果等于${target}`,
  computed: '精确的值',
  exact: '每个运算都精确计算',
  worth: ({ score, confidence }) =>
    confidence === 1
      ? score > 0
        ? '一次运算即可得到目标'
        : '任何运算都得不到目标'
      : score > 5
        ? '其余数字正好能组成某个数字所需要的数'
        : '一眼看不出能凑成目标',
}

const TEXTS: Readonly<Record<Language, typeof en>> = { en, zh }
