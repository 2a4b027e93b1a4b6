/**
 * Carries out the leaves of a tree: those that are ready, as many at once as may be, each by a child block; until all have ended,
 * one has failed and nobody says to go on, or a person ends it. Skips and redos come in while it runs.
 */
import type { Op } from '../../hosts/durable.ts'
import type { Outcome } from '../../protocol/index.ts'
import { cut, oneLine } from '../prompt-text.ts'
import { redoTask, type StatusChange, setStatus, skipTask } from './change-tasks.ts'
import { adjustPlan, splitTask } from './edit-tasks.ts'
import { makeTasks } from './plan-engine.ts'
import { reviewTask } from './review.ts'
import { Schedule } from './schedule.ts'
import { planned, progressOf, type Session, taskOptions } from './session.ts'
import { isEnded } from './task-status.ts'
import { findTask, planOf, type Task, type TaskTree, taskNames } from './tasks.ts'

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

export interface RunEnd {
  /** A person ended it. */
  readonly ended: boolean
  /** The signal that is still listened for. */
  readonly inbox: Op<unknown>
}

export async function runTasks(session: Session, tree: TaskTree, open: Op<unknown>): Promise<RunEnd> {
  const { context } = session
  const { concurrency } = session.options
  const schedule = new Schedule(tree)
  const running: Running[] = []
  /** The children of tasks that have ended: a redo by the kernel changes how they ended. */
  const ended = new Map<string, { op: Op<Outcome>; outcome: Outcome }>()
  let inbox = open
  const told = (changes: readonly StatusChange[]) => {
    for (const change of changes) context.emit('dual/task-changed', change)
    for (const { id } of changes) schedule.ended(id)
  }
  const reopened = (changes: readonly StatusChange[]) => {
    for (const change of changes) context.emit('dual/task-changed', change)
    schedule.rebuild()
  }
  for (;;) {
    for (const task of schedule.ready(concurrency - running.length)) {
      told([...setStatus(tree, task.id, 'queueing'), ...setStatus(tree, task.id, 'processing')])
      const op = context.call(taskGoal(task), { kind: 'leaf', options: taskOptions(session, tree, task) })
      running.push({ task, op })
    }
    const ops = [...running.map(({ op }) => op), inbox]
    if (running.length === 0) {
      // What came in while the last task ended still counts.
      const late = await lookAt(session, inbox)
      if (late === null) return { ended: false, inbox }
      inbox = late.next
      await takeSignal(late.value)
      continue
    }
    const winner = await context.first(ops)
    if (winner === running.length) {
      const value = await context.one(inbox)
      inbox = context.listen('subtask')
      await takeSignal(value)
    } else {
      const [{ task, op, redo }] = running.splice(winner, 1) as [Running]
      const outcome = context.outcomeOf(op) as Outcome
      if (redo !== undefined) {
        told(setStatus(tree, task.id, 'aborted', 'it is done again'))
        reopened(redoTask(tree, task.id, redo))
        continue
      }
      if (!isEnded(task.status)) told(endTask(tree, task, outcome))
      ended.set(task.id, { op, outcome })
      if (!(await goOn(task, outcome))) return { ended: true, inbox }
    }
    takeRedone()
  }

  /** A child that the kernel has done again: its last outcome is the task's. */
  function takeRedone(): void {
    for (const [id, known] of ended) {
      const outcome = context.outcomeOf(known.op) as Outcome
      if (outcome === known.outcome) continue
      known.outcome = outcome
      const task = findTask(tree, id)
      if (task === undefined) continue
      reopened(redoTask(tree, id, 'done again'))
      told([
        ...setStatus(tree, id, 'queueing'),
        ...setStatus(tree, id, 'processing'),
        ...endTask(tree, task, outcome),
      ])
    }
  }

  async function takeSignal(value: unknown): Promise<void> {
    const {
      do: what,
      subtask_index: index,
      reason = '',
      user_message: message = '',
    } = (value ?? {}) as Partial<SubtaskSignal>
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
      told(skipTask(tree, task.id, reason))
      for (const { op } of inside) await context.cancel(op, reason)
      return
    }
    for (const one of inside) {
      one.redo = message
      await context.cancel(one.op, 'it is done again')
    }
    if (isEnded(task.status)) reopened(redoTask(tree, task.id, message))
  }

  /** What comes after a task, as a review says; a failure stops the plan unless one does. */
  async function goOn(task: Task, outcome: Outcome): Promise<boolean> {
    const about = `${task.index} "${task.name}" ${task.status}${task.reason === undefined ? '' : ` (${task.reason})`}: ${cut(outcome.result, 1_500)}\n${progressOf(session, tree)}`
    const review = await reviewTask(context, about)
    if (review.choice !== 'continue') context.emit('dual/task-reviewed', { index: task.index, ...review })
    const plan = planOf(tree)
    if (review.choice === 'end') return false
    if (review.choice === 'inaccurate') reopened(redoTask(tree, task.id, review.words || 'it is inaccurate'))
    if (review.choice === 'adjust') {
      const words = `The rest of the plan is to be changed; answer with the tasks that are still to be done, alone, as "tasks". ${review.words}`
      reopened(adjustPlan(tree, await makeTasks(context, session.asked, { plan, words }, keptNames(tree))))
      planned(session, tree)
    }
    if (review.choice === 'deeper') {
      const words = `Break the task "${task.name}" (${task.goal}) into sub-tasks; answer with them alone as "tasks". ${review.words}`
      const parts = await makeTasks(context, session.asked, { plan, words }, taskNames(tree))
      reopened(splitTask(tree, task.id, parts, review.words || 'think deeper'))
      planned(session, tree)
    }
    return true
  }
}

