/**
 * Tasks that are done again, by a person's words, a review, or the kernel. What builds on them, by its `depends_on`, is done again
 * after them; all else stands as it is.
 */
import { redoTask, setStatus } from '../tasks/change-tasks.ts'
import { redoneWith } from '../tasks/needs.ts'
import { depthFirst, isEnded, isLeaf, type Task } from '../tasks/task.ts'
import { findTask } from '../tasks/tree.ts'
import { type Execution, recordEnd, report, reportReopened } from './execution.ts'

/** A running task is cancelled and redone once it has ended; an ended one is reopened at once. */
export async function redoByPerson(execution: Execution, task: Task, message: string): Promise<void> {
  for (const leaf of depthFirst(task).filter(isLeaf)) await redoLeaf(execution, leaf, { message })
  await redoDependents(execution, task)
}

/** Has all that builds on the task, and has begun, done again after it. */
export async function redoDependents(execution: Execution, task: Task): Promise<void> {
  const { index, name, id: because } = task
  const message = `the task ${index} "${name}", which it builds on, is done again`
  for (const leaf of redoneWith(execution.tree, task)) await redoLeaf(execution, leaf, { message, because })
}

async function redoLeaf(
  execution: Execution,
  leaf: Task,
  redo: { readonly message: string; readonly because?: string },
): Promise<void> {
  const { session, tree, running } = execution
  const one = running.find(({ task }) => task === leaf)
  if (one === undefined) {
    if (isEnded(leaf.status)) reportReopened(execution, redoTask(tree, leaf.id, redo.message, redo.because))
    return
  }
  // A person's own words count more than that something else is done again.
  if (one.redo === undefined || redo.because === undefined) one.redo = redo
  await session.context.cancel(one.op, 'it is done again')
}

/** Children that the kernel has done again: their last outcomes are the tasks'. True when there were any. */
export async function takeRedone(execution: Execution): Promise<boolean> {
  const { session, tree, ended } = execution
  let found = false
  for (const [id, known] of [...ended]) {
    const task = findTask(tree, id)
    if (session.context.outcomeOf(known.op) === known.outcome || task === undefined) continue
    // It is done again already, because of one before it in this list.
    if (ended.get(id) !== known) continue
    found = true
    reportReopened(execution, redoTask(tree, id, 'done again'))
    report(execution, [...setStatus(tree, id, 'queueing'), ...setStatus(tree, id, 'processing')])
    recordEnd(execution, task, known.op)
    await redoDependents(execution, task)
  }
  return found
}
