/**
 * Carries out the leaves of a tree: those that are ready, as many at once as may be, each by a child block; until all have ended,
 * one has failed and nobody says to go on, or a person ends it. Skips and redos come in while it runs.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import { type Outcome, oneLine, shorten, ThinkonError } from '../../../protocol/index.ts'
import { makeTasks } from '../plan/make-plan.ts'
import { reviewTask, type TaskReview } from '../review/review.ts'
import { redoTask, type StatusChange, setStatus, skipTask } from '../tasks/change-tasks.ts'
import { adjustPlan, splitTask } from '../tasks/edit-tasks.ts'
import { Schedule } from '../tasks/schedule.ts'
import { isEnded } from '../tasks/task-status.ts'
import { depthFirst, findTask, isLeaf, planOf, type Task, type TaskTree, taskNames } from '../tasks/tree.ts'
import { planned, progressOf, type Session, taskOptions } from './session.ts'

const MAX_SHORT = 120
const MAX_SUMMARY = 400

/** What a person wants of a task: the document's fields. */
export interface SubtaskSignal {
  readonly do: 'skip' | 'redo'
  readonly subtask_index: string
  /** Of a skip. */
  readonly reason?: string
  /** Of a redo: what to do better. */
  readonly user_message?: string
}

interface Running {
  readonly task: Task
  readonly op: Op<Outcome>
  /** It was cancelled to be done again with this message. */
  redo?: string
}

/** A tree that is being carried out. */
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

/** True when a person ended it. */
export async function runTasks(execution: Execution): Promise<boolean> {
  const { session, schedule, running } = execution
  const { context, options } = session
  for (;;) {
    for (const task of schedule.ready(options.concurrency - running.length)) beginTask(execution, task)
    if (running.length === 0) return false
    const winner = await context.first([...running.map(({ op }) => op), execution.inbox])
    if (winner === running.length) await takeSignal(execution)
    else {
      const [one] = running.splice(winner, 1) as [Running]
      if (!(await taskEnded(execution, one))) return true
    }
    takeRedone(execution)
  }
}

function beginTask(execution: Execution, task: Task): void {
  const { session, tree, running } = execution
  told(execution, [...setStatus(tree, task.id, 'queueing'), ...setStatus(tree, task.id, 'processing')])
  try {
    const op = session.context.call(taskGoal(task), {
      kind: 'leaf',
      options: taskOptions(session, tree, task),
    })
    running.push({ task, op })
  } catch (thrown) {
    // The same task with the same words comes to the same: the kernel refuses it, and the plan stops here.
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'LOOP') throw thrown
    told(execution, setStatus(tree, task.id, 'aborted', thrown.message))
  }
}

/** False when a person ends it here. */
async function taskEnded(execution: Execution, { task, op, redo }: Running): Promise<boolean> {
  const { session, tree, ended } = execution
  const outcome = session.context.outcomeOf(op) as Outcome
  if (redo !== undefined) {
    if (!isEnded(task.status)) told(execution, setStatus(tree, task.id, 'aborted', 'it is done again'))
    reopened(execution, redoTask(tree, task.id, redo))
    return true
  }
  if (!isEnded(task.status)) told(execution, endTask(tree, task, outcome))
  ended.set(task.id, { op, outcome })
  // Whoever skips a task has said what they think of it.
  return task.status === 'skipped' || goOn(execution, task, outcome)
}

/** Children that the kernel has done again: their last outcomes are the tasks'. True when there were any. */
export function takeRedone(execution: Execution): boolean {
  const { session, tree, ended } = execution
  let found = false
  for (const [id, known] of [...ended]) {
    const outcome = session.context.outcomeOf(known.op) as Outcome
    const task = findTask(tree, id)
    if (outcome === known.outcome || task === undefined) continue
    found = true
    reopened(execution, redoTask(tree, id, 'done again'))
    told(execution, [
      ...setStatus(tree, id, 'queueing'),
      ...setStatus(tree, id, 'processing'),
      ...endTask(tree, task, outcome),
    ])
    ended.set(id, { op: known.op, outcome })
  }
  return found
}

/** Takes what came in, and listens for the next. */
export async function takeSignal(execution: Execution): Promise<void> {
  const { session, tree, running } = execution
  const { context } = session
  const value = await context.one(execution.inbox)
  execution.inbox = context.listen('subtask')
  const given = (value ?? {}) as Partial<Record<keyof SubtaskSignal, unknown>>
  const { do: what, subtask_index: index } = given
  const [reason, message] = [textOf(given.reason), textOf(given.user_message)]
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
    told(execution, skipTask(tree, task.id, reason))
    for (const one of inside) {
      delete one.redo
      await context.cancel(one.op, reason)
    }
    return
  }
  for (const one of inside) {
    one.redo = message
    await context.cancel(one.op, 'it is done again')
  }
  const busy = new Set(inside.map((one) => one.task))
  for (const leaf of endedLeaves(task))
    if (!busy.has(leaf) && isEnded(leaf.status)) reopened(execution, redoTask(tree, leaf.id, message))
}

