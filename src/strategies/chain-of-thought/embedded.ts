/** How the chain of thought's requests are answered: with a plan of the operations, then step by step, each result checked. */
import {
  countOperations,
  type Expression,
  formatExpression,
  substitute,
} from '../../arithmetic/expression.ts'
import { parseGoal, type Task } from '../../arithmetic/parse-goal.ts'
import { verifyAnswer } from '../../arithmetic/puzzle.ts'
import { equals, formatRational, type Rational } from '../../arithmetic/rational.ts'
import { type Analysis, type Kinds, kind } from '../../models/embedded/kinds.ts'
import { recalledAnswer } from '../../models/embedded/mind.ts'
import { readResult, resultText, subGoal } from '../../models/embedded/results.ts'
import { solutionOf, textsOf } from '../../models/embedded/solution.ts'
import { TOOLS } from '../../models/embedded/tools.ts'
import type { Words } from '../../models/embedded/words.ts'
import type { Language } from '../../protocol/index.ts'
import type { Plan, PlanStep, Thought } from './schema.ts'

export interface CotInput {
  readonly problem: string
  /** The last ones. */
  readonly thoughts: readonly { readonly planning: Plan }[]
  readonly plan: Plan
  /** This one included. */
  readonly thoughtsLeft: number
}

type Reply = Omit<Thought, 'thought_number'>

export const embedded: Kinds = { 'cot/think': kind<CotInput>(think, ({ problem }) => problem) }

async function think(analysis: Analysis, { plan, thoughts, thoughtsLeft }: CotInput): Promise<Reply> {
  const { task, words, mind } = analysis
  const say = SAY[task.language]
  if (plan.length === 0) {
    const planning = planOf(task, words)
    const steps = stepsIn(planning).length
    const current_thinking = mind.isExact ? say.begin(steps) : say.beginUnsure(steps)
    return { current_thinking, planning, next_thought_needed: true }
  }
  const errors = await errorsIn(plan, analysis)
  if (errors.size > 0) {
    const evaluation = [...errors.values()].map(({ said, right }) => say.wrong(said, right)).join(' ')
    const planning = reopened(plan, errors, say)
    return { evaluation, current_thinking: say.again, planning, next_thought_needed: true }
  }
  const gained = resultsIn(plan).filter(
    (result) => !resultsIn(thoughts.at(-2)?.planning ?? []).includes(result),
  )
  const evaluation = gained.length === 0 ? say.planHolds : say.holds(words.list(gained))
  const open = stepsIn(plan).filter(({ status }) => status !== 'Done').length
  const isLast = thoughtsLeft <= 1
  if (open > 0 && !isLast) {
    const lines: string[] = []
    const planning = await worked(plan, analysis, Math.ceil(open / (thoughtsLeft - 1)), lines)
    return { evaluation, current_thinking: words.join(lines), planning, next_thought_needed: true }
  }
  const planning = open === 0 ? plan : await worked(plan, analysis, open, [])
  return {
    evaluation,
    current_thinking: await conclusion(analysis, planning),
    planning,
    next_thought_needed: false,
  }
}

/** A plan must not be longer than a prompt can show. */
const MAX_STEPS = 50
const MAX_DEPTH = 5

/** The operations, each below the one that needs it; of very long expressions only the outer ones. */
function planOf(task: Task, words: Words): Plan {
  if (task.type === 'reach') {
    const say = SAY[task.language]
    const numbers = words.list(task.puzzle.numbers.map(formatRational))
    return [say.find(formatRational(task.puzzle.target), numbers), say.verify].map(pending)
  }
  const [single, ...others] = task.expressions
  for (let depth = MAX_DEPTH; ; depth--) {
    const seen = new Set<string>()
    const parts = (expressions: readonly Expression[]) =>
      expressions.flatMap((part) => stepFor(part, depth, seen, words))
    const plan =
      single === undefined || others.length > 0
        ? parts(task.expressions)
        : [...parts(operandsOf(single)), pending(subGoal(single, words))]
    if (stepsIn(plan).length <= MAX_STEPS || depth === 1) return plan
  }
}

/** A part that occurs twice is worked out once. */
function stepFor(expression: Expression, depth: number, seen: Set<string>, words: Words): PlanStep[] {
  const name = formatExpression(expression)
  if (seen.has(name)) return []
  seen.add(name)
  const operands = depth > 1 ? operandsOf(expression) : []
  const below = operands.flatMap((part) => stepFor(part, depth - 1, seen, words))
  const step = pending(subGoal(expression, words))
  return [below.length === 0 ? step : { ...step, sub_steps: below }]
}

