/** A tree that is being carried out: who runs, who has ended, every change of a status where it belongs, and skips and redos. */
import type { Op } from '../../../kernel/durable.ts'
import { type Outcome, oneLine, shorten } from '../../../protocol/index.ts'
import { redoTask, setStatus, skipTask } from '../tasks/change-tasks.ts'
import { isLastLeaf, neededLeaves } from '../tasks/needs.ts'
import { Schedule } from '../tasks/schedule.ts'
import { depthFirst, hasBegun, isEnded, isLeaf, type StatusChange, type Task } from '../tasks/task.ts'
import { findTask, type TaskTree } from '../tasks/tree.ts'
import type { Session, TaskLinks } from './session.ts'

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
  /** The blocks of tasks that have begun, by the tasks' ids; those of attempts that were replaced are superseded. */
  readonly blocks: Map<string, string>
  readonly superseded: Set<string>
  /** Tasks that were told that their result is the plan's; none where a blueprint says how to sum up. */
  readonly last: Set<string>
  /** How often the plan was mended after a failure. */
  mends: number
  /** What is listened for. */
  inbox: Op<unknown>
}

export function beginExecution(session: Session, tree: TaskTree): Execution {
  const inbox = session.context.listen('subtask')
  return {
    session,
    tree,
    schedule: new Schedule(tree),
    running: [],
    ended: new Map(),
    blocks: new Map(),
    superseded: new Set(),
    last: new Set(),
    mends: 0,
    inbox,
  }
}

/** How the task that begins stands to the others. */
export function linksOf({ session, tree, blocks, superseded, last }: Execution, task: Task): TaskLinks {
  const before = blocks.get(task.id)
  if (before !== undefined) superseded.add(before)
  if (session.options.close === undefined && isLastLeaf(tree, task)) last.add(task.id)
  return {
    needs: neededLeaves(tree, task).flatMap(({ id }) => blocks.get(id) ?? []),
    superseded: [...superseded],
    ...(before !== undefined && { before }),
    ...(last.has(task.id) && { last: true }),
  }
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
  const inside = running.filter((one) => `${one.task.index}-`.startsWith(`${task.index}-`))
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

/** Waits for a person's answer. A skip that arrives meanwhile takes effect before the next task begins. */
export function waitingFor(execution: Execution): (op: Op) => Promise<unknown> {
  const { context } = execution.session
  return async (op) => {
    while ((await context.first([op, execution.inbox])) === 1) await takeSignal(execution)
    return context.one(op)
  }
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
