/** Skips and redos of tasks, which people send while a plan is carried out. */
import type { Op } from '../../../kernel/durable.ts'
import { skipTask } from '../tasks/change-tasks.ts'
import { redoReach } from '../tasks/needs.ts'
import { depthFirst, hasBegun, isEnded, type Task } from '../tasks/task.ts'
import { findTask } from '../tasks/tree.ts'
import { type Execution, report } from './execution.ts'
import { redoByPerson } from './redo-tasks.ts'

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
  const { session, tree } = execution
  const { context } = session
  const value = await context.one(execution.inbox)
  execution.inbox = context.listen('subtask')
  const given = (value ?? {}) as Partial<Record<keyof SubtaskSignal, unknown>>
  const { do: what, subtask_index: index } = given
  const [reason, message] = [asText(given.reason), asText(given.user_message)]
  const task = findTask(tree, String(index))
  const problem = problemOf(what, task, message)
  const signal = { do: what, subtask_index: index, reason, user_message: message }
  if (problem !== null || task === undefined) {
    context.emit('dual/subtask-signalled', { ...signal, ...(problem && { problem }) })
    return
  }
  const reached = what === 'redo' ? redoReach(tree, task) : {}
  context.emit('dual/subtask-signalled', { ...signal, ...reached })
  await (what === 'skip' ? skip(execution, task, reason) : redoByPerson(execution, task, message))
}

async function skip(execution: Execution, task: Task, reason: string): Promise<void> {
  const { session, tree, running } = execution
  const inside = running.filter((one) => `${one.task.index}-`.startsWith(`${task.index}-`))
  report(execution, skipTask(tree, task.id, reason))
  for (const one of inside) {
    delete one.redo
    await session.context.cancel(one.op, reason)
  }
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
