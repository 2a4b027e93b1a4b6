/** Signals about a task while the plan is carried out: skip it, or redo it. */
import { redoTask, skipTask } from '../tasks/change-tasks.ts'
import { depthFirst, hasBegun, isEnded, isLeaf, type Task } from '../tasks/task.ts'
import { findTask } from '../tasks/tree.ts'
import { type Execution, report, reportReopened } from './execution.ts'

/** The document's fields. */
export interface SubtaskSignal {
  readonly do: 'skip' | 'redo'
  readonly subtask_index: string
  /** Of a skip. */
  readonly reason?: string
  /** Of a redo: what to do better. */
  readonly user_message?: string
}

/** Takes the signal that has arrived, and listens for the next. */
export async function takeSignal(execution: Execution): Promise<void> {
  const { session, tree, running } = execution
  const { context } = session
  const value = await context.one(execution.inbox)
  execution.inbox = context.listen('subtask')
  const given = (value ?? {}) as Partial<Record<keyof SubtaskSignal, unknown>>
  const { do: what, subtask_index: index } = given
  const [reason, message] = [asText(given.reason), asText(given.user_message)]
  const task = findTask(tree, String(index))
  const problem = problemOf(what, task, message)
  context.emit('dual/subtask-signalled', {
    do: what,
    subtask_index: index,
    reason,
    user_message: message,
    ...(problem && { problem }),
  })
  if (problem !== null || task === undefined) return
  const inside = running.filter((one) => one.task === task || isBelow(one.task, task))
  if (what === 'skip') {
    report(execution, skipTask(tree, task.id, reason))
    for (const one of inside) {
      delete one.redo
      await context.cancel(one.op, reason)
    }
    return
  }
  // A running task is cancelled and redone once it has ended; an ended one is reopened at once.
  for (const one of inside) {
    one.redo = message
    await context.cancel(one.op, 'it is done again')
  }
  const busy = new Set(inside.map((one) => one.task))
  for (const leaf of depthFirst(task).filter(isLeaf))
    if (!busy.has(leaf) && isEnded(leaf.status)) reportReopened(execution, redoTask(tree, leaf.id, message))
}

/** A signal comes unchecked from outside. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return value == null ? '' : JSON.stringify(value)
}

function problemOf(what: unknown, task: Task | undefined, message: string): string | null {
  if (task === undefined) return 'there is no such task'
  if (what === 'skip') return isEnded(task.status) ? `it is ${task.status} already` : null
  if (what !== 'redo') return 'a task can be skipped or done again'
  if (message.trim() === '') return 'a redo needs a message that says what to do better'
  return depthFirst(task).some(hasBegun) ? null : 'it has not begun'
}

function isBelow(task: Task, above: Task): boolean {
  return task.index.startsWith(`${above.index}-`)
}