/** A signal that is there already, and the next one to listen for; null when there is none. */
async function lookAt(
  { context }: Session,
  inbox: Op<unknown>,
): Promise<{ value: unknown; next: Op<unknown> } | null> {
  const tick = context.ask({ text: 'is there anything else?' }, { name: 'subtask-end', timeoutMs: 0 })
  if ((await context.first([inbox, tick])) !== 0) return null
  const value = await context.one(inbox)
  await context.all([tick])
  return { value, next: context.listen('subtask') }
}

function problemOf(what: unknown, task: Task | undefined, message: string): string | null {
  if (task === undefined) return 'there is no such task'
  if (what === 'skip') return isEnded(task.status) ? `it is ${task.status} already` : null
  if (what !== 'redo') return 'a task can be skipped or done again'
  return message.trim() === '' ? 'a redo needs a message that says what to do better' : null
}

/** Partial, failed and cancelled show as aborted, with their reason; running out of anything is not completion. */
function endTask(tree: TaskTree, task: Task, outcome: Outcome): StatusChange[] {
  const { status, result, reason } = outcome
  task.long_summary = result
  task.task_summary = cut(oneLine(result), MAX_SUMMARY)
  task.short_summary = cut(oneLine(result), MAX_SHORT)
  if (status === 'completed') return setStatus(tree, task.id, 'completed')
  if (status === 'skipped') return skipTask(tree, task.id, reason ?? '')
  return setStatus(tree, task.id, 'aborted', `${status}${reason === undefined ? '' : `: ${reason}`}`)
}

/** The same goal again is another goal when somebody has said what to do better. */
function taskGoal({ name, goal, redo_message: message }: Task): string {
  const task = goal === name ? goal : `${name}: ${goal}`
  return message === undefined ? task : `${task}\n(${message})`
}

function isBelow(task: Task, above: Task): boolean {
  return task.index.startsWith(`${above.index}-`)
}

/** Names of what has begun: the rest may use the others again. */
function keptNames(tree: TaskTree): string[] {
  return [...tree.byId.values()].filter(({ status }) => status !== 'created').map(({ name }) => name)
}
