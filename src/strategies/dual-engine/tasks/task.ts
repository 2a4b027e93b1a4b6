/**
 * A task of a plan, as plain data, and the life of one: created → queueing → processing → completed. A parent is not executed
 * itself, so it may go from queueing to completed. Whatever has not ended can be aborted or skipped. Nothing leads out of an
 * ended status: a redo is a new attempt, not a transition. If that is skipped, what an earlier attempt completed stands.
 */
import { ThinkonError } from '../../../protocol/index.ts'

/** The plan as a model writes it: the document's JSON, with `subtasks` and `depends_on` added. `plan.schema.json` publishes it. */
export interface Plan {
  readonly main_task: string
  readonly main_task_goal: string
  readonly tasks: readonly PlanTask[]
}

export interface PlanTask {
  readonly subtask_name: string
  readonly subtask_goal: string
  /** Names of tasks of the same plan, anywhere in it. */
  readonly depends_on?: readonly string[]
  readonly subtasks?: readonly PlanTask[]
}

/** It is written to the journal. The document's fields, with `id`, `attempt` and those after it added. */
export interface Task {
  /** Never changes. */
  readonly id: string
  /**
   * Where it stands (`1-2-3`; the root is `1`): changes when the plan is edited. The root of a plan that a task has asked for is the
   * task's first or a further part (`1-2-3-1`), so that an index means one task in a run.
   */
  index: string
  name: string
  goal: string
  parent_index: string | null
  subtasks: Task[]
  /** Ids, so that they outlive a renaming. */
  depends_on: string[]
  status: TaskStatus
  status_summary: string
  task_summary: string
  short_summary: string
  long_summary: string
  /** A call's id, and where its result is kept. */
  tool_call_results: Record<string, string>
  /** 1 for the first. */
  attempt: number
  /** Why it was aborted or skipped. */
  reason?: string
  /** What the person said who wants it done again. */
  redo_message?: string
  /** Aborted, and the plan was adjusted to do without it: no longer a failure of its parent. */
  replaced?: true
}

export const TASK_STATUSES = ['created', 'queueing', 'processing', 'completed', 'aborted', 'skipped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export interface StatusChange {
  readonly id: string
  readonly index: string
  readonly from: TaskStatus
  readonly to: TaskStatus
  readonly reason?: string
  /** Of a redo that was given up: the earlier attempt, whose status this is again. */
  readonly attempt?: number
}

const NEXT: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  created: ['queueing', 'aborted', 'skipped'],
  queueing: ['processing', 'aborted', 'skipped'],
  processing: ['completed', 'aborted', 'skipped'],
  completed: [],
  aborted: [],
  skipped: [],
}

/** Throws STRATEGY_ERROR when the task can't go there from where it is. */
export function checkTransition(
  task: Pick<Task, 'index' | 'name' | 'status'> & { readonly subtasks: readonly unknown[] },
  to: TaskStatus,
): void {
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

export function hasBegun({ status }: Task): boolean {
  return status === 'processing' || isEnded(status)
}

export function hasFailed({ status, replaced }: Task): boolean {
  return status === 'aborted' && replaced !== true
}

export function isLeaf({ subtasks }: Task): boolean {
  return subtasks.length === 0
}

/** Without a look at all of the tree, which may be large. */
export function hasOneLeaf({ subtasks }: Task): boolean {
  const [first, second] = subtasks
  return first === undefined || (second === undefined && hasOneLeaf(first))
}

/** Parents before their sub-tasks, from left to right. */
export function depthFirst(root: Task): Task[] {
  const order: Task[] = []
  const stack = [root]
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    order.push(task)
    for (const subtask of task.subtasks.toReversed()) stack.push(subtask)
  }
  return order
}

/** Sub-tasks before their parents, from left to right. */
export function postOrder(root: Task): Task[] {
  const order: Task[] = []
  const stack = [root]
  // The mirrored depth-first order, read backwards.
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    order.push(task)
    for (const subtask of task.subtasks) stack.push(subtask)
  }
  return order.reverse()
}