/** What comes after a task, as a review says; a failure stops the plan unless one does. False to end here. */
async function goOn(execution: Execution, task: Task, outcome: Outcome): Promise<boolean> {
  const { session, tree, schedule } = execution
  const { context } = session
  // A skip that comes in while a person thinks about the last task holds before the next one begins.
  const meanwhile = { inbox: () => execution.inbox, take: () => takeSignal(execution) }
  let problem: string | null = null
  for (;;) {
    const about = `${problem === null ? '' : `! ${problem}\n`}${task.index} "${task.name}" ${task.status}${task.reason === undefined ? '' : ` (${task.reason})`}: ${shorten(outcome.result, 1_500)}\n${progressOf(session, tree)}`
    const review = await reviewTask(context, about, meanwhile)
    if (review === null) return true
    context.emit('dual/task-reviewed', { index: task.index, ...review })
    switch (review.choice) {
      case 'continue':
        schedule.goOn()
        return true
      case 'end':
        await endRunning(execution, 'a person ended it here')
        return false
      case 'inaccurate':
        // Unless it is to be done again already.
        if (isEnded(task.status))
          reopened(execution, redoTask(tree, task.id, review.words || 'it is inaccurate'))
        return true
      default:
        problem = await changePlan(execution, task, review)
        if (problem === null) return true
    }
  }
}

type PlanChange = Extract<TaskReview, { choice: 'adjust' | 'deeper' }>

/** The rest of the plan anew, or parts for a task; what is wrong when nothing came of it that can be used. */
async function changePlan(execution: Execution, task: Task, review: PlanChange): Promise<string | null> {
  const { session, tree } = execution
  const { context, asked } = session
  const plan = planOf(tree)
  try {
    if (review.choice === 'adjust') {
      const words = `The rest of the plan is to be changed; answer with the tasks that are still to be done, alone, as "tasks"; with an empty list when nothing is. ${review.words}`
      const known = { names: keptNames(tree), mayBeNone: true }
      const rest = await makeTasks(context, asked, { plan, words }, known)
      reopened(execution, adjustPlan(tree, rest))
    } else {
      const words = `Break the task "${task.name}" (${task.goal}) into sub-tasks; answer with them alone as "tasks". ${review.words}`
      const parts = await makeTasks(context, asked, { plan, words }, { names: taskNames(tree) })
      reopened(execution, splitTask(tree, task.id, parts, review.words || 'think deeper'))
    }
  } catch (thrown) {
    return tellRefused(context, thrown)
  }
  planned(session, tree)
  return null
}

/** What can't be made of a plan is no reason to give it up; anything else is thrown on. */
export function tellRefused(context: Context, thrown: unknown, edit?: unknown): string {
  if (!ThinkonError.isInstance(thrown) || (thrown.code !== 'BAD_INPUT' && thrown.code !== 'INVALID_FORMAT'))
    throw thrown
  context.emit('dual/edit-refused', { ...(edit !== undefined && { edit }), problem: thrown.message })
  return thrown.message
}

async function endRunning(execution: Execution, reason: string): Promise<void> {
  const { session, tree, running, ended } = execution
  const { context } = session
  const left = running.splice(0)
  for (const { op } of left) await context.cancel(op, reason)
  await context.all(left.map(({ op }) => op))
  for (const { task, op } of left) {
    const outcome = context.outcomeOf(op) as Outcome
    if (!isEnded(task.status)) told(execution, endTask(tree, task, outcome))
    ended.set(task.id, { op, outcome })
  }
}

function told({ session, schedule }: Execution, changes: readonly StatusChange[]): void {
  for (const change of changes) session.context.emit('dual/task-changed', change)
  for (const { id } of changes) schedule.ended(id)
}

function reopened({ session, schedule, ended }: Execution, changes: readonly StatusChange[]): void {
  for (const change of changes) {
    session.context.emit('dual/task-changed', change)
    if (change.to === 'created') ended.delete(change.id)
  }
  schedule.rebuild()
}

/** A signal comes from outside, as it is. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value == null ? '' : JSON.stringify(value)
}

function problemOf(what: unknown, task: Task | undefined, message: string): string | null {
  if (task === undefined) return 'there is no such task'
  if (what === 'skip') return isEnded(task.status) ? `it is ${task.status} already` : null
  if (what !== 'redo') return 'a task can be skipped or done again'
  if (message.trim() === '') return 'a redo needs a message that says what to do better'
  const begun = depthFirst(task).some(({ status }) => status === 'processing' || isEnded(status))
  return begun ? null : 'it has not begun'
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

/** The same goal again is another goal when somebody has said what to do better. */
function taskGoal({ name, goal, redo_message: message }: Task): string {
  const task = goal === name ? goal : `${name}: ${goal}`
  return message === undefined ? task : `${task}\n(${message})`
}

function endedLeaves(task: Task): Task[] {
  return depthFirst(task).filter((one) => isLeaf(one) && isEnded(one.status))
}

function isBelow(task: Task, above: Task): boolean {
  return task.index.startsWith(`${above.index}-`)
}

/** Names of what has begun: the rest may use the others again, and the main task's. */
function keptNames({ byId, root }: TaskTree): string[] {
  return [...byId.values()]
    .filter((task) => task.status !== 'created' && task !== root)
    .map(({ name }) => name)
}
