/**
 * The tasks of a plan, as a view knows them: a fold over the coordinator's notes, and over the events of the blocks that carry
 * the tasks out.
 */
import { type Event, type EventOf, parentPath } from '../../../protocol/index.ts'
import { cleanLine } from '../../../views/text-width.ts'
import { noteIn, type StatusChange, type Task } from '../notes.ts'

export interface TaskPlan {
  readonly path: string
  phase: string
  /** The index of its root, where the block was begun with one. */
  index: string | null
  /** Null until there is a plan. Kept up to date with what the journal says. */
  root: Task | null
  /** In the order of the tree. */
  readonly byId: Map<string, Task>
  readonly byIndex: Map<string, Task>
  /** The index of the task that a block carries out, by the block's path. */
  readonly taskOf: Map<string, string>
  /** By the block's path: the index of the root of a plan that a task has asked for. */
  readonly planOf: Map<string, string>
  /** By the block's path: the attempt at its task that it is. */
  readonly attemptOf: Map<string, number>
  /** By task and attempt (`t2#1`): what an attempt that was done again came to. */
  readonly before: Map<string, Came>
  /** References of calls that a loop makes for itself: they are not the task's. */
  readonly ownCalls: Set<string>
}

type Came = Pick<Task, 'task_summary' | 'status_summary' | 'tool_call_results'>

/** Its memory, blueprints, and the strategy's own programs. */
const OWN_TOOLS = /^(memory|blueprint)__|\//

export function emptyPlan(path: string): TaskPlan {
  const tasks = { byId: new Map(), byIndex: new Map(), taskOf: new Map() }
  const attempts = { planOf: new Map(), attemptOf: new Map(), before: new Map() }
  return { path, phase: '', index: null, root: null, ...tasks, ...attempts, ownCalls: new Set() }
}

/** The plan of one block, from the journal of its run. */
export function planOf(events: Iterable<Event>, path: string): TaskPlan {
  const plan = emptyPlan(path)
  for (const event of events) followPlan(plan, event)
  return plan
}

/** Takes any event of the run. */
export function followPlan(plan: TaskPlan, event: Event): void {
  if (event.path === plan.path) foldPlan(plan, event)
  else if (parentPath(event.path) === plan.path) foldTaskBlock(plan, event)
}

/** Takes an event of the coordinator's own block. */
export function foldPlan(plan: TaskPlan, event: Event): void {
  const note = noteIn(event)
  if (event.type === 'block-start') plan.index = rootIndexOf(event)
  if (note?.name === 'dual/phase-begun') plan.phase = note.data.phase
  if (note?.name === 'dual/plan-changed') setRoot(plan, note.data.tree)
  if (note?.name === 'dual/task-changed') changeTask(plan, note.data)
}

function rootIndexOf({ options }: EventOf<'block-start'>): string | null {
  const { index } = (options ?? {}) as { index?: unknown }
  return typeof index === 'string' ? index : null
}

/** Takes an event of a block that carries out one of the tasks. */
export function foldTaskBlock(plan: TaskPlan, event: Event): void {
  if (event.type === 'block-start') begin(plan, event)
  const task = plan.byIndex.get(plan.taskOf.get(event.path) ?? '')
  // What an attempt says that was given up is no news of its task.
  if (task === undefined || (plan.attemptOf.get(event.path) ?? 0) > task.attempt) return
  const note = noteIn(event)
  if (note?.name === 'dual/action-begun') task.status_summary = cleanLine(note.data.thought)
  if (event.type === 'block-end') task.task_summary = cleanLine(event.outcome.result)
  if (event.type === 'tool-start' && OWN_TOOLS.test(event.name)) plan.ownCalls.add(`${event.path}/${event.n}`)
  if (event.type === 'tool-end') {
    const ref = `${event.path}/${event.n}`
    if (!plan.ownCalls.delete(ref) && event.result.ok)
      task.tool_call_results = { ...task.tool_call_results, [event.n]: ref }
  }
}

function begin(plan: TaskPlan, begun: EventOf<'block-start'>): void {
  const index = taskIndexOf(begun)
  if (index !== null) plan.taskOf.set(begun.path, index)
  const plans = rootIndexOf(begun)
  if (plans !== null) plan.planOf.set(begun.path, plans)
  const attempt = briefOf(begun)?.attempt
  if (typeof attempt === 'number') plan.attemptOf.set(begun.path, attempt)
}

/** The index of the task that a block was begun for. */
export function taskIndexOf(begun: EventOf<'block-start'>): string | null {
  const index = briefOf(begun)?.index
  return typeof index === 'string' ? index : null
}

function briefOf({ options }: EventOf<'block-start'>): { index?: unknown; attempt?: unknown } | undefined {
  return ((options ?? {}) as { task?: { index?: unknown; attempt?: unknown } }).task
}

/** Takes a copy: events must not change. What blocks have said about a task stays known. */
function setRoot(plan: TaskPlan, tree: Task): void {
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
    for (const subtask of task.subtasks.toReversed()) stack.push(subtask)
  }
  // Indices may have changed: a block continues the task it was begun for.
  plan.taskOf.clear()
  for (const [path, id] of blocks) {
    const task = plan.byId.get(id)
    if (task !== undefined) plan.taskOf.set(path, task.index)
  }
}

function changeTask({ byId, before }: TaskPlan, { id, to, reason, attempt }: StatusChange): void {
  const task = byId.get(id)
  if (task === undefined) return
  task.status = to
  if (attempt !== undefined) {
    Object.assign(task, before.get(`${id}#${attempt}`), { attempt })
    delete task.reason
  } else if (to === 'created') {
    const { task_summary, status_summary, tool_call_results } = task
    before.set(`${id}#${task.attempt}`, { task_summary, status_summary, tool_call_results })
    task.attempt++
    task.task_summary = ''
    task.status_summary = ''
    task.tool_call_results = {}
    delete task.reason
  } else if (reason !== undefined) task.reason = reason
}