/** The operands that have to be worked out themselves. */
function operandsOf(expression: Expression): Expression[] {
  if (expression.type === 'number') return []
  if (expression.type === 'negation') return operandsOf(expression.of)
  return [expression.left, expression.right].filter((part) => countOperations(part) > 0)
}

function pending(description: string): PlanStep {
  return { description, status: 'Pending' }
}

/** The result of a step, given the results so far, and the line that says how it was found. */
async function found(
  step: PlanStep,
  analysis: Analysis,
  plan: Plan,
): Promise<{ result: string; line: string }> {
  const { task, mind } = analysis
  const say = SAY[task.language]
  if (task.type === 'reach') {
    const said =
      step.description === say.verify
        ? await verified(analysis, plan)
        : (textsOf(await solutionOf(analysis))[0] ?? '')
    return { result: said, line: said }
  }
  const expression = expressionOf(step)
  if (expression === null) return { result: say.unknown, line: say.unknown }
  const known = valuesIn(plan)
  // To be checked it is worked out again.
  known.delete(formatExpression(expression))
  const left = substitute(expression, (part) => known.get(formatExpression(part)))
  const end = await mind.workOut(mind.isExact ? expression : left)
  if (!end.ok) {
    const result = `${formatExpression(expression)}: ${end.why}`
    return { result, line: result }
  }
  const steps = [expression, left].map(formatExpression)
  const line = [...new Set([...steps, formatRational(end.value)])].join(' = ')
  return { result: resultText(expression, end.value), line }
}

function expressionOf({ description }: PlanStep): Expression | null {
  const task = parseGoal(description)
  return task?.type === 'compute' ? (task.expressions[0] ?? null) : null
}

/** The values of Done steps, by expression. */
function valuesIn(plan: Plan): Map<string, Rational> {
  const values = new Map<string, Rational>()
  for (const { status, result = '' } of stepsIn(plan)) {
    const read = status === 'Done' ? readResult(result) : null
    if (read !== null && read.expression !== null) values.set(read.expression, read.value)
  }
  return values
}

/** What the expression that was found comes to. The abacus has seen to that already. */
async function verified({ task, mind }: Analysis, plan: Plan): Promise<string> {
  const say = SAY[task.language]
  if (mind.isExact || task.type !== 'reach') return say.verified
  const answer = recalledAnswer(mind, resultsIn(plan))
  if (!answer?.ok) return say.unknown
  const end = await mind.workOut(answer.expression)
  return end.ok ? resultText(answer.expression, end.value) : say.unknown
}

/** The plan with its next steps done: steps in doubt first, sub-steps before the step that needs them. */
async function worked(plan: Plan, analysis: Analysis, count: number, lines: string[]): Promise<Plan> {
  let now = plan
  for (let i = 0; i < count; i++) {
    const doubtful = stepsIn(now).some(({ status }) => status === 'Verification Needed')
    const wanted = doubtful ? 'Verification Needed' : 'Pending'
    const next = stepsIn(now).find(({ status }) => status === wanted)
    if (next === undefined) break
    now = await finished(now, next, analysis, lines)
    // With its last sub-step a step is Done: its own result belongs to the same thought.
    for (let above = finishedAbove(now); above !== undefined; above = finishedAbove(now))
      now = await finished(now, above, analysis, lines)
    // Without a solution there is nothing to verify.
    if (analysis.task.type === 'reach' && (await solutionOf(analysis)).lines.length === 0)
      now = now.slice(0, 1)
  }
  return now
}

async function finished(plan: Plan, next: PlanStep, analysis: Analysis, lines: string[]): Promise<Plan> {
  const { result, line } = await found(next, analysis, plan)
  lines.push(line)
  return changed(plan, (step) => (step === next ? done(step, result) : step))
}

/** The first step that is open although its sub-steps are all Done. */
function finishedAbove(plan: Plan): PlanStep | undefined {
  return stepsIn(plan).find(
    ({ status, sub_steps }) => status === 'Pending' && sub_steps?.every((step) => step.status === 'Done'),
  )
}

function done({ description, sub_steps }: PlanStep, result: string): PlanStep {
  return { description, status: 'Done', result, ...(sub_steps === undefined ? {} : { sub_steps }) }
}

