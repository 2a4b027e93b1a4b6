/**
 * The part of the flow that is not in the document: a step that names a strategy is solved by a child block when its turn
 * comes. When a person has that child done again, the step is in doubt, with its new result, until the next thought judges it.
 */
import type { Op } from '../../kernel/durable.ts'
import type { Context } from '../../kernel/strategy.ts'
import { doneText, type Outcome } from '../../protocol/index.ts'
import { childResults } from '../sections.ts'
import { CONTINUE, END, type Node } from './flow.ts'
import { historyOf } from './history.ts'
import type { CotNotes } from './notes.ts'
import { nextStep, type PlacedStep, planResultLines, resultsOf, stepsOf, withStep } from './plan.ts'
import { type CotOptions, lastPlan, type Plan, type PlanStep, type Shared, type Thought } from './schema.ts'

export type CotContext = Context<CotOptions, CotNotes>

/** Back to thinking. */
export const THINK = 'think'

const REDONE = 'it was done again: check the new result, and what rests on it'

/** The shared store, and the steps that child blocks have solved, by description. */
export interface BlockShared extends Shared {
  readonly solved: Map<string, SolvedStep>
}

interface SolvedStep {
  readonly op: Op<Outcome>
  readonly outcome: Outcome
}

export function delegateNode(context: CotContext): Node<BlockShared, PlacedStep | null, SolvedStep | null> {
  return {
    prep(shared) {
      takeRedone(context, shared)
      const plan = lastPlan(shared.thoughts)
      const due = dueStep(plan)
      // Who solves it sees the plan of this block: with what was found so far.
      if (due !== null && resultsOf(plan).length > 0) context.plan(planResultLines(plan))
      return due
    },

    async exec(due) {
      if (due === null) return null
      const { description, strategy = 'cot' } = due.step
      // A child of this strategy inherits the options.
      const op = context.call(description, strategy === 'cot' ? {} : { strategy })
      const outcome = await context.one(op)
      return { op, outcome: context.outcomeOf(op) ?? outcome }
    },

    post(shared, due, solved) {
      if (due === null || solved === null) return THINK
      shared.solved.set(due.step.description, solved)
      changeStep(context, shared, due, solved.outcome, solvedStep)
      return CONTINUE
    },
  }
}

/** After the last thought: a step that was redone meanwhile needs another thought, where there is room for one. */
export function reviewNode(context: CotContext): Node<BlockShared, boolean, boolean> {
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

/** Takes over the results of children that a person has had done again. True when there were any in the plan. */
function takeRedone(context: CotContext, shared: BlockShared): boolean {
  let found = false
  for (const [description, { op, outcome: known }] of shared.solved) {
    const outcome = context.outcomeOf(op)
    if (outcome === null || outcome === known) continue
    shared.solved.set(description, { op, outcome })
    const placed = stepsOf(lastPlan(shared.thoughts)).find(({ step }) => step.description === description)
    // A Pending step is still to be solved, by whatever strategy the plan names now.
    if (placed === undefined || placed.step.status === 'Pending') continue
    changeStep(context, shared, placed, outcome, redoneStep)
    found = true
  }
  return found
}

/** The plan as it stands is the last thought's. The next one is told the result as it is, and the plan. */
function changeStep(
  context: CotContext,
  shared: BlockShared,
  { number, step: { description } }: PlacedStep,
  outcome: Outcome,
  change: (step: PlanStep, outcome: Outcome) => PlanStep,
): void {
  const { thoughts } = shared
  const last = thoughts.at(-1) as Thought
  const planning = withStep(last.planning, number, (step) => change(step, outcome))
  thoughts[thoughts.length - 1] = { ...last, planning }
  context.emit('cot/step-solved', { thought_number: last.thought_number, step: number, planning })
  const { conversation, told } = historyOf(shared)
  const call = { name: `step ${number}`, input: description }
  const result = { ok: true, value: doneText(outcome) } as const
  conversation.answer([{ call, result, ref: refOf(context, description) }])
  told.add(description)
}

/** By which `read_result` reads the result of the child that solved the step. */
function refOf(context: CotContext, description: string): string {
  const solved = childResults(context).findLast(({ about }) => about === description)
  return solved?.path ?? `${context.path} results`
}

/** The next step, if it names a strategy. A step in doubt is the model's to decide on. */
function dueStep(plan: Plan): PlacedStep | null {
  const next = nextStep(plan)
  if (next === null) return null
  const { status, strategy, sub_steps } = next.step
  return status === 'Pending' && strategy !== undefined && sub_steps === undefined ? next : null
}

function solvedStep(step: PlanStep, { status, result, reason }: Outcome): PlanStep {
  if (status === 'completed') return { ...step, status: 'Done', result: result === '' ? '(empty)' : result }
  const mark = reason === undefined ? status : `${status}: ${reason}`
  return { ...step, status: 'Verification Needed', ...(result === '' ? {} : { result }), mark }
}

function redoneStep(step: PlanStep, outcome: Outcome): PlanStep {
  const { result: _, mark: __, ...open } = step
  const solved = solvedStep(open, outcome)
  return solved.status === 'Done' ? { ...solved, status: 'Verification Needed', mark: REDONE } : solved
}
