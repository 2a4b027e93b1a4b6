/** The second node of the strategy's flow: a step that names a strategy is solved by a block below when its turn comes. */
import type { Context } from '../../kernel/strategy.ts'
import type { Outcome } from '../../protocol/index.ts'
import { cut } from '../prompt-text.ts'
import { CONTINUE, type Node } from './flow.ts'
import { nextStep, type PlacedStep, withStep } from './plan.ts'
import type { CotOptions } from './schema.ts'
import { lastPlan, type PlanStep, type Shared, type Thought } from './thought.ts'

/** No step is to be solved below: back to thinking. */
export const THINK = 'think'

const MAX_MARK = 500

type Solved = Outcome | null

export function delegateNode(context: Context<CotOptions>): Node<Shared, PlacedStep | null, Solved> {
  return {
    prep: ({ thoughts }) => dueBelow(thoughts),

    async exec(due) {
      if (due === null) return null
      const { description, strategy = 'cot' } = due.step
      // A chain below has this one's options.
      return context.one(context.call(description, strategy === 'cot' ? {} : { strategy }))
    },

    /** The last thought has the plan as it stands. */
    post({ thoughts }, due, outcome) {
      const last = thoughts.at(-1)
      if (due === null || outcome === null || last === undefined) return THINK
      const planning = withStep(last.planning, due.number, (step) => solvedStep(step, outcome))
      thoughts[thoughts.length - 1] = { ...last, planning }
      context.emit('cot/step-solved', { thought_number: last.thought_number, step: due.number, planning })
      return CONTINUE
    },
  }
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
  const mark = cut(reason === undefined ? status : `${status}: ${reason}`, MAX_MARK)
  return { ...step, status: 'Verification Needed', ...(result === '' ? {} : { result }), mark }
}
