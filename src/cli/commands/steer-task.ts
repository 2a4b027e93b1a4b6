/** skip and redo of a task of a plan, which a coordinator of the strategy `dual` takes as a signal named `subtask`. */
import { type Event, nearest, parentPath, ROOT_PATH } from '../../protocol/index.ts'
import { planOf, type TaskPlan, taskIndexOf } from '../../views/plan-tasks.ts'
import { oneLine } from '../../views/text-width.ts'
import { type CommandCall, textOption } from '../command.ts'
import { badInput } from '../options.ts'
import { refuseEndedBlock, type Target, tellSent, withBlock } from '../steering.ts'

const SIGNAL = 'subtask'
const ENDED = ['completed', 'aborted', 'skipped']
const NEXT = {
  skip: 'it ends, and the plan goes on',
  redo: 'it is done again, with your message',
}

export function taskOption({ values }: CommandCall): string | undefined {
  return textOption(values, 'task')
}

export function signalTask(call: CommandCall, what: 'skip' | 'redo'): Promise<number> {
  const index = (taskOption(call) ?? '').trim()
  const said = textOption(call.values, 'message') ?? ''
  if (what === 'redo' && said.trim() === '')
    throw badInput('a redo of a task needs a message that says what to do better: --message "…"')
  if (call.values.resume === true) throw badInput('--resume goes with a redo of a block, not of a task')
  const [run = '', path = ROOT_PATH] = call.args
  return withBlock({ ...call, args: [run, path] }, async (target) => {
    const { session, row, block } = target
    const events = [...(await session.engine.events(row.id))]
    const plan = planOf(events, block.path)
    refuseEnded(target, events, index, plan)
    refuseEndedBlock(target)
    const task = taskOf(target, events, plan, index)
    const name = `task ${index} "${oneLine(task.name, 60)}"`
    const { status } = task
    if (what === 'skip' && ENDED.includes(status)) {
      const again = session.hint(`redo ${row.id} ${block.path} --task ${index} -m '…'`)
      throw badInput(`${name} is ${status} already; to have it done again: ${again}`)
    }
    if (what === 'redo' && status === 'created')
      throw badInput(`${name} has not begun yet: there is nothing to do again`)
    const value =
      what === 'skip'
        ? { do: what, subtask_index: index, reason: said }
        : { do: what, subtask_index: index, user_message: said }
    await session.engine.signal(row.id, block.path, SIGNAL, value)
    const next = status === 'created' ? 'it will not be begun' : NEXT[what]
    tellSent(call, target, SIGNAL, value, `${what} sent for ${name}: ${next}`)
    return 0
  })
}

/** A block of the run that carried the task out can be done again by a fork. */
function refuseEnded(
  { state, row, session, block }: Target,
  events: readonly Event[],
  index: string,
  plan: TaskPlan,
): void {
  if (state.outcome === null) return
  const path = [...plan.taskOf].findLast(([, task]) => task === index)?.[0]
  const how =
    path === undefined
      ? ''
      : `; its block ${path} can be done again by a fork: ${session.hint(`redo ${row.id} ${path} -m '…'`)}`
  const known = isCoordinator(events, block.path)
    ? `task ${index} can't be steered any more`
    : 'it has no plan'
  throw badInput(`run ${row.id} has ended (${state.outcome.status}): ${known}${how}`)
}

function taskOf({ row, session, block }: Target, events: readonly Event[], plan: TaskPlan, index: string) {
  if (plan.root === null) {
    const above = parentPath(block.path)
    const begun = events.findLast((event) => event.type === 'block-start' && event.path === block.path)
    const performs = begun?.type === 'block-start' ? taskIndexOf(begun) : null
    if (performs !== null && above !== null)
      throw badInput(
        `block ${block.path} carries out task ${performs} of block ${above} and has no plan of its own: ${session.hint(`… ${row.id} ${above} --task ${performs}`)}`,
      )
    throw badInput(
      plan.phase === ''
        ? `block ${block.path} of run ${row.id} has no plan of tasks: --task is for blocks of the strategy dual`
        : `block ${block.path} of run ${row.id} has no plan yet: try again when it has one`,
    )
  }
  const task = plan.byIndex.get(index)
  if (task !== undefined) return task
  const known = [...plan.byIndex.keys()]
  const meant = nearest(index, known)
  const list = known.slice(0, 12).join(', ')
  throw badInput(
    `the plan of block ${block.path} has no task "${index}"${meant === undefined ? '' : `; did you mean ${meant}?`} It has: ${list}${known.length > 12 ? ', …' : ''}`,
    { subtask_index: index },
  )
}

function isCoordinator(events: readonly Event[], path: string): boolean {
  return events.some(
    (event) => event.type === 'note' && event.path === path && event.name === 'dual/plan-changed',
  )
}
