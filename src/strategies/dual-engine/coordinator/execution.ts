/** A tree that is being carried out: who runs, who has ended, and every change of a status where it belongs. */
import type { Op } from '../../../kernel/durable.ts'
import { type Outcome, oneLine, shorten } from '../../../protocol/index.ts'
import { schemaShape } from '../../../schema/schema-shape.ts'
import { setStatus, skipTask } from '../tasks/change-tasks.ts'
import { isLastLeaf, neededLeaves } from '../tasks/needs.ts'
import { Schedule } from '../tasks/schedule.ts'
import { isEnded, type StatusChange, type Task } from '../tasks/task.ts'
import type { TaskTree } from '../tasks/tree.ts'
import type { Session, TaskLinks } from './session.ts'

const MAX_SHORT = 120
const MAX_SUMMARY = 400

export interface Running {
  readonly task: Task
  readonly op: Op<Outcome>
  /** It was cancelled to be done again with this message; because of the task with this id, on which it builds, where given. */
  redo?: { readonly message: string; readonly because?: string }
}

interface EndedChild {
  readonly op: Op<Outcome>
  readonly outcome: Outcome
}

export interface Execution {
  readonly session: Session
  readonly tree: TaskTree
  readonly schedule: Schedule
  readonly running: Running[]
  /** The children of tasks that have ended, by the tasks' ids: a redo by the kernel changes how they ended. */
  readonly ended: Map<string, EndedChild>
  /** The same of attempts that are done again: they come back where that is given up. */
  readonly before: Map<string, EndedChild & { readonly block: string }>
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
    before: new Map(),
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
  const { output } = session.context
  return {
    needs: neededLeaves(tree, task).flatMap(({ id }) => blocks.get(id) ?? []),
    superseded: [...superseded],
    ...(before !== undefined && { before }),
    ...(last.has(task.id) && { last: true, ...(output && { form: schemaShape(output) }) }),
  }
}

/** Changes that have happened: for the journal, and for what waits for the end of a task. */
export function report(execution: Execution, changes: readonly StatusChange[]): void {
  const { session, schedule } = execution
  for (const change of changes) {
    session.context.emit('dual/task-changed', change)
    if (change.attempt !== undefined) standsAgain(execution, change.id)
  }
  for (const { id } of changes) schedule.ended(id)
}

/** The block of the earlier attempt is the task's again. */
function standsAgain({ ended, before, blocks, superseded }: Execution, id: string): void {
  const kept = before.get(id)
  if (kept === undefined) return
  const { block, ...child } = kept
  const givenUp = blocks.get(id)
  if (givenUp !== undefined && givenUp !== block) superseded.add(givenUp)
  superseded.delete(block)
  blocks.set(id, block)
  ended.set(id, child)
}

/** Changes after which tasks that had ended are open again. */
export function reportReopened(execution: Execution, changes: readonly StatusChange[]): void {
  const { session, schedule, ended, before, blocks } = execution
  for (const change of changes) {
    session.context.emit('dual/task-changed', change)
    if (change.to !== 'created') continue
    const [child, block] = [ended.get(change.id), blocks.get(change.id)]
    if (child?.outcome.status === 'completed' && block !== undefined)
      before.set(change.id, { ...child, block })
    ended.delete(change.id)
  }
  schedule.rebuild()
}

/** The child of a task has ended: so has the task, unless it was skipped meanwhile. */
export function recordEnd(execution: Execution, task: Task, op: Op<Outcome>): Outcome {
  const { session, tree, ended } = execution
  const outcome = session.context.outcomeOf(op) as Outcome
  // A skip may have brought an earlier attempt back, which has another child.
  if (!isEnded(task.status) || task.status === 'skipped') ended.set(task.id, { op, outcome })
  if (!isEnded(task.status)) report(execution, endTask(tree, task, outcome))
  return outcome
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
  Object.assign(task, summariesOf(result))
  if (status === 'completed') return setStatus(tree, task.id, 'completed')
  if (status === 'skipped') return skipTask(tree, task.id, reason ?? '')
  return setStatus(tree, task.id, 'aborted', `${status}${reason === undefined ? '' : `: ${reason}`}`)
}

/** A result, in the lengths that a task has it in. */
export function summariesOf(result: string): Pick<Task, 'long_summary' | 'task_summary' | 'short_summary'> {
  const line = oneLine(result)
  return {
    long_summary: result,
    task_summary: shorten(line, MAX_SUMMARY),
    short_summary: shorten(line, MAX_SHORT),
  }
}
