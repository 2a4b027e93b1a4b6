/**
 * The strategy's part of the flow that the document has not: a step that names a strategy is solved by a block below when its
 * turn comes, and one that a person has done again there is put in doubt, with its new result, until it is thought about.
 */
import type { Op } from '../../kernel/durable.ts'
import type { Context } from '../../kernel/strategy.ts'
import { type Outcome, shorten } from '../../protocol/index.ts'
import { CONTINUE, END, type Node } from './flow.ts'
import { nextStep, type PlacedStep, stepsOf, withStep } from './plan.ts'
import type { CotOptions } from './schema.ts'
import { lastPlan, type PlanStep, type Shared, type Thought } from './thought.ts'

/** Back to thinking. */
export const THINK = 'think'

const MAX_MARK = 500
const REDONE = 'it was done again: check the new result, and what rests on it'

/** The shared store, and by their descriptions the steps that were solved below. */
export interface BlockShared extends Shared {
  readonly below: Map<string, SolvedBelow>
}

interface SolvedBelow {
  readonly op: Op<Outcome>
  readonly outcome: Outcome
}

export function delegateNode(
  context: Context<CotOptions>,
): Node<BlockShared, PlacedStep | null, SolvedBelow | null> {
  return {
    prep(shared) {
      takeRedone(context, shared)
      return dueBelow(shared.thoughts)
    },

    async exec(due) {
      if (due === null) return null
      const { description, strategy = 'cot' } = due.step
      // A chain below has this one's options.
      const op = context.call(description, strategy === 'cot' ? {} : { strategy })
      const outcome = await context.one(op)
      return { op, outcome: context.outcomeOf(op) ?? outcome }
    },

    post(shared, due, solved) {
      if (due === null || solved === null) return THINK
      shared.below.set(due.step.description, solved)
      changeStep(context, shared, due.number, (step) => solvedStep(step, solved.outcome))
      return CONTINUE
    },
  }
}

/** The node after the last thought: what was done again while it was thought needs another, where there is room for one. */
export function reviewNode(context: Context<CotOptions>): Node<BlockShared, boolean, boolean> {
  return {
    prep: (shared) => takeRedone(context, shared),
    exec: (wasRedone) => wasRedone,
    post(shared, _, wasRedone) {
      if (!wasRedone || shared.thoughts.length >= context.options.maxThoughts) return END
      shared.solution = null
      return THINK
    },
  }
}

/** Steps in the plan whose blocks a person has had done again. True when there were any. */
function takeRedone(context: Context<CotOptions>, shared: BlockShared): boolean {
  let found = false
  for (const [description, { op, outcome: known }] of shared.below) {
    const outcome = context.outcomeOf(op)
    if (outcome === null || outcome === known) continue
    shared.below.set(description, { op, outcome })
    const placed = [...stepsOf(lastPlan(shared.thoughts))].find(
      ({ step }) => step.description === description,
    )
    // One that is Pending is still to be solved, by whoever the plan says now.
    if (placed === undefined || placed.step.status === 'Pending') continue
    changeStep(context, shared, placed.number, (step) => redoneStep(step, outcome))
    found = true
  }
  return found
}

/** The last thought has the plan as it stands. */
function changeStep(
  context: Context<CotOptions>,
  { thoughts }: Shared,
  number: string,
  change: (step: PlanStep) => PlanStep,
): void {
  const last = thoughts.at(-1) as Thought
  const planning = withStep(last.planning, number, change)
  thoughts[thoughts.length - 1] = { ...last, planning }
  context.emit('cot/step-solved', { thought_number: last.thought_number, step: number, planning })
}

/** The next step, where it names a strategy: one that is in doubt is the model's to decide on. */
function dueBelow(thoughts: readonly Thought[]): PlacedStep | null {
  const next = nextStep(lastPlan(thoughts))
  if (next === null) return null
  const { status, strategy, sub_steps } = next.step
  return status === 'Pending' && strategy !== undefined && sub_steps === undefined ? next : null
}

function solvedStep(step: PlanStep, { status, result, reason }: Outcome): PlanStep {
  if (status === 'completed') return { ...step, status: 'Done', result: result === '' ? '(empty)' : result }
  const mark = shorten(reason === undefined ? status : `${status}: ${reason}`, MAX_MARK)
  return { ...step, status: 'Verification Needed', ...(result === '' ? {} : { result }), mark }
}

function redoneStep(step: PlanStep, outcome: Outcome): PlanStep {
  const { result: _, mark: __, ...open } = step
  const solved = solvedStep(open, outcome)
  return solved.status === 'Done' ? { ...solved, status: 'Verification Needed', mark: REDONE } : solved
}
