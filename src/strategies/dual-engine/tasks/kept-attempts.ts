/** What a task came to before it is done again. It is not lost: it stands if the new attempt is skipped. */
import type { StatusChange, Task } from './task.ts'
import type { TaskTree } from './tree.ts'

/** What failed does not take the place of what an earlier attempt completed. */
export function keepAttempt({ kept }: TaskTree, task: Task, because: string | undefined): void {
  const { attempt, status, status_summary, task_summary, short_summary, long_summary, tool_call_results } =
    task
  if (status !== 'completed' && (long_summary === '' || kept.get(task.id)?.status === 'completed')) return
  const texts = { status_summary, task_summary, short_summary, long_summary }
  kept.set(task.id, { attempt, status, ...texts, tool_call_results, ...(because && { because }) })
}

/** The attempt that was skipped is given up: the result of the one before stands, and its status if it was completed. */
export function standAgain(tree: TaskTree, task: Task, changes: StatusChange[]): void {
  const kept = tree.kept.get(task.id)
  if (kept === undefined) return
  const { attempt, status, because: _, ...came } = kept
  Object.assign(task, came)
  if (status !== 'completed') return
  const from = task.status
  Object.assign(task, { status, attempt })
  delete task.reason
  delete task.redo_message
  const reason = `not done again: the result of attempt ${attempt} stands`
  changes.push({ id: task.id, index: task.index, from, to: status, reason, attempt })
}
