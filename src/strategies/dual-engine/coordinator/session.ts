/** What the phases of one coordinator share, and what it says of its tree: to the journal, to people, to the blocks of tasks. */
import { makeTasks } from '../plan/make-plan.ts'
import type { PlanRequest } from '../plan/prompts.ts'
import { MAX_PROGRESS } from '../prompts/parts.ts'
import { inheritedOptions, type TaskBrief } from '../schema.ts'
import type { Scope } from '../scope.ts'
import type { PlanTask, Task } from '../tasks/task.ts'
import { parentInputs, planOf, type TaskTree, taskNames } from '../tasks/tree.ts'
import { currentTaskText, progressText } from '../views/task-progress.ts'

export interface Session extends Scope {
  readonly asked: PlanRequest
  readonly lang: 'en' | 'zh'
}

/** The tree in the journal, and as the block's plan. */
export function publishPlan({ context }: Session, tree: TaskTree): void {
  context.emit('dual/plan-changed', { tree: tree.root })
  context.plan(tree.root.subtasks.map(({ index, name }) => `${index} ${name}`))
}

export function progressOf({ lang }: Session, tree: TaskTree, current?: string): string {
  const options = { lang, maxChars: MAX_PROGRESS, details: true }
  return progressText(tree.root, current === undefined ? options : { ...options, current })
}

/** The options of the block that carries out a leaf. */
export function taskOptions(session: Session, tree: TaskTree, task: Task): Record<string, unknown> {
  const { lang, asked, options } = session
  const { index, name, goal, attempt, redo_message: redo } = task
  const brief: TaskBrief = {
    index,
    name,
    goal,
    parents: parentInputs(tree, task.id),
    request: asked.request,
    progress: progressOf(session, tree, index),
    current: currentTaskText(task, { lang, maxChars: 1_000 }),
    attempt,
    ...(redo !== undefined && { redo }),
  }
  return { ...inheritedOptions(options), task: brief }
}

/** The parts of one task, made by the model. */
export function makeParts(
  session: Session,
  tree: TaskTree,
  { name, goal }: Task,
  said: string,
): Promise<readonly PlanTask[]> {
  const words = `Break the task "${name}" (${goal}) into sub-tasks; answer with them alone as "tasks". ${said}`
  return makeTasks(session, session.asked, { plan: planOf(tree), words }, { names: taskNames(tree) })
}

/** The tasks that are still to be done, made again by the model. Names of tasks that have not begun may be used again. */
export function makeRest(session: Session, tree: TaskTree, said: string): Promise<readonly PlanTask[]> {
  const words = `The rest of the plan is to be changed; answer with the tasks that are still to be done, alone, as "tasks"; with an empty list when nothing is. ${said}`
  const begun = [...tree.byId.values()].filter((task) => task.status !== 'created' && task !== tree.root)
  const known = { names: begun.map(({ name }) => name), mayBeNone: true }
  return makeTasks(session, session.asked, { plan: planOf(tree), words }, known)
}
