/**
 * The Planner, and the Runtime that its document presumes: `plan-next` decides the next child, the Runtime creates and runs it
 * and removes the plan's first item, and Reflect alone ends a block with `plan-return`.
 */
import type { Solver } from '../../kernel/strategy.ts'
import { type Goal, goalText, type Outcome } from '../../protocol/index.ts'
import { askCall, askPlan } from './ask-planner.ts'
import { depthOf, itemsOf, maxDepth } from './context-json.ts'
import { deliver, type Ended } from './deliver.ts'
import { execute, notExecutable } from './execute.ts'
import { strategyCall } from './executor-call.ts'
import type { PlannerNotes } from './notes.ts'
import { createProbing, type Probing } from './probing.ts'
import { endEarly, reflect } from './reflect.ts'
import { createRefusals, type Refusals } from './rules/refusals.ts'
import { attemptOf, itemKey } from './rules/repetition.ts'
import {
  type Attempt,
  checkOptions,
  type ExecutorCall,
  OPTIONS_SCHEMA,
  type PlanNext,
  type PlannerContext,
  type PlannerOptions,
  type Start,
} from './schema.ts'
import { wordsFor } from './sections.ts'

export const planner: Solver<PlannerOptions, PlannerNotes> = {
  options: checkOptions,
  optionsSchema: OPTIONS_SCHEMA,
  maxRepeats: ({ maxRepeats }) => maxRepeats,
  calls: ({ strategies, probeStrategy }) => [...strategies, probeStrategy],
  limits: ({ maxDepth: depth }) => (depth === undefined ? {} : { depth }),
  async solve(context) {
    const refusals = createRefusals(context)
    const probing = createProbing(context)
    const ended = await solve(context, refusals, probing).catch((thrown) =>
      endEarly(context, thrown, probing),
    )
    return refusals.countedIn(await deliver(context, ended))
  },
}

async function solve(context: PlannerContext, refusals: Refusals, probing: Probing | null): Promise<Ended> {
  const { start } = context.options
  if (start?.executor_call !== undefined) return { answer: await execute(context, start.executor_call) }
  if (start !== undefined) context.plan(start.plan)
  if (depthOf(context) >= maxDepth(context)) return act(context, refusals)
  return goOn(context, { attempts: [], refusals, probing }, '')
}

interface Work {
  readonly attempts: Attempt[]
  readonly refusals: Refusals
  readonly probing: Probing | null
}

/** Child after child until Reflect ends the block. */
async function goOn(context: PlannerContext, work: Work, why: string): Promise<Ended> {
  const { attempts, refusals, probing } = work
  let reason = why
  for (;;) {
    const child = await advance(context, { attempts, reason }, refusals, probing)
    refusals.add(child)
    if (hasSucceeded(child) && probing?.mustGoOn()) continue
    const found = await reflect(context, refusals, probing, (wrong) => goOn(context, work, wrong))
    if (!('goOn' in found)) return found
    reason = found.goOn
    if (probing !== null && itemsOf(context.block.todo).length === 0) addOnce(attempts, ownAttempt(context))
  }
}

/** One child: a probe by another strategy where the options name one, otherwise what the Planner decides. */
async function advance(
  context: PlannerContext,
  learned: { readonly attempts: Attempt[]; readonly reason: string },
  refusals: Refusals,
  probing: Probing | null,
): Promise<Outcome> {
  const { probeStrategy } = context.options
  const [hypothesis, ...rest] = itemsOf(context.block.todo)
  if (probing !== null && hypothesis !== undefined && probeStrategy !== 'planner') {
    const goal = wordsFor(context.block.goal).probeGoal(hypothesis)
    const child = await context.one(context.call(goal, { strategy: probeStrategy }))
    context.plan(rest)
    return child
  }
  const hypotheses = probing?.hypotheses()
  const next = await askPlan(context, { ...learned, ...(hypotheses && { hypotheses }) }, refusals)
  const child = await run(context, next, learned.reason, probing !== null)
  if (!hasSucceeded(child)) learned.attempts.push(attemptOf(next, child.code))
  return child
}

function hasSucceeded({ status }: Outcome): boolean {
  return status === 'completed' || status === 'skipped'
}

/** Hypotheses that did not decide it would not if they were probed again. */
function ownAttempt({ block, options: { start } }: PlannerContext): Attempt {
  return { goal: goalText(block.goal), plan_type: 'PLAN_PROBES', plan: start?.plan ?? [] }
}

function addOnce(attempts: Attempt[], attempt: Attempt): void {
  if (!attempts.some(({ plan }) => plan === attempt.plan)) attempts.push(attempt)
}

/** Creates the child and runs it; then what it worked on is removed from the plan, or kept when it did not complete. */
async function run(
  context: PlannerContext,
  next: PlanNext,
  reason: string,
  isProbing: boolean,
): Promise<Outcome> {
  const { new_block, plan_type, success_signal, executor_call, update_plan } = next
  const before = itemsOf(context.block.todo)
  // A plan that replaces this one leaves out what is worked on: one item, be it the first or not, or several hypotheses at once.
  const left = update_plan === undefined ? before.slice(0, 1) : before.filter(isLeftOutOf(update_plan))
  const worked = isProbing ? left : left.slice(0, 1)
  if (update_plan !== undefined) context.plan(update_plan)
  const named = executor_call === undefined ? null : strategyCall(executor_call, context.options.strategies)
  const start: Start = {
    plan_type,
    plan: new_block.plan,
    ...(success_signal !== undefined && { success_signal }),
    ...(executor_call === undefined ? reason !== '' && { reason } : { executor_call }),
  }
  const isSearch = isProbing && plan_type !== 'EXECUTE'
  const child = await context.one(
    named === null
      ? context.call(new_block.goal, {
          ...(isSearch && { kind: 'search' as const }),
          options: { ...context.options, start },
        })
      : context.call(asked(new_block.goal, named.question, executor_call), { strategy: named.strategy }),
  )
  const plan = itemsOf(context.block.todo)
  if (!hasSucceeded(child)) {
    const lost = worked.filter(isLeftOutOf(plan))
    if (lost.length > 0) context.plan([...lost, ...plan])
  } else if (update_plan === undefined && worked.length > 0) context.plan(plan.slice(1))
  return child
}

function isLeftOutOf(plan: readonly string[]): (item: string) => boolean {
  const keys = new Set(plan.map(itemKey))
  return (item) => !keys.has(itemKey(item))
}

/** A strategy gets the whole goal with the question put to it, and what is expected of it: code can't check a text for that. */
function asked(goal: Goal, question: string | null, call: ExecutorCall | undefined): Goal {
  const expected = (call?.expected_observations ?? []).join('; ')
  const expecting = expected === '' ? '' : `${wordsFor(goal).expected}: ${expected}`
  if (typeof goal === 'string') return [question ?? goal, expecting].filter(Boolean).join('\n')
  const isSaid = question === null || goal.intent.includes(question)
  return {
    ...goal,
    intent: isSaid ? goal.intent : question.includes(goal.intent) ? question : `${goal.intent}\n${question}`,
    metric: [goal.metric, expecting].filter(Boolean).join('\n'),
  }
}

/** At the maximum depth the goal is executed as it is. */
async function act(context: PlannerContext, refusals: Refusals): Promise<Ended> {
  const call = await askCall(context, refusals)
  return { answer: 'cannot' in call ? notExecutable(context, call.cannot) : await execute(context, call) }
}
