/**
 * What a Coordinator does by itself after a task has failed: it has the rest of the plan made again, with the failure in view, so many
 * times; the mended plan is reviewed as the mode says. Whatever comes of that, it goes on with the tasks that don't depend on
 * the failed one.
 */
import { type Outcome, ThinkonError } from '../../../protocol/index.ts'
import { makeMend } from '../plan/make-plan.ts'
import { adjustPlan } from '../tasks/change-tasks.ts'
import { depthFirst, hasFailed, type PlanTask, type Task } from '../tasks/task.ts'
import type { TaskTree } from '../tasks/tree.ts'
import { acceptPlan } from './accept-plan.ts'
import { type Execution, endRunning, reportReopened } from './execution.ts'
import type { Refining } from './refine-plan.ts'
import { enter, marksOf } from './session.ts'
import { waitingFor } from './take-signal.ts'

/** False when a person ends the plan here. */
export async function mendPlan(execution: Execution, task: Task, outcome: Outcome): Promise<boolean> {
  if (!hasFailed(task)) return true
  // Where the budget is spent no other way is open either, and who cancels a task wants it to stop: so does the plan.
  if (outcome.limit !== undefined || outcome.status === 'cancelled') return true
  execution.schedule.goOn()
  const { session } = execution
  const { context, options } = session
  if (execution.mends >= options.maxReplans) return true
  execution.mends++
  context.emit('dual/plan-mending', { index: task.index, mends: execution.mends, of: options.maxReplans })
  enter(context, 'plan-generation')
  const accepted = (await remade(execution, task)) ? await reviewed(execution, task) : true
  if (accepted) enter(context, 'execution')
  else await endRunning(execution, 'a person ended it here')
  return accepted
}

/** True when the plan is another now. What can't be mended stays as it is. */
async function remade(execution: Execution, task: Task): Promise<boolean> {
  try {
    return await remake(execution, task, '')
  } catch (thrown) {
    // A bug is not a plan that can't be mended.
    if (!ThinkonError.isInstance(thrown) || thrown.code === 'STRATEGY_ERROR') throw thrown
    execution.session.context.emit('dual/mend-failed', { index: task.index, problem: thrown.message })
    return false
  }
}

/** False where the plan is to stay as it is. */
async function remake(execution: Execution, task: Task, said: string): Promise<boolean> {
  const { session, tree, schedule } = execution
  const progress = marksOf(session, tree.root, task.index)
  const rest = await makeMend(session, tree, { why: failureOf(task), said, progress })
  if (rest === null) return false
  const replaces = bringsNew(tree, rest)
  reportReopened(
    execution,
    adjustPlan(tree, rest, (failed) => failed === task && replaces),
  )
  schedule.goOn()
  return true
}

/** False when a person does not accept the mended plan. */
async function reviewed(execution: Execution, task: Task): Promise<boolean> {
  const refining: Refining = {
    remake: async (tree, words) => {
      await remake(execution, task, words)
      return tree
    },
    edited: (changes) => reportReopened(execution, changes),
  }
  const { session, tree } = execution
  const accepted = await acceptPlan(session, tree, refining, waitingFor(execution))
  return accepted !== null
}

function failureOf({ index, name, reason = 'no reason was given' }: Task): string {
  return `The task ${index} "${name}" did not succeed (${reason}). Take another way to what it was to reach, if there is one that has not failed already; leave out what is of no use without it; keep the other tasks as they are.`
}

/** Tasks that the plan did not have: they stand for the one that failed. Otherwise it stays a failure. */
function bringsNew({ root }: TaskTree, rest: readonly PlanTask[]): boolean {
  const known = new Set(depthFirst(root).map(({ name }) => name))
  const leaves = (task: PlanTask): readonly PlanTask[] =>
    task.subtasks === undefined || task.subtasks.length === 0 ? [task] : task.subtasks.flatMap(leaves)
  return rest.flatMap(leaves).some(({ subtask_name }) => !known.has(subtask_name))
}
