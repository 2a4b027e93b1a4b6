/** A plan as its review wants it. What can't be done is no reason to give the plan up: it stands in the next question. */
import { ThinkonError } from '../../../protocol/index.ts'
import { makeParts } from '../plan/make-plan.ts'
import type { Edit, PlanReview } from '../schema.ts'
import type { DualContext } from '../scope.ts'
import {
  addTasks,
  refused,
  removeTask,
  renameTask,
  reorderTasks,
  setDependencies,
} from '../tasks/change-tasks.ts'
import { readTasks } from '../tasks/read-plan.ts'
import { depthFirst, type StatusChange, type Task } from '../tasks/task.ts'
import { findTask, type TaskTree, taskNames } from '../tasks/tree.ts'
import type { Session } from './session.ts'

export interface Refining {
  /** The plan made again, with what a person said about it. */
  remake(tree: TaskTree, words: string): Promise<TaskTree>
  /** What an edit changed in a tree that is being carried out already. */
  edited?(changes: readonly StatusChange[]): void
}

/** `problems`: what could not be done. */
export async function refinePlan(
  session: Session,
  tree: TaskTree,
  review: Exclude<PlanReview, { choice: 'continue' | 'end' }>,
  refining: Refining,
): Promise<{ tree: TaskTree; problems: readonly string[] }> {
  const { context } = session
  const problems: string[] = []
  try {
    switch (review.choice) {
      case 'revise':
        return { tree: await refining.remake(tree, review.words), problems }
      case 'edit':
        for (const edit of review.edits) problems.push(...tryEdit(context, tree, edit, refining))
        break
      case 'subtasks':
        for (const ref of review.tasks) {
          const task = named(tree, ref)
          if (task === undefined) throw refused(`there is no task ${ref} in this plan`)
          const tasks = await makeParts(session, tree, task, review.words)
          problems.push(...tryEdit(context, tree, { do: 'add', under: task.id, tasks }, refining))
        }
    }
  } catch (thrown) {
    problems.push(refusalOf(context, thrown))
  }
  return { tree, problems }
}

/** The reason why a plan can't be changed as asked, which is noted; any other error is thrown on. */
export function refusalOf(context: DualContext, thrown: unknown, edit?: Edit): string {
  if (!ThinkonError.isInstance(thrown) || (thrown.code !== 'BAD_INPUT' && thrown.code !== 'INVALID_FORMAT'))
    throw thrown
  context.emit('dual/edit-refused', { ...(edit !== undefined && { edit }), problem: thrown.message })
  return thrown.message
}

/** What is wrong with the edit, if anything. */
function tryEdit(context: DualContext, tree: TaskTree, edit: Edit, { edited }: Refining): string[] {
  try {
    const changes = makeEdit(tree, edit)
    edited?.(changes)
    return []
  } catch (thrown) {
    return [refusalOf(context, thrown, edit)]
  }
}

/** The edit comes unchecked from a person: what is missing is reported like what is wrong. */
function makeEdit(tree: TaskTree, edit: Edit): StatusChange[] {
  const ref = (given: unknown) =>
    given === undefined ? tree.root.id : (named(tree, String(given))?.id ?? String(given))
  switch (edit?.do) {
    case 'rename': {
      const { name, goal } = edit
      if (!name && !goal) throw refused('a "rename" needs the new name')
      return renameTask(tree, ref(edit.task), { ...(name && { name }), ...(goal && { goal }) })
    }
    case 'remove':
      return removeTask(tree, ref(edit.task))
    case 'add': {
      const { tasks, problems } = readTasks(edit.tasks, taskNames(tree))
      if (tasks === null) throw refused(problems.join(' '))
      return addTasks(tree, ref(edit.under), tasks, edit.at)
    }
    case 'reorder':
      if (!Array.isArray(edit.order)) throw refused('"order" must be a list of tasks')
      return reorderTasks(tree, ref(edit.under), edit.order.map(ref))
    case 'depend':
      if (!Array.isArray(edit.on)) throw refused('"on" must be a list of tasks')
      return setDependencies(tree, ref(edit.task), edit.on.map(ref))
    default:
      throw refused('an edit is "rename", "remove", "add", "reorder" or "depend"')
  }
}

function named(tree: TaskTree, ref: string): Task | undefined {
  return findTask(tree, ref) ?? depthFirst(tree.root).find(({ name }) => name === ref)
}
