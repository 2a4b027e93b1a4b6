/** Phases three and four: a plan is reviewed, and refined until it is accepted or given up. */
import { reviewPlan, type Wait } from '../review/ask-review.ts'
import type { TaskTree } from '../tasks/tree.ts'
import { type Refining, refinePlan } from './refine-plan.ts'
import { enter, publishPlan, reviewedPlan, type Session } from './session.ts'

/** The plan as it is accepted, as a tree; null when it is not. */
export async function acceptPlan(
  session: Session,
  first: TaskTree,
  refining: Refining,
  wait?: Wait,
): Promise<TaskTree | null> {
  const { context } = session
  let tree = first
  let problems: readonly string[] = []
  for (;;) {
    publishPlan(session, tree)
    enter(context, 'review')
    const review = await reviewPlan(session, reviewedPlan(session, tree), problems, wait)
    context.emit('dual/plan-reviewed', review)
    if (review.choice === 'end') return null
    enter(context, 'refinement')
    if (review.choice === 'continue') return tree
    const refined = await refinePlan(session, tree, review, refining)
    tree = refined.tree
    problems = refined.problems
    if (review.choice === 'edit' && review.accept && problems.length === 0) {
      publishPlan(session, tree)
      return tree
    }
  }
}
