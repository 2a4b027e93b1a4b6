/** Asks the Planner. An answer that breaks a rule is refused by the rule's name, and asked for again. */
import { Conversation } from '../../kernel/brief/conversation.ts'
import { valueText } from '../../kernel/brief/value-text.ts'
import { type Goal, isObject } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { thinkingContext } from './context-json.ts'
import { contextSections } from './context-sections.ts'
import { callProblem } from './execute.ts'
import {
  type ExecutorDescription,
  executorEntries,
  executorsOf,
  executorTools,
  strategyCall,
} from './executor-call.ts'
import { actBrief, planBrief } from './prompts.ts'
import { type BrokenRule, checkedBy, type Refusals } from './rules/refusals.ts'
import { type Situation, violationsOf, warningsOf } from './rules/violations.ts'
import type { Attempt, ExecutorCall, Learned, PlanNext, PlannerContext } from './schema.ts'

/** One `plan-next`. */
export async function askPlan(
  context: PlannerContext,
  learned: Learned,
  refusals: Refusals,
): Promise<PlanNext> {
  const executors = executorEntries(context)
  const situation = situationOf(context, learned.attempts, executors)
  const conversation = new Conversation(contextSections(context))
  let wasMixed = false
  context.emit('planner/context-given', thinkingContext(context))
  const plan = await refusals.ask<PlanNext>({
    conversation,
    brief: (problems) => planBrief(context, conversation, { executors, problems, learned }),
    check(reply) {
      const value = withoutNulls(tryValue(reply)) as PlanNext
      const broken: BrokenRule[] = violationsOf(value, situation)
      if (broken.length === 0) {
        if (wasMixed && value.plan_type !== 'PLAN_PROBES') broken.push(STILL_MIXED)
        if (value.executor_call !== undefined) broken.push(...badInputs(context, value.executor_call))
      }
      wasMixed ||= broken.some(({ name }) => name === STILL_MIXED.name)
      return checkedBy(broken, value)
    },
  })
  for (const warning of warningsOf(plan)) context.emit('planner/plan-warned', { warning })
  return { ...plan, new_block: { ...plan.new_block, goal: inFourParts(plan.new_block.goal) } }
}

/** A goal may have more parts than the four: they limit it as its constraint does, and none is lost. */
function inFourParts(goal: Goal): Goal {
  if (typeof goal === 'string') return goal
  const { intent, deliverable, metric, constraint, ...more } = goal
  const others = Object.entries(more).map(([name, part]) => `${name}: ${valueText(part)}`)
  return { intent, deliverable, metric, constraint: [constraint, ...others].filter(Boolean).join('; ') }
}

/** The document writes `object | null` and `List | None` for optional fields; models write null for what is empty, too. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value
  const given = Object.entries(value).filter(([name, field]) => field !== null || !OPTIONAL.has(name))
  const { new_block: block, executor_call: call, ...others } = Object.fromEntries(given)
  return {
    ...others,
    ...(block !== undefined && { new_block: withGoalParts(block) }),
    ...(call !== undefined && { executor_call: withInputs(call) }),
  }
}

function withGoalParts(block: unknown): unknown {
  if (!isObject(block) || !isObject(block.goal)) return block
  const parts = Object.entries(block.goal).map(([name, part]) => [name, part ?? ''])
  return { ...block, goal: Object.fromEntries(parts) }
}

function withInputs(call: unknown): unknown {
  return isObject(call) && call.inputs === null ? { ...call, inputs: {} } : call
}

const OPTIONAL: ReadonlySet<string> = new Set(['success_signal', 'executor_call', 'update_plan'])

/** One `executor_call` where there is no depth left to plan, or why none is possible. */
export async function askCall(
  context: PlannerContext,
  refusals: Refusals,
): Promise<ExecutorCall | { readonly cannot: string }> {
  // No strategies: one would need a block of its own.
  const executors = executorsOf(executorTools(context))
  const situation = situationOf(context, [], executors)
  const conversation = new Conversation(contextSections(context))
  return refusals.ask<ExecutorCall | { readonly cannot: string }>({
    conversation,
    brief: (problems) => actBrief(context, conversation, { executors, problems }),
    check(reply) {
      const value = withInputs(tryValue(reply)) as ExecutorCall & { readonly cannot: string }
      if (typeof value?.cannot === 'string') return { ok: true, value }
      // The rules are those of a call in a plan-next.
      const new_block = { goal: '-', plan: [], done: [] }
      const plan = { type: 'plan-next', plan_type: 'EXECUTE', new_block, executor_call: value }
      const broken = violationsOf(plan, situation)
      return checkedBy(broken.length === 0 ? badInputs(context, value) : broken, value)
    },
  })
}

/** A plan that mixed steps and hypotheses must come back as probes. */
const STILL_MIXED: BrokenRule = {
  name: 'PLAN_MIXED',
  where: 'plan_type',
  message:
    'The plan before mixed steps and hypotheses: it must come back as PLAN_PROBES, because evidence comes first.',
}

function situationOf(
  context: PlannerContext,
  attempts: readonly Attempt[],
  executors: readonly ExecutorDescription[],
): Situation {
  const given = [JSON.stringify(thinkingContext(context))]
  return { attempts, executors: executors.map(({ id }) => id), given }
}

/** Only the executor knows which inputs it takes. */
function badInputs(context: PlannerContext, call: ExecutorCall): BrokenRule[] {
  if (strategyCall(call, context.options.strategies) !== null) return []
  const message = callProblem(context, call)
  return message === null ? [] : [{ name: 'CALL_BAD_INPUTS', where: 'executor_call', message }]
}
