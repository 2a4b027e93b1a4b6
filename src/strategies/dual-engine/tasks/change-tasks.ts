/**
 * Changes of status, each with all that follows from it: a parent begins with the first task below it and ends with the last.
 * Every function returns what changed, in the order it happened, for the coordinator to tell. Over the life of a tree all
 * of it together is linear, because parents count their sub-tasks instead of looking at them.
 */
import { ThinkonError } from '../../../protocol/index.ts'
import { checkTransition, isEnded, type TaskStatus } from './task-status.ts'
import {
  depthFirst,
  hasFailed,
  parentOf,
  postOrder,
  type SubtaskCounts,
  type Task,
  type TaskTree,
  taskAt,
} from './tree.ts'

export interface StatusChange {
  readonly id: string
  readonly index: string
  readonly from: TaskStatus
  readonly to: TaskStatus
  readonly reason?: string
}

/** A parent can't be completed while a task below it is open; one that is aborted leaves them as they are. */
export function setStatus(tree: TaskTree, ref: string, to: TaskStatus, reason?: string): StatusChange[] {
  if (to === 'skipped') return skipTask(tree, ref, reason ?? '')
  const task = taskAt(tree, ref)
  checkTransition(task, to)
  const open = tree.counts.get(task.id)?.open ?? 0
  if (to === 'completed' && open > 0) {
    const text = `task ${task.index} "${task.name}" can't go from ${task.status} to completed: ${open} of its sub-tasks are open`
    throw new ThinkonError('STRATEGY_ERROR', text)
  }
  const changes: StatusChange[] = []
  if (to === 'queueing') beginParents(tree, task, changes)
  change(tree, task, to, changes, reason)
  endParents(tree, task, changes)
  return changes
}

/** With everything below it that has not ended. */
export function skipTask(tree: TaskTree, ref: string, reason: string): StatusChange[] {
  const task = taskAt(tree, ref)
  checkTransition(task, 'skipped')
  const changes: StatusChange[] = []
  for (const below of postOrder(task)) {
    if (!isEnded(below.status)) change(tree, below, 'skipped', changes, reason)
  }
  endParents(tree, task, changes)
  return changes
}

/** A new attempt of a task that has ended, with everything below it; what it is part of opens again. */
export function redoTask(tree: TaskTree, ref: string, message: string): StatusChange[] {
  const task = taskAt(tree, ref)
  if (message.trim() === '') {
    throw new ThinkonError(
      'BAD_INPUT',
      `a redo of task ${task.index} needs a message that says what to do better`,
    )
  }
  if (!isEnded(task.status)) {
    const text = `task ${task.index} "${task.name}" is ${task.status}: only a task that has ended can be done again`
    throw new ThinkonError('BAD_INPUT', text)
  }
  const changes = reopenParents(tree, task, `task ${task.index} is done again`)
  for (const below of depthFirst(task)) {
    if (!isEnded(below.status)) continue
    newAttempt(tree, below, message, changes)
    below.redo_message = message
  }
  return changes
}

/** New attempts, from the top down, of those above the task that have ended. */
export function reopenParents(tree: TaskTree, task: Task, reason: string): StatusChange[] {
  const ended: Task[] = []
  for (let above = parentOf(tree, task); above !== undefined; above = parentOf(tree, above)) {
    if (isEnded(above.status)) ended.push(above)
  }
  const changes: StatusChange[] = []
  for (const above of ended.reverse()) newAttempt(tree, above, reason, changes)
  return changes
}

/** Not a transition: another life of the same task, which knows nothing of what the last one came to. */
export function newAttempt(tree: TaskTree, task: Task, reason: string, changes: StatusChange[]): void {
  const counts = countsAbove(tree, task)
  if (counts !== undefined) {
    counts.open++
    if (hasFailed(task)) counts.aborted--
  }
  changes.push({ id: task.id, index: task.index, from: task.status, to: 'created', reason })
  task.status = 'created'
  task.attempt++
  task.status_summary = ''
  task.task_summary = ''
  task.short_summary = ''
  task.long_summary = ''
  task.tool_call_results = {}
  delete task.reason
  delete task.redo_message
  delete task.replaced
}

/** After an edit: ends the parents that have nothing open below them any more. */
export function settleParents(tree: TaskTree): StatusChange[] {
  const changes: StatusChange[] = []
  for (const task of postOrder(tree.root)) endWhenDone(tree, task, changes)
  return changes
}

function beginParents(tree: TaskTree, task: Task, changes: StatusChange[]): void {
  const waiting: Task[] = []
  let above = parentOf(tree, task)
  while (above?.status === 'created') {
    waiting.push(above)
    above = parentOf(tree, above)
  }
  for (const parent of waiting.reverse()) change(tree, parent, 'queueing', changes)
}

function endParents(tree: TaskTree, task: Task, changes: StatusChange[]): void {
  let above = parentOf(tree, task)
  while (above !== undefined && endWhenDone(tree, above, changes)) above = parentOf(tree, above)
}

/** A skipped sub-task counts as ended; one that failed makes the parent fail. */
function endWhenDone(tree: TaskTree, parent: Task, changes: StatusChange[]): boolean {
  const counts = tree.counts.get(parent.id)
  if (counts === undefined || counts.open > 0 || isEnded(parent.status)) return false
  // Everything below was skipped or aborted before it began.
  if (parent.status === 'created') change(tree, parent, 'queueing', changes)
  if (counts.aborted > 0) {
    const failed = parent.subtasks.filter(hasFailed).map(({ index }) => index)
    const more = failed.length > 3 ? ` and ${failed.length - 3} more` : ''
    change(tree, parent, 'aborted', changes, `aborted below: ${failed.slice(0, 3).join(', ')}${more}`)
  } else change(tree, parent, 'completed', changes)
  return true
}

function change(tree: TaskTree, task: Task, to: TaskStatus, changes: StatusChange[], reason?: string): void {
  const from = task.status
  task.status = to
  const counts = countsAbove(tree, task)
  if (counts !== undefined && isEnded(to)) {
    counts.open--
    if (to === 'aborted') counts.aborted++
  }
  const why = reason === undefined || reason === '' ? {} : { reason }
  if (isEnded(to)) Object.assign(task, why)
  changes.push({ id: task.id, index: task.index, from, to, ...why })
}

function countsAbove(tree: TaskTree, task: Task): SubtaskCounts | undefined {
  const parent = parentOf(tree, task)
  return parent === undefined ? undefined : tree.counts.get(parent.id)
}
