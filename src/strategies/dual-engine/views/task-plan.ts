/**
 * The tasks of a `dual` block's plan: a fold over the notes its strategy leaves in the journal, and over how the blocks that
 * carry the tasks out stand.
 */
import { type Event, type EventOf, parentPath } from '../../../protocol/index.ts'
import { oneLine } from '../../../views/text-width.ts'
import type { ProgressTask } from './task-progress.ts'

export const DUAL = 'dual'

/** As the notes have them; what they say is kept up to date here. */
export interface PlanTask extends ProgressTask {
  readonly id: string
  status: ProgressTask['status']
  status_summary: string
  task_summary: string
  attempt: number
  reason?: string
  /** By the tool call's number in its block: the reference by which `read_result` reads it. */
  tool_call_results?: Record<string, string>
  readonly subtasks: readonly PlanTask[]
}

export interface TaskPlan {
  readonly path: string
  phase: string
  /** Null until there is a plan. */
  root: PlanTask | null
  /** In the order of the tree. */
  readonly byId: Map<string, PlanTask>
  readonly byIndex: Map<string, PlanTask>
  /** The index of the task that a block carries out, by the block's path. */
  readonly taskOf: Map<string, string>
  /** References of calls that the loop makes for itself: they are not the task's. */
  readonly asides: Set<string>
}

const OWN_TOOLS = /^(memory|blueprint)__/

export interface TaskChange {
  readonly id: string
  readonly index: string
  readonly from: ProgressTask['status']
  readonly to: ProgressTask['status']
  readonly reason?: string
}

export function emptyPlan(path: string): TaskPlan {
  const maps = { byId: new Map(), byIndex: new Map(), taskOf: new Map() }
  return { path, phase: '', root: null, ...maps, asides: new Set() }
}

/** The plan of one block, from the journal of its run. */
export function planOf(events: Iterable<Event>, path: string): TaskPlan {
  const plan = emptyPlan(path)
  for (const event of events) {
    if (event.path === path) foldPlan(plan, event)
    else if (parentPath(event.path) === path) foldTaskBlock(plan, event)
  }
  return plan
}

/** Takes an event of the coordinator's own block. */
export function foldPlan(plan: TaskPlan, event: Event): void {
  if (event.type !== 'note' || typeof event.data !== 'object' || event.data === null) return
  if (event.name === 'dual/phase-begun') plan.phase = String((event.data as { phase?: unknown }).phase)
  if (event.name === 'dual/plan-changed') setRoot(plan, (event.data as { tree: PlanTask }).tree)
  if (event.name === 'dual/task-changed') changeTask(plan, event.data as TaskChange)
}

/** Takes an event of a block that carries out one of the tasks. */
export function foldTaskBlock(plan: TaskPlan, event: Event): void {
  if (event.type === 'block-start') {
    const index = taskIndexOf(event)
    if (index !== null) plan.taskOf.set(event.path, index)
    return
  }
  const task = plan.byIndex.get(plan.taskOf.get(event.path) ?? '')
  if (task === undefined) return
  if (event.type === 'tool-start' && OWN_TOOLS.test(event.name)) plan.asides.add(`${event.path}/${event.n}`)
  if (event.type === 'tool-end') {
    const ref = `${event.path}/${event.n}`
    if (plan.asides.delete(ref) || !event.result.ok) return
    task.tool_call_results = { ...task.tool_call_results, [event.n]: ref }
  }
  if (event.type === 'block-end') task.task_summary = oneLine(event.outcome.result)
  if (event.type === 'note' && event.name === 'dual/action-begun')
    task.status_summary = oneLine(String((event.data as { thought?: unknown }).thought ?? ''))
}

/** The index of the task that a block was begun for. */
export function taskIndexOf({ options }: EventOf<'block-start'>): string | null {
  const { task } = (options ?? {}) as { task?: { index?: unknown } }
  return typeof task?.index === 'string' ? task.index : null
}

/** A copy: events are nobody's to change. What blocks have told of a task stays known. */
function setRoot(plan: TaskPlan, tree: PlanTask): void {
  const known = new Map(plan.byId)
  const idOf = (index: string) => plan.byIndex.get(index)?.id ?? ''
  const blocks = [...plan.taskOf].map(([path, index]) => [path, idOf(index)] as const)
  plan.byId.clear()
  plan.byIndex.clear()
  plan.root = structuredClone(tree)
  const stack = [plan.root]
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    const before = known.get(task.id)
    if (task.attempt === before?.attempt) {
      task.task_summary ||= before.task_summary
      task.status_summary ||= before.status_summary
      task.tool_call_results = { ...before.tool_call_results, ...task.tool_call_results }
    }
    plan.byId.set(task.id, task)
    plan.byIndex.set(task.index, task)
    for (let i = task.subtasks.length - 1; i >= 0; i--) stack.push(task.subtasks[i] as PlanTask)
  }
  // Indices may have changed: a block carries on with the task it was begun for.
  plan.taskOf.clear()
  for (const [path, id] of blocks) {
    const task = plan.byId.get(id)
    if (task !== undefined) plan.taskOf.set(path, task.index)
  }
}

function changeTask({ byId }: TaskPlan, { id, to, reason }: TaskChange): void {
  const task = byId.get(id)
  if (task === undefined) return
  task.status = to
  if (to === 'created') {
    task.attempt++
    task.task_summary = ''
    task.status_summary = ''
    task.tool_call_results = {}
    delete task.reason
  } else if (reason !== undefined) task.reason = reason
}
