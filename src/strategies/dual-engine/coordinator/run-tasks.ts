/**
 * Carries out the leaves of a tree: those that are ready, as many at once as the options allow, each in a child block; until all have
 * ended or wait for one that failed, the budget is spent, or a person ends it. Skips and redos may arrive while it runs.
 */
import { type Outcome, placeOf, shorten, ThinkonError } from '../../../protocol/index.ts'
import { makeParts, makeRest } from '../plan/make-plan.ts'
import { type Reviewed, reviewTask } from '../review/ask-review.ts'
import type { TaskReview } from '../schema.ts'
import { adjustPlan, redoTask, setStatus, splitTask } from '../tasks/change-tasks.ts'
import { depthFirst, hasFailed, isEnded, isLeaf, type Task } from '../tasks/task.ts'
import {
  type Execution,
  endRunning,
  linksOf,
  type Running,
  recordEnd,
  report,
  reportReopened,
} from './execution.ts'
import { mendPlan } from './mend-plan.ts'
import { redoByPerson, takeRedone } from './redo-tasks.ts'
import { refusalOf } from './refine-plan.ts'
import { marksOf, progressOf, publishPlan, reviewedPlan, taskOptions } from './session.ts'
import { takeSignal, waitingFor } from './take-signal.ts'

/** True when a person ended it. */
export async function runTasks(execution: Execution): Promise<boolean> {
  const { session, schedule, running } = execution
  const { context, options } = session
  for (;;) {
    beginTasks(execution, schedule.ready(options.concurrency - running.length))
    if (running.length === 0) return false
    const winner = await context.first([...running.map(({ op }) => op), execution.inbox])
    if (winner === running.length) await takeSignal(execution)
    else {
      const [one] = running.splice(winner, 1) as [Running]
      if (!(await taskEnded(execution, one))) return true
    }
    await takeRedone(execution)
  }
}

/** Each knows which others begin with it. */
function beginTasks(execution: Execution, tasks: readonly Task[]): void {
  const { tree } = execution
  for (const { id } of tasks)
    report(execution, [...setStatus(tree, id, 'queueing'), ...setStatus(tree, id, 'processing')])
  for (const task of tasks) beginTask(execution, task)
}

function beginTask(execution: Execution, task: Task): void {
  const { session, tree, running, blocks } = execution
  try {
    const options = taskOptions(session, tree, task, linksOf(execution, task))
    const op = session.context.call(taskGoal(task), { kind: 'leaf', options })
    blocks.set(task.id, placeOf(session.context.pathOf(op)))
    running.push({ task, op })
  } catch (thrown) {
    // The same task in the same words would have the same result: the kernel refuses it, and the plan stops here.
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'LOOP') throw thrown
    report(execution, setStatus(tree, task.id, 'aborted', thrown.message))
  }
}

/** The same goal again is another goal when somebody has said what to do better. */
function taskGoal({ name, goal, redo_message: message }: Task): string {
  const task = goal === name ? goal : `${name}: ${goal}`
  return message === undefined ? task : `${task}\n(${message})`
}

/** False when a person ends it here. */
async function taskEnded(execution: Execution, { task, op, redo }: Running): Promise<boolean> {
  const { tree } = execution
  if (redo !== undefined) {
    if (!isEnded(task.status)) report(execution, setStatus(tree, task.id, 'aborted', 'it is done again'))
    reportReopened(execution, redoTask(tree, task.id, redo.message, redo.because))
    return true
  }
  const isOver = isEnded(task.status)
  const outcome = recordEnd(execution, task, op)
  // A skipped task needs no review: a person has judged it already.
  return isOver || outcome.status === 'skipped' || afterTask(execution, task, outcome)
}

/** Has the task reviewed and does what the review says; without one, or with a yes, a failure is mended. False to end here. */
async function afterTask(execution: Execution, task: Task, outcome: Outcome): Promise<boolean> {
  const { session } = execution
  const { context } = session
  if (isUndoubted(execution, task)) return true
  let problem: string | null = null
  do {
    const about = aboutTask(execution, task, outcome, problem)
    const review = await reviewTask(session, about, waitingFor(execution))
    if (review === null) return mendPlan(execution, task, outcome)
    context.emit('dual/task-reviewed', { index: task.index, ...review })
    if (review.choice === 'end') {
      await endRunning(execution, 'a person ended it here')
      return false
    }
    if (review.choice === 'continue') {
      execution.schedule.goOn()
      return mendPlan(execution, task, outcome)
    }
    problem = await follow(execution, task, review)
  } while (problem !== null)
  return true
}

/** A model judges how risky it is to go on: after the last task, unless it failed, there is nothing to go on to. A person may still want it redone. */
function isUndoubted({ session, tree }: Execution, task: Task): boolean {
  if (session.options.review !== 'ai' || hasFailed(task)) return false
  return depthFirst(tree.root).every((one) => !isLeaf(one) || isEnded(one.status))
}

function aboutTask(
  { session, tree }: Execution,
  { index, name, status, reason }: Task,
  { result }: Outcome,
  problem: string | null,
): Reviewed {
  const why = reason === undefined ? '' : ` (${reason})`
  const text = (shown: string, progress: string) => {
    const task = `${index} "${name}" ${status}${why}: ${shown}`
    return `${problem === null ? '' : `! ${problem}\n`}${task}\n${progress}`
  }
  return {
    shown: text(shorten(result, MAX_SHOWN), progressOf(session, tree)),
    whole: text(result, reviewedPlan(session, tree)),
    task: `${index} "${name}"`,
  }
}

/** Of a result, on a person's screen. */
const MAX_SHOWN = 1_500

/** Does what a review wants; returns the problem when the plan can't be changed like that. */
async function follow(
  execution: Execution,
  task: Task,
  { choice, words }: Exclude<TaskReview, { choice: 'continue' | 'end' }>,
): Promise<string | null> {
  const { session, tree } = execution
  if (choice === 'inaccurate') {
    // Unless it will be redone anyway.
    if (isEnded(task.status)) await redoByPerson(execution, task, words || 'it is inaccurate')
    return null
  }
  try {
    const changes =
      choice === 'adjust'
        ? adjustPlan(tree, await makeRest(session, tree, words, marksOf(session, tree.root)))
        : splitTask(tree, task.id, await makeParts(session, tree, task, words), words || 'think deeper')
    reportReopened(execution, changes)
  } catch (thrown) {
    return refusalOf(session.context, thrown)
  }
  publishPlan(session, tree)
  return null
}
