/** A tree that is being carried out: who runs, who has ended, and every change of a status where it belongs. */
import type { Op } from '../../../kernel/durable.ts'
import type { Outcome } from '../../../protocol/index.ts'
import { oneLine, shorten } from '../../../protocol/index.ts'
import { redoTask, setStatus, skipTask } from '../tasks/change-tasks.ts'
import { Schedule } from '../tasks/schedule.ts'
import { isEnded, type StatusChange, type Task } from '../tasks/task.ts'
import { findTask, type TaskTree } from '../tasks/tree.ts'
import type { Session } from './session.ts'

const MAX_SHORT = 120
const MAX_SUMMARY = 400

export interface Running {
  readonly task: Task
  readonly op: Op<Outcome>
  /** It was cancelled to be done again with this message. */
  redo?: string
}

export interface Execution {
  readonly session: Session
  readonly tree: TaskTree
  readonly schedule: Schedule
  readonly running: Running[]
  /** The children of tasks that have ended, by the tasks' ids: a redo by the kernel changes how they ended. */
  readonly ended: Map<string, { readonly op: Op<Outcome>; outcome: Outcome }>
  /** What is listened for. */
  inbox: Op<unknown>
}

export function beginExecution(session: Session, tree: TaskTree): Execution {
  const inbox = session.context.listen('subtask')
  return { session, tree, schedule: new Schedule(tree), running: [], ended: new Map(), inbox }
}

/** Changes that have happened: for the journal, and for what waits for the end of a task. */
export function report({ session, schedule }: Execution, changes: readonly StatusChange[]): void {
  for (const change of changes) session.context.emit('dual/task-changed', change)
  for (const { id } of changes) schedule.ended(id)
}

/** Changes after which tasks that had ended are open again. */
export function reportReopened(execution: Execution, changes: readonly StatusChange[]): void {
  const { session, schedule, ended } = execution
  for (const change of changes) {
    session.context.emit('dual/task-changed', change)
    if (change.to === 'created') ended.delete(change.id)
  }
  schedule.rebuild()
}

/** The child of a task has ended: so has the task, unless it was skipped meanwhile. */
export function recordEnd(execution: Execution, task: Task, op: Op<Outcome>): Outcome {
  const { session, tree, ended } = execution
  const outcome = session.context.outcomeOf(op) as Outcome
  if (!isEnded(task.status)) report(execution, endTask(tree, task, outcome))
  ended.set(task.id, { op, outcome })
  return outcome
}

/** Children that the kernel has done again: their last outcomes are the tasks'. True when there were any. */
export function takeRedone(execution: Execution): boolean {
  const { session, tree, ended } = execution
  let found = false
  for (const [id, known] of [...ended]) {
    const task = findTask(tree, id)
    if (session.context.outcomeOf(known.op) === known.outcome || task === undefined) continue
    found = true
    reportReopened(execution, redoTask(tree, id, 'done again'))
    report(execution, [...setStatus(tree, id, 'queueing'), ...setStatus(tree, id, 'processing')])
    recordEnd(execution, task, known.op)
  }
  return found
}

export async function endRunning(execution: Execution, reason: string): Promise<void> {
  const { context } = execution.session
  const left = execution.running.splice(0)
  for (const { op } of left) await context.cancel(op, reason)
  await context.all(left.map(({ op }) => op))
  for (const { task, op } of left) recordEnd(execution, task, op)
}

/** Partial, failed and cancelled show as aborted, with their reason; running out of anything is not completion. */
function endTask(tree: TaskTree, task: Task, outcome: Outcome): StatusChange[] {
  const { status, result, reason } = outcome
  task.long_summary = result
  task.task_summary = shorten(oneLine(result), MAX_SUMMARY)
  task.short_summary = shorten(oneLine(result), MAX_SHORT)
  if (status === 'completed') return setStatus(tree, task.id, 'completed')
  if (status === 'skipped') return skipTask(tree, task.id, reason ?? '')
  return setStatus(tree, task.id, 'aborted', `${status}${reason === undefined ? '' : `: ${reason}`}`)
}
