/**
 * The Planner, and the Runtime that its document presumes: `plan-next` decides the next child, the Runtime creates and runs it
 * and removes the plan's first item, and Reflect alone ends a block with `plan-return`.
 */
import type { Solver } from '../../kernel/strategy.ts'
import { type Goal, goalText, type Outcome } from '../../protocol/index.ts'
import { askCall, askPlan } from './ask-planner.ts'
import { depthOf, itemsOf, maxDepth } from './context-json.ts'
import { deliver, type Ended } from './deliver.ts'
import { type Executed, execute, notExecutable } from './execute.ts'
import { strategyCall } from './executor-call.ts'
import type { PlannerNotes } from './notes.ts'
import { endEarly, reflect, reflectOn } from './reflect.ts'
import { createRefusals, type Refusals } from './rules/refusals.ts'
import { attemptOf } from './rules/repetition.ts'
import {
  type Attempt,
  checkOptions,
  type ExecutorCall,
  type PlanNext,
  type PlannerContext,
  type PlannerOptions,
  type Start,
} from './schema.ts'
import { wordsFor } from './sections.ts'

export const planner: Solver<PlannerOptions, PlannerNotes> = {
  options: checkOptions,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  calls: ({ strategies, probeStrategy }) => [...strategies, probeStrategy],
  limits: ({ maxDepth: depth }) => (depth === undefined ? {} : { depth }),
  async solve(context) {
    const refusals = createRefusals(context)
    const ended = await solve(context, refusals).catch((thrown) => endEarly(context, thrown))
    return refusals.countedIn(await deliver(context, ended))
  },
}

async function solve(context: PlannerContext, refusals: Refusals): Promise<Ended> {
  const { start } = context.options
  if (start?.executor_call !== undefined) {
    const { answer } = await execute(context, start.executor_call)
    return { answer }
  }
  if (start !== undefined) context.plan(start.plan)
  if (depthOf(context) >= maxDepth(context)) return act(context, refusals)
  const attempts: Attempt[] = []
  let reason = ''
  if (start?.plan_type === 'PLAN_PROBES') {
    const found = await probe(context, start, refusals)
    if (!('goOn' in found)) return found
    reason = found.goOn
    // They did not decide it, and would not if they were probed again.
    attempts.push({ goal: goalText(context.block.goal), plan_type: 'PLAN_PROBES', plan: start.plan })
  }
  for (let judged = context.block.done.length; ; ) {
    if (context.block.done.length > judged) {
      const found = await reflect(context, refusals)
      if (!('goOn' in found)) return found
      reason = found.goOn
      judged = context.block.done.length
    }
    const next = await askPlan(context, { attempts, reason }, refusals)
    const child = await run(context, next)
    refusals.add(child)
    if (child.status !== 'completed' && child.status !== 'skipped') attempts.push(attemptOf(next))
  }
}

/** Creates the child and runs it; then its plan item is removed, or kept when the child did not complete. */
async function run(context: PlannerContext, next: PlanNext): Promise<Outcome> {
  const { new_block, plan_type, success_signal, executor_call, update_plan } = next
  const before = itemsOf(context.block.todo)
  // A plan that replaces this one leaves out the item that is worked on, be it the first or not.
  const worked = update_plan === undefined ? before[0] : before.find((item) => !update_plan.includes(item))
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
      : context.call(expecting(named.goal ?? new_block.goal, executor_call), { strategy: named.strategy }),
  )
  const plan = itemsOf(context.block.todo)
  if (child.status === 'completed' || child.status === 'skipped') {
    if (update_plan === undefined && worked !== undefined) context.plan(plan.slice(1))
  } else if (worked !== undefined && !plan.includes(worked)) context.plan([worked, ...plan])
  return child
}

/** The goal of a strategy includes what is expected of it: code can't check a text for that. */
function expecting(goal: Goal, call: ExecutorCall | undefined): Goal {
  const expected = call?.expected_observations ?? []
  if (expected.length === 0) return goal
  return `${goalText(goal)}\n${wordsFor(goal).expected}: ${expected.join('; ')}`
}

/** Each hypothesis is tested by a child, one after the other, until Reflect finds the success signal met. */
async function probe(
  context: PlannerContext,
  { success_signal }: Start,
  refusals: Refusals,
): Promise<Ended | { readonly goOn: string }> {
  const { options, block } = context
  const words = wordsFor(block.goal)
  const signalled = success_signal !== undefined && success_signal.trim() !== ''
  let goOn = ''
  while (itemsOf(block.todo).length > 0) {
    const [hypothesis = '', ...rest] = itemsOf(block.todo)
    const start: Start = { plan_type: 'PLAN_STEPS', plan: [], hypothesis }
    const child = await context.one(
      context.call(
        words.probeGoal(hypothesis),
        options.probeStrategy === 'planner'
          ? { kind: 'search', options: { ...options, start } }
          : { strategy: options.probeStrategy },
      ),
    )
    refusals.add(child)
    context.plan(rest)
    if (!signalled && rest.length > 0) continue
    const found = await reflect(context, refusals)
    if (!('goOn' in found)) return found
    goOn = found.goOn
  }
  return { goOn }
}

/** At the maximum depth the goal is executed as it is. */
async function act(context: PlannerContext, refusals: Refusals): Promise<Ended> {
  const call = await askCall(context, refusals)
  const executed: Executed =
    'cannot' in call
      ? { answer: notExecutable(context, call.cannot), outputs: [] }
      : await execute(context, call)
  if (context.options.start?.hypothesis !== undefined) return reflectOn(context, executed, refusals)
  return { answer: executed.answer }
}
