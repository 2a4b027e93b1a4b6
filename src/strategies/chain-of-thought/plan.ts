/** Plans: which step is next, what changed, what breaks the rules, and how a plan is written. Pure functions. */
import { oneLine } from '../../protocol/index.ts'
import type { Plan, PlanStep, StepStatus } from './schema.ts'
import { stepMark } from './views/thought-chain.ts'

export interface PlacedStep {
  /** Its number in the plan: 2.1 is the first sub-step of the second step. */
  readonly number: string
  readonly step: PlanStep
}

/** Every step, sub-steps after their parent. */
export function stepsOf(plan: Plan, above = ''): PlacedStep[] {
  return plan.flatMap((step, i) => {
    const number = `${above}${i + 1}`
    return [{ number, step }, ...stepsOf(step.sub_steps ?? [], `${number}.`)]
  })
}

/** The step to do now: steps that need verification before Pending ones, sub-steps before their parent. */
export function nextStep(plan: Plan): PlacedStep | null {
  const open = inOrderOfWork(plan).filter(({ step }) => step.status !== 'Done')
  const doubted = open.find(({ step }) => step.status === 'Verification Needed')
  // What is open below a step in doubt comes first: the step can't be Done before.
  return open.find(({ number }) => doubted === undefined || isAtOrBelow(number, doubted.number)) ?? null
}

function isAtOrBelow(number: string, other: string): boolean {
  return `${number}.`.startsWith(`${other}.`)
}

function inOrderOfWork(plan: Plan, above = ''): PlacedStep[] {
  return plan.flatMap((step, i) => {
    const number = `${above}${i + 1}`
    return [...inOrderOfWork(step.sub_steps ?? [], `${number}.`), { number, step }]
  })
}

export function openSteps(plan: Plan): PlacedStep[] {
  return stepsOf(plan).filter(({ step }) => step.status !== 'Done')
}

/** Steps that are Done before their sub-steps are: a line for each. */
export function statusProblems(plan: Plan): string[] {
  return stepsOf(plan).flatMap(({ number, step: { status, sub_steps } }) => {
    const open = sub_steps?.findIndex((step) => step.status !== 'Done') ?? -1
    return status === 'Done' && open >= 0
      ? `step ${number} is Done, and its sub-step ${number}.${open + 1} is not: a step is Done when all its sub_steps are`
      : []
  })
}

/** A step whose sub-steps are all Done is Done, too, unless it is in doubt itself. */
export function settledStatus(status: StepStatus, subSteps: Plan): StepStatus {
  const isDone = subSteps.length > 0 && subSteps.every((step) => step.status === 'Done')
  return isDone && status === 'Pending' ? 'Done' : status
}

/** The results there are, each with its step. */
export function resultsOf(plan: Plan): { number: string; description: string; result: string }[] {
  return stepsOf(plan).flatMap(({ number, step: { description, status, result } }) =>
    status === 'Done' && result !== undefined ? { number, description, result } : [],
  )
}

export function resultsText(plan: Plan): string {
  return resultsOf(plan)
    .map(({ description, result }) => `- ${oneLine(description)}: ${result}`)
    .join('\n')
}

/** Results that only the later plan has. */
export function gainedResults(before: Plan, after: Plan): ReturnType<typeof resultsOf> {
  const had = new Set(resultsOf(before).map(({ description, result }) => `${description}\n${result}`))
  return resultsOf(after).filter(({ description, result }) => !had.has(`${description}\n${result}`))
}

/** A step that is Done in both plans keeps the result that it had, where the later plan does not repeat it. */
export function withEarlierResults(before: Plan, after: Plan): Plan {
  const had = new Map(
    stepsOf(before).flatMap(({ step }) =>
      step.status === 'Done' && step.result !== undefined ? [[stepKey(step), step.result] as const] : [],
    ),
  )
  return had.size === 0 ? after : keepResults(after, had)
}

function keepResults(plan: Plan, had: ReadonlyMap<string, string>): Plan {
  return plan.map((step) => {
    const result = step.result ?? (step.status === 'Done' ? had.get(stepKey(step)) : undefined)
    return {
      ...step,
      ...(result !== undefined && { result }),
      ...(step.sub_steps !== undefined && { sub_steps: keepResults(step.sub_steps, had) }),
    }
  })
}

/** Steps that were Done and no longer are. A step is identified by its description. */
export function reopenedSteps(before: Plan, after: Plan): PlacedStep[] {
  const done = new Set(stepsOf(before).flatMap(({ step }) => (step.status === 'Done' ? stepKey(step) : [])))
  return openSteps(after).filter(({ step }) => done.has(stepKey(step)))
}

function stepKey({ description }: PlanStep): string {
  return oneLine(description.trim().toLowerCase())
}

/** The plan with the step of this number changed. The steps above it are Done if that was the last one, and open if it is open. */
export function withStep(plan: Plan, number: string, change: (step: PlanStep) => PlanStep): Plan {
  const [first = '', ...rest] = number.split('.')
  return plan.map((step, i) => {
    if (i !== Number(first) - 1) return step
    if (rest.length === 0) return change(step)
    const sub_steps = withStep(step.sub_steps ?? [], rest.join('.'), change)
    if (step.status !== 'Done' || openSteps(sub_steps).length === 0)
      return { ...step, status: settledStatus(step.status, sub_steps), sub_steps }
    const { result: _, ...open } = step
    return { ...open, status: 'Pending', sub_steps }
  })
}

/** A nested checklist, for people. */
export function formatPlan(plan: Plan): string {
  return stepsOf(plan)
    .map(({ number, step }) => {
      const { description, result, mark } = step
      const after = [
        result === undefined ? '' : `: ${oneLine(result)}`,
        mark === undefined ? '' : ` (${mark})`,
      ]
      return `${indent(number)}${stepMark(step)} ${number}. ${oneLine(description)}${after.join('')}\n`
    })
    .join('')
}

/** The steps alone, numbered. */
export function planLines(plan: Plan): string[] {
  return stepsOf(plan).map(({ number, step }) => `${number}. ${oneLine(step.description)}`)
}

/** The steps with the results that there are. */
export function planResultLines(plan: Plan): string[] {
  return stepsOf(plan).map(({ number, step }) => {
    const known = step.status === 'Done' ? resultAfter(step) : ''
    return `${number}. ${oneLine(step.description)}${known}`
  })
}

/** For a prompt: every step with its status in words, its result and its mark, whole. Those of `told` stand in the prompt already. */
export function formatPlanForPrompt(plan: Plan, told: ReadonlySet<string> = new Set()): string {
  return stepsOf(plan)
    .map((placed) => promptLine(placed, told))
    .join('')
}

function promptLine({ number, step }: PlacedStep, told: ReadonlySet<string>): string {
  const { description, status, strategy } = step
  const by = strategy === undefined ? '' : ` (strategy: ${oneLine(strategy)})`
  const end = told.has(description) ? ' → (its result is above)' : `${resultAfter(step)}${markAfter(step)}`
  return `${indent(number)}${number}. [${status}] ${oneLine(description)}${by}${end}\n`
}

function resultAfter({ result }: PlanStep): string {
  return result === undefined ? '' : ` → ${oneLine(result)}`
}

export function markAfter({ mark }: PlanStep): string {
  return mark === undefined ? '' : ` — why: ${oneLine(mark)}`
}

function indent(number: string): string {
  return '  '.repeat(number.split('.').length - 1)
}
