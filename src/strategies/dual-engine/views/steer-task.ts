/** `skip` and `redo` of a task of a plan, which a coordinator takes as a signal named `subtask`. */
import { isInside, nearest, type Outcome, parentPath, ThinkonError } from '../../../protocol/index.ts'
import type { SteerRequest, SteerSignal } from '../../../views/strategy-view.ts'
import { cleanLine } from '../../../views/text-width.ts'
import { noteIn, type Task } from '../notes.ts'
import { planOf, type TaskPlan, taskIndexOf } from './task-plan.ts'

const ENDED = ['completed', 'aborted', 'skipped']
const MAX_LISTED = 12
const NEXT = {
  skip: 'it ends, and the plan continues',
  redo: 'it is done again, with your message, and then what depends on it',
}

export function steerTask(request: SteerRequest): SteerSignal {
  const { act, message, state, hint } = request
  const index = request.target.trim()
  if (act === 'redo' && message.trim() === '')
    throw badInput('a redo of a task needs a message that says what to do better: --message "…"')
  const plan = planWith(request, index)
  const { path } = plan
  if (state.outcome !== null) throw hasEnded(request, state.outcome.status, index, plan)
  const task = taskOf(request, plan, index)
  const name = `task ${index} "${cleanLine(task.name, 60)}"`
  const { status } = task
  if (act === 'skip' && ENDED.includes(status)) {
    const again = hint(`redo ${state.run} ${path} --task ${index} -m '…'`)
    throw badInput(`${name} is ${status} already; to have it done again: ${again}`)
  }
  if (act === 'redo' && status === 'created')
    throw badInput(`${name} has not begun yet: there is nothing to do again`)
  return {
    path,
    name: 'subtask',
    value: { do: act, subtask_index: index, [act === 'skip' ? 'reason' : 'user_message']: message },
    notice: `${act} sent for ${name}: ${nextOf(act, task)}`,
  }
}

/** The plan of the block; if it has no such task, the last one that has: an index means one task in a run. */
function planWith({ journal, path }: SteerRequest, index: string): TaskPlan {
  const own = planOf(journal, path)
  if (own.byIndex.has(index)) return own
  const paths = new Set(
    journal.flatMap((event) => (noteIn(event)?.name === 'dual/plan-changed' ? event.path : [])),
  )
  const others = [...paths].reverse().filter((other) => isInside(other, path))
  for (const other of others) {
    const plan = planOf(journal, other)
    if (plan.index !== null && plan.byIndex.has(index)) return plan
  }
  return own
}

function nextOf(act: SteerRequest['act'], { status, attempt }: Task): string {
  if (act === 'skip' && attempt > 1) return 'it is not done again; if it was completed before, that stands'
  return status === 'created' ? 'it will not be begun' : NEXT[act]
}

/** The block that carried the task out can be done again by a fork. */
function hasEnded(
  { state, hint }: SteerRequest,
  status: Outcome['status'],
  index: string,
  plan: TaskPlan,
): ThinkonError {
  const block = [...plan.taskOf].findLast(([, task]) => task === index)?.[0]
  const how =
    block === undefined
      ? ''
      : `; its block ${block} can be done again by a fork: ${hint(`redo ${state.run} ${block} -m '…'`)}`
  const known = plan.root !== null ? `task ${index} can't be steered any more` : 'it has no plan'
  return badInput(`run ${state.run} has ended (${status}): ${known}${how}`)
}

function taskOf(request: SteerRequest, plan: TaskPlan, index: string): Task {
  if (plan.root === null) throw noPlan(request, plan)
  const task = plan.byIndex.get(index)
  if (task !== undefined) return task
  const known = [...plan.byIndex.keys()]
  const meant = nearest(index, known)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const list = `${known.slice(0, MAX_LISTED).join(', ')}${known.length > MAX_LISTED ? ', …' : ''}`
  throw badInput(`the plan of block ${request.path} has no task "${index}"${hint} It has: ${list}`, {
    subtask_index: index,
  })
}

function noPlan({ journal, path, state: { run }, hint }: SteerRequest, { phase }: TaskPlan): ThinkonError {
  const above = parentPath(path)
  const begun = journal.findLast((event) => event.type === 'block-start' && event.path === path)
  const performs = begun?.type === 'block-start' ? taskIndexOf(begun) : null
  if (performs !== null && above !== null)
    return badInput(
      `block ${path} carries out task ${performs} of block ${above} and has no plan of its own: ${hint(`… ${run} ${above} --task ${performs}`)}`,
    )
  return badInput(
    phase === ''
      ? `block ${path} of run ${run} has no plan of tasks: --task is for blocks of the strategy dual`
      : `block ${path} of run ${run} has no plan yet: try again when it has one`,
  )
}

function badInput(message: string, data: Record<string, unknown> = {}): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { data })
}
