/**
 * The life of a task: created → queueing → processing → completed. A parent is not executed, so it may go from queueing to
 * completed. Whatever has not ended can be aborted or skipped. Nothing leads out of an ended status: a redo is a new
 * attempt, not a transition.
 */
import { ThinkonError } from '../../../protocol/index.ts'

export const TASK_STATUSES = ['created', 'queueing', 'processing', 'completed', 'aborted', 'skipped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

const NEXT: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  created: ['queueing', 'aborted', 'skipped'],
  queueing: ['processing', 'aborted', 'skipped'],
  processing: ['completed', 'aborted', 'skipped'],
  completed: [],
  aborted: [],
  skipped: [],
}

export interface StatusHolder {
  readonly index: string
  readonly name: string
  readonly status: TaskStatus
  readonly subtasks: readonly unknown[]
}

/** Throws STRATEGY_ERROR when the task can't go there from where it is. */
export function checkTransition(task: StatusHolder, to: TaskStatus): void {
  const { index, name, status: from } = task
  if (NEXT[from].includes(to)) return
  if (from === 'queueing' && to === 'completed' && task.subtasks.length > 0) return
  throw new ThinkonError('STRATEGY_ERROR', `task ${index} "${name}" can't go from ${from} to ${to}`, {
    data: { index, name, from, to },
  })
}

export function isEnded(status: TaskStatus): boolean {
  return NEXT[status].length === 0
}