type Errors = Map<PlanStep, { said: string; right: string }>

/** Done steps whose results are wrong: all are worked out again, whoever wrote them. */
async function errorsIn(plan: Plan, analysis: Analysis): Promise<Errors> {
  const errors: Errors = new Map()
  for (const step of stepsIn(plan)) {
    const { status, result: said } = step
    if (status !== 'Done' || said === undefined) continue
    const { result: right } = await found(step, analysis, plan)
    if (said !== right && !says(said, right, analysis)) errors.set(step, { said, right })
  }
  return errors
}

/** Whether both say the same: the bare value, or another expression for the target. */
function says(said: string, right: string, { task, mind }: Analysis): boolean {
  if (task.type === 'reach') return mind.isExact && verifyAnswer(said, task.puzzle).ok
  const [one, other] = [readResult(said), readResult(right)]
  return one !== null && other !== null && equals(one.value, other.value)
}

/** Wrong steps are in doubt, and the steps that depend on them are open again. */
function reopened(plan: Plan, errors: Errors, say: Say): Plan {
  return plan.map((step) => {
    const { description, sub_steps } = step
    const error = errors.get(step)
    const below = sub_steps === undefined ? {} : { sub_steps: reopened(sub_steps, errors, say) }
    if (error !== undefined) {
      const mark = say.wrong(error.said, error.right)
      return { description, status: 'Verification Needed' as const, mark, ...below }
    }
    const isOpen = below.sub_steps?.some(({ status }) => status !== 'Done') ?? false
    return isOpen ? { description, status: 'Pending' as const, ...below } : { ...step, ...below }
  })
}

function changed(plan: Plan, change: (step: PlanStep) => PlanStep): Plan {
  return plan.map((given) => {
    const step = change(given)
    return step.sub_steps === undefined ? step : { ...step, sub_steps: changed(step.sub_steps, change) }
  })
}

/** All steps, sub-steps before the step that needs them. */
function stepsIn(plan: Plan): PlanStep[] {
  return plan.flatMap((step) => [...stepsIn(step.sub_steps ?? []), step])
}

function resultsIn(plan: Plan): string[] {
  return stepsIn(plan).flatMap(({ status, result }) =>
    status === 'Done' && result !== undefined ? result : [],
  )
}

/** A chain of thought has no tools: it says that the file is not written. */
async function conclusion(analysis: Analysis, plan: Plan): Promise<string> {
  const { task, words } = analysis
  const texts = textsOf(await solutionOf(analysis, { told: resultsIn(plan), inSteps: true }))
  if (task.file === null) return words.join(texts)
  return words.join([...texts, `${words.notWritten(task.file)}: ${words.noWriter(TOOLS.write)}`])
}

const en = {
  begin: (steps: number) =>
    `This can be worked out exactly, in ${steps} ${steps === 1 ? 'step' : 'steps'}, the innermost first.`,
  beginUnsure: (steps: number) =>
    `This can be worked out in ${steps} ${steps === 1 ? 'step' : 'steps'}, the innermost first.`,
  find: (target: string, numbers: string) =>
    `find an expression for ${target} that uses ${numbers}, each once`,
  verify: 'verify the expression',
  verified: 'it uses each number once, and its value is the target',
  unknown: 'this is no arithmetic, and nothing rests on it',
  planHolds: 'The plan covers the whole problem.',
  holds: (results: string) => `Computed again: ${results}. It holds.`,
  wrong: (said: string, right: string) => `"${said}" does not hold: ${right}.`,
  again: 'The step is in doubt, and what rests on it is open again.',
}

type Say = typeof en

const zh: Say = {
  begin: (steps) => `这道题可以精确算出，共 ${steps} 步，从最内层开始。`,
  beginUnsure: (steps) => `这道题共 ${steps} 步，从最内层开始。`,
  find: (target, numbers) => `找一个值为 ${target} 的式子，${numbers} 各用一次`,
  verify: '验证这个式子',
  verified: '每个数各用一次，且值为目标',
  unknown: '这不是算术，也没有什么依赖它',
  planHolds: '计划覆盖了整个问题。',
  holds: (results) => `重新计算：${results}。成立。`,
  wrong: (said, right) => `“${said}”不成立：${right}。`,
  again: '这一步存疑，依赖它的步骤重新打开。',
}

const SAY: Readonly<Record<Language, Say>> = { en, zh }
