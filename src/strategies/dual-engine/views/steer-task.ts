/** `skip` and `redo` of a task of a plan, which a coordinator takes as a signal named `subtask`. */
import { isInside, nearest, type Outcome, parentPath, ThinkonError } from '../../../protocol/index.ts'
import type { SteerRequest, SteerSignal } from '../../../views/strategy-view.ts'
import { cleanLine } from '../../../views/text-width.ts'
import { noteIn, type Task } from '../notes.ts'
import { STEER_WORDS, type SteerWords } from './steer-words.ts'
import { planOf, type TaskPlan, taskIndexOf } from './task-plan.ts'

const ENDED = ['completed', 'aborted', 'skipped']
const MAX_LISTED = 12

export function steerTask(request: SteerRequest): SteerSignal {
  const { act, message, state, hint } = request
  const words = STEER_WORDS[request.lang]
  const index = request.target.trim()
  if (act === 'redo' && message.trim() === '') throw badInput(words.needsMessage)
  const plan = planWith(request, index)
  const { path } = plan
  if (state.outcome !== null) throw hasEnded(request, state.outcome.status, index, plan)
  const task = taskOf(request, plan, index)
  const name = words.task(index, cleanLine(task.name, 60))
  const { status } = task
  if (act === 'skip' && ENDED.includes(status)) {
    const again = hint(`redo ${state.run} ${path} --task ${index} -m '…'`)
    throw badInput(words.endedAlready(name, status, again))
  }
  if (act === 'redo' && status === 'created') throw badInput(words.notBegun(name))
  return {
    path,
    name: 'subtask',
    value: { do: act, subtask_index: index, [act === 'skip' ? 'reason' : 'user_message']: message },
    notice: words.sent(act, name, nextOf(act, task, words)),
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

function nextOf(act: SteerRequest['act'], { status, attempt }: Task, words: SteerWords): string {
  if (act === 'skip' && attempt > 1) return words.notAgain
  return status === 'created' ? words.willNotBegin : words.next[act]
}

/** The block that carried the task out can be done again by a fork. */
function hasEnded(
  { state, hint, lang }: SteerRequest,
  status: Outcome['status'],
  index: string,
  plan: TaskPlan,
): ThinkonError {
  const block = [...plan.taskOf].findLast(([, task]) => task === index)?.[0]
  const words = STEER_WORDS[lang]
  const how = block === undefined ? '' : words.byFork(block, hint(`redo ${state.run} ${block} -m '…'`))
  const known = plan.root !== null ? words.noMore(index) : words.noPlan
  return badInput(`${words.runEnded(state.run, status)}${known}${how}`)
}

function taskOf(request: SteerRequest, plan: TaskPlan, index: string): Task {
  if (plan.root === null) throw noPlan(request, plan)
  const task = plan.byIndex.get(index)
  if (task !== undefined) return task
  const known = [...plan.byIndex.keys()]
  const meant = nearest(index, known)
  const list = `${known.slice(0, MAX_LISTED).join(', ')}${known.length > MAX_LISTED ? ', …' : ''}`
  const words = STEER_WORDS[request.lang]
  throw badInput(words.noTask(request.path, index, meant, list), { subtask_index: index })
}

function noPlan(
  { journal, path, state: { run }, hint, lang }: SteerRequest,
  { phase }: TaskPlan,
): ThinkonError {
  const words = STEER_WORDS[lang]
  const above = parentPath(path)
  const begun = journal.findLast((event) => event.type === 'block-start' && event.path === path)
  const performs = begun?.type === 'block-start' ? taskIndexOf(begun) : null
  if (performs !== null && above !== null)
    return badInput(words.performs(path, performs, above, hint(`… ${run} ${above} --task ${performs}`)))
  return badInput(phase === '' ? words.noTasks(path, run) : words.noPlanYet(path, run))
}

function badInput(message: string, data: Record<string, unknown> = {}): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { data })
}
