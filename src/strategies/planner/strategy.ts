/**
 * The Planner, and the Runtime that its document presumes: `plan-next` decides the next child, the Runtime creates and runs it,
 * takes the plan's first item off, and Reflect alone ends a block with `plan-return`.
 */
import type { Answer, Context, Strategy } from '../../kernel/strategy.ts'
import { type Outcome, ThinkonError } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import { depthOf, itemsOf, maxDepth } from './context-json.ts'
import { execute } from './execute.ts'
import { executorEntries, strategyCall } from './executors.ts'
import { checkOptions, limitsOf, type PlannerOptions, type Start } from './options.ts'
import { actPrompt, planPrompt } from './prompts.ts'
import { close, reflect } from './reflect.ts'
import { createRefusals, type Refusals } from './refusals.ts'
import type { ExecutorCall, PlanNext } from './schema.ts'
import { wordsFor } from './sections.ts'
import { type Attempt, isRepetition, violationsOf, warningsOf } from './violations.ts'

export const planner: Strategy<PlannerOptions> = {
  name: 'planner',
  version: 1,
  options: checkOptions,
  limits: limitsOf,
  async solve(context) {
    const refusals = createRefusals(context)
    try {
      return refusals.countedIn(await solve(context, refusals))
    } catch (thrown) {
      return refusals.countedIn(await close(context, thrown))
    }
  },
}

async function solve(context: Context<PlannerOptions>, refusals: Refusals): Promise<Answer> {
  const { start } = context.options
  if (start?.executor_call !== undefined) return execute(context, start.executor_call)
  if (start !== undefined) context.plan(start.plan)
  if (depthOf(context) >= maxDepth(context)) return act(context, refusals)
  if (start?.plan_type === 'PLAN_PROBES') {
    const found = await probe(context, start, refusals)
    if (found !== null) return found
  }
  const failed: Attempt[] = []
  for (let judged = context.block.done.length; ; ) {
    if (context.block.done.length > judged) {
      const answer = await reflect(context, refusals)
      if (answer !== null) return answer
      judged = context.block.done.length
    }
    const next = await planNext(context, failed, refusals)
    const child = await run(context, next)
    refusals.add(child)
    if (child.status !== 'completed' && child.status !== 'skipped') failed.push(attemptOf(next))
  }
}

/** One `plan-next` that breaks no rule. What breaks one is told by name and asked again, three times in all. */
async function planNext(
  context: Context<PlannerOptions>,
  attempts: readonly Attempt[],
  refusals: Refusals,
): Promise<PlanNext> {
  const executors = executorEntries(context)
  const situation = { attempts, executors: executors.map(({ id }) => id) }
  const value = await refusals.ask(async (told) => {
    const reply = await context.one(context.model(planPrompt(context, { executors, told })))
    const given = tryValue(reply)
    const violations = violationsOf(given, situation)
    return {
      value: given as PlanNext,
      names: violations.map(({ name }) => name),
      told: violations.map(({ name, where, told: text }) => `${name} (${where}): ${text}`),
      repeats: violations.some(({ name }) => isRepetition(name)),
    }
  })
  for (const warning of warningsOf(value)) context.emit('planner/plan-warned', { warning })
  return value
}

/** Creates the child and runs it; then its plan item is taken off, or kept when the child did not complete. */
async function run(context: Context<PlannerOptions>, next: PlanNext): Promise<Outcome> {
  const { new_block, plan_type, success_signal, executor_call, update_plan } = next
  const [worked] = itemsOf(context.block.todo)
  if (update_plan !== undefined) context.plan(update_plan)
  const named = executor_call === undefined ? null : strategyCall(executor_call, context.options.strategies)
  const start: Start = {
    plan_type,
    plan: new_block.plan,
    ...(success_signal !== undefined && { success_signal }),
    ...(executor_call !== undefined && { executor_call }),
  }
  const child = await context.one(
    named === null
      ? context.call(new_block.goal, { options: { ...context.options, start } })
      : context.call(named.goal ?? new_block.goal, { strategy: named.strategy }),
  )
  const plan = itemsOf(context.block.todo)
  if (child.status === 'completed' || child.status === 'skipped') {
    if (update_plan === undefined && worked !== undefined) context.plan(plan.slice(1))
  } else if (worked !== undefined && !plan.includes(worked)) context.plan([worked, ...plan])
  return child
}

/** Each hypothesis is tested by a child, one after the other, until Reflect finds the success signal met. */
async function probe(
  context: Context<PlannerOptions>,
  { success_signal }: Start,
  refusals: Refusals,
): Promise<Answer | null> {
  const { options, block } = context
  const words = wordsFor(block.goal)
  const own = options.probeStrategy === 'planner'
  while (itemsOf(block.todo).length > 0) {
    const [hypothesis = '', ...rest] = itemsOf(block.todo)
    const start: Start = { plan_type: 'PLAN_PROBES', plan: [], hypothesis }
    const child = await context.one(
      context.call(
        words.probeGoal(hypothesis),
        own
          ? { options: { ...options, start: { ...start, plan_type: 'PLAN_STEPS' } } }
          : { strategy: options.probeStrategy },
      ),
    )
    refusals.add(child)
    context.plan(rest)
    if (success_signal === undefined && rest.length > 0) continue
    const answer = await reflect(context, refusals)
    if (answer !== null) return answer
  }
  return null
}

/** As deep as it may go: the goal is executed as it is. */
async function act(context: Context<PlannerOptions>, refusals: Refusals): Promise<Answer> {
  const executors = executorEntries(context)
  const situation = { attempts: [], executors: executors.map(({ id }) => id) }
  const call = await refusals.ask(async (told) => {
    const reply = await context.one(context.model(actPrompt(context, { executors, told })))
    const given = tryValue(reply)
    const { cannot } = (given ?? {}) as { cannot?: unknown }
    if (typeof cannot === 'string') throw new ThinkonError('STRATEGY_ERROR', cannot)
    // An executor_call keeps the rules of one in a plan-next.
    const shell = { type: 'plan-next', plan_type: 'EXECUTE', new_block: { goal: '-', plan: [], done: [] } }
    const violations = violationsOf({ ...shell, executor_call: given }, situation)
    return {
      value: given as ExecutorCall,
      names: violations.map(({ name }) => name),
      told: violations.map(({ name, told: text }) => `${name}: ${text}`),
      repeats: false,
    }
  })
  return execute(context, call)
}

function attemptOf({ new_block, plan_type, executor_call }: PlanNext): Attempt {
  const { goal, plan } = new_block
  return {
    goal: typeof goal === 'string' ? goal : JSON.stringify(goal),
    plan_type,
    plan,
    ...(executor_call && { command: executor_call.command, inputs: executor_call.inputs }),
  }
}
