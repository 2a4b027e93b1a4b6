/** What the Planner is asked. Of its answers those are taken that break no rule; the others are told by name and asked again. */
import type { Context } from '../../kernel/strategy.ts'
import { tryValue } from '../read-value.ts'
import { contextJson, thinkingContext } from './context-json.ts'
import { callProblem } from './executors/execute.ts'
import { type ExecutorDescription, executorsOf } from './executors/executor-call.ts'
import { executorEntries, executorTools, strategyCall } from './executors/executors.ts'
import type { PlannerOptions } from './options.ts'
import { actPrompt, planPrompt } from './prompts.ts'
import type { Asked, Refusals } from './rules/refusals.ts'
import { type Attempt, isRepetition, type Situation, violationsOf, warningsOf } from './rules/violations.ts'
import type { ExecutorCall, PlanNext } from './schema.ts'

/** One `plan-next`. */
export async function askPlan(
  context: Context<PlannerOptions>,
  attempts: readonly Attempt[],
  refusals: Refusals,
): Promise<PlanNext> {
  const executors = executorEntries(context)
  const situation = situationOf(context, attempts, executors)
  let wasMixed = false
  const plan = await refusals.ask(async (told) => {
    const reply = await context.one(context.model(planPrompt(context, { executors, told })))
    const value = withoutNulls(tryValue(reply)) as PlanNext
    const broken: Broken[] = violationsOf(value, situation)
    if (broken.length === 0) {
      if (wasMixed && value.plan_type !== 'PLAN_PROBES') broken.push(STILL_MIXED)
      if (value.executor_call !== undefined) broken.push(...badInputs(context, value.executor_call))
    }
    wasMixed ||= broken.some(({ name }) => name === STILL_MIXED.name)
    return asked(value, broken)
  })
  for (const warning of warningsOf(plan)) context.emit('planner/plan-warned', { warning })
  return plan
}

/** The document writes `object | null` and `List | None` for what is not there. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => field !== null || !OPTIONAL.has(name)),
  )
}

const OPTIONAL: ReadonlySet<string> = new Set(['success_signal', 'executor_call', 'update_plan'])

/** One `executor_call` where there is no depth to plan, or why there is none. */
export async function askCall(
  context: Context<PlannerOptions>,
  refusals: Refusals,
): Promise<ExecutorCall | { readonly cannot: string }> {
  // A strategy would need a block of its own.
  const executors = executorsOf(executorTools(context))
  const situation = situationOf(context, [], executors)
  return refusals.ask(async (told) => {
    const reply = await context.one(context.model(actPrompt(context, { executors, told })))
    const value = tryValue(reply) as ExecutorCall & { readonly cannot: string }
    if (typeof value?.cannot === 'string') return asked(value, [])
    // It keeps the rules of one in a plan-next.
    const new_block = { goal: '-', plan: [], done: [] }
    const plan = { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call: value }
    const broken: Broken[] = violationsOf(plan, situation)
    return asked(value, broken.length === 0 ? badInputs(context, value) : broken)
  })
}

interface Broken {
  readonly name: string
  readonly where: string
  readonly told: string
}

/** A plan that was mixed can't come back as anything else. */
const STILL_MIXED: Broken = {
  name: 'PLAN_MIXED',
  where: 'plan_type',
  told: 'The plan before mixed steps and hypotheses: it must come back as PLAN_PROBES, because evidence comes first.',
}

function situationOf(
  context: Context<PlannerOptions>,
  attempts: readonly Attempt[],
  executors: readonly ExecutorDescription[],
): Situation {
  const given = [contextJson(thinkingContext(context))]
  return { attempts, executors: executors.map(({ id }) => id), given }
}

/** Only the executor knows which inputs it takes. */
function badInputs(context: Context<PlannerOptions>, call: ExecutorCall): Broken[] {
  if (strategyCall(call, context.options.strategies) !== null) return []
  const told = callProblem(context, call)
  return told === null ? [] : [{ name: 'CALL_BAD_INPUTS', where: 'executor_call', told }]
}

function asked<T>(value: T, broken: readonly Broken[]): Asked<T> {
  return {
    value,
    names: broken.map(({ name }) => name),
    told: broken.map(({ name, where, told }) => `${name}${where === '' ? '' : ` (${where})`}: ${told}`),
    repeats: broken.some(({ name }) => isRepetition(name)),
  }
}
