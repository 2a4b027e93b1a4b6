/** How the Tree of Thoughts' requests are answered: with moves, and with what the states are worth that they lead to. */
import { countOperations, type Expression, numbersIn } from '../../arithmetic/expression.ts'
import type { Task } from '../../arithmetic/parse-goal.ts'
import type { Puzzle } from '../../arithmetic/puzzle.ts'
import type { Estimate } from '../../arithmetic/puzzle-estimate.ts'
import { compare, equals, formatRational, parseRational, type Rational } from '../../arithmetic/rational.ts'
import { parseExpression } from '../../arithmetic/read-expression.ts'
import { type Analysis, type Kind, type Kinds, kind } from '../../models/embedded/kinds.ts'
import { isMove, type Offer, withResults } from '../../models/embedded/mind.ts'
import { readResult, resultText } from '../../models/embedded/results.ts'
import { solutionOf, textsOf } from '../../models/embedded/solution.ts'
import { type Language, ThinkonError } from '../../protocol/index.ts'
import { ACTION_TYPES, operationText } from './domains/operation-line.ts'

interface TotInput {
  readonly problem: string
}

interface StateInput extends TotInput {
  /** What is left: numbers of a puzzle, or expressions; where no program knows that, the thoughts say it. */
  readonly state?: unknown
  readonly thoughts?: readonly string[]
}

interface GenerateInput extends StateInput {
  readonly num_candidates: number
  readonly draw?: { readonly n: number; readonly of: number }
}

interface EvaluateInput extends StateInput {
  /** The last thought. */
  readonly content?: string
}

interface VoteInput extends TotInput {
  readonly candidates: readonly (Omit<EvaluateInput, 'problem'> & { readonly node_id: string })[]
}

const onProblem = <Input extends TotInput>(answer: (analysis: Analysis, input: Input) => unknown): Kind =>
  kind<Input>(
    (analysis, input) => answer(withoutFile(analysis), input),
    ({ problem }) => problem,
  )

export const embedded: Kinds = {
  'tot/task-type': onProblem(() => ({ task_type: 'math_reasoning', reason: 'arithmetic' })),
  'tot/decompose': onProblem(({ task }) => decomposition(task)),
  'tot/generate': onProblem<GenerateInput>(generate),
  'tot/evaluate': onProblem<EvaluateInput>(evaluation),
  'tot/vote': onProblem<VoteInput>(async (analysis, { candidates }) => {
    const values = await Promise.all(candidates.map((candidate) => evaluation(analysis, candidate)))
    return { evaluations: candidates.map(({ node_id }, i) => ({ node_id, ...values[i] })) }
  }),
  'tot/synthesize': onProblem<StateInput>(synthesis),
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

async function generate(
  { task, mind }: Analysis,
  { num_candidates: most, draw, ...state }: GenerateInput,
): Promise<object> {
  const wanted = { most, draw }
  if (task.type === 'compute') {
    const moves = await mind.reductions(expressionsOf(task.expressions, state), wanted)
    return { candidates: moves.map((move) => candidate(move, (text) => text)) }
  }
  const numbers = numbersOf(task.puzzle, state)
  const moves = await mind.moves({ ...task.puzzle, numbers }, wanted)
  const text = (step: string, left: readonly Rational[] | null) =>
    left === null ? step : operationText(task.language, step, left)
  return { candidates: moves.map((move) => candidate(move, (step) => text(step, leftAfter(move, numbers)))) }
}

function candidate(move: Offer, textOf: (step: string) => string): object {
  if (!isMove(move)) return { content: move.said, action_type: 'thought' }
  const { operation, value } = move
  const content = textOf(resultText(operation, value))
  return {
    content,
    action_type: operation.type === 'operation' ? ACTION_TYPES[operation.operator] : 'thought',
  }
}

/** The numbers that a move leaves, the smallest first; null where it uses others than there are. */
function leftAfter(move: Offer, numbers: readonly Rational[]): readonly Rational[] | null {
  if (!isMove(move)) return null
  const left = [...numbers]
  for (const used of numbersIn(move.operation)) {
    const at = left.findIndex((value) => equals(value, used))
    if (at < 0) return null
    left.splice(at, 1)
  }
  return [...left, move.value].sort(compare)
}

async function evaluation(
  analysis: Analysis,
  input: Omit<EvaluateInput, 'problem'>,
): Promise<Estimate & { reasoning: string }> {
  const { task, mind } = analysis
  const texts = TEXTS[task.language]
  if (task.type === 'compute' && !mind.isExact) return again(analysis, input)
  if (task.type === 'compute') return { score: 10, confidence: 1, reasoning: texts.exact }
  const worth = await mind.worth({ ...task.puzzle, numbers: numbersOf(task.puzzle, input) })
  const { score, confidence } = worth
  return { score, confidence, reasoning: mind.isExact ? texts.worth(worth) : texts.feels(worth) }
}

/** The operation of a thought, done once more. */
async function again(
  { task, mind }: Analysis,
  { content = '' }: Omit<EvaluateInput, 'problem'>,
): Promise<Estimate & { reasoning: string }> {
  const texts = TEXTS[task.language]
  const said = readResult(content)
  const expression = parseExpression(content.split(' = ')[0] ?? '')
  if (said === null || expression === null) return { score: 0, confidence: 0.5, reasoning: texts.unread }
  const found = await mind.value(expression)
  const isSame = found.ok && equals(found.value, said.value)
  const text = found.ok ? resultText(expression, found.value) : found.why
  return { score: isSame ? 8 : 2, confidence: 0.5, reasoning: texts.again(text) }
}

/** Asked only where no program knows what the thoughts come to. */
async function synthesis(analysis: Analysis, { thoughts = [] }: StateInput): Promise<object> {
  const known = withResults(analysis.task.type === 'reach' ? [] : analysis.task.expressions, thoughts)
  const solution = await solutionOf(analysis, { known, inSteps: true })
  const is_valid = solution.status === 'completed'
  return {
    answer: analysis.words.join(textsOf(solution)),
    reasoning_trace: thoughts,
    confidence: is_valid ? 0.5 : 0,
    verification: { is_valid, validation_errors: solution.reason === undefined ? [] : [solution.reason] },
  }
}

function numbersOf({ numbers }: Puzzle, { state }: Pick<StateInput, 'state'>): readonly Rational[] {
  const left = typeof state === 'string' ? state.split(' ').map(parseRational) : [...numbers]
  return left.filter((value) => value !== null)
}

function expressionsOf(
  given: readonly Expression[],
  { state, thoughts = [] }: Pick<StateInput, 'state' | 'thoughts'>,
): readonly Expression[] {
  if (typeof state !== 'string') return withResults(given, thoughts)
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
  again: (text: string) => `worked out again: ${text}`,
  unread: 'it is no operation',
  feels: ({ score }: Estimate) => `solvable with a probability of ${Math.round(score * 10)}%`,
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
  again: (text) => `重新计算：${text}`,
  unread: '不是一个运算',
  feels: ({ score }) => `可解的概率为 ${Math.round(score * 10)}%`,
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
