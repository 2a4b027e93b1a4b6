/**
 * The tree of tasks of one plan. A task is found by its index or its id in constant time; a parent counts its sub-tasks, so
 * that nobody has to look at them. Whatever changes a tree (change-tasks.ts) keeps the maps and the counts true.
 */
import { ThinkonError } from '../../../protocol/index.ts'
import { refuseCycles } from './dependency-cycles.ts'
import { depthFirst, hasFailed, isEnded, type Plan, type PlanTask, type Task } from './task.ts'

export interface TaskTree {
  root: Task
  readonly byId: Map<string, Task>
  readonly byIndex: Map<string, Task>
  /** By the index of a parent: its sub-tasks that have not ended, and those that failed. */
  readonly counts: Map<string, SubtaskCounts>
  /** By the id of a task that is done again: what it came to before, which stands if the new attempt is skipped. */
  readonly kept: Map<string, KeptAttempt>
  nextId: number
}

export interface KeptAttempt
  extends Pick<Task, 'attempt' | 'status' | 'task_summary' | 'short_summary' | 'long_summary'>,
    Pick<Task, 'status_summary' | 'tool_call_results'> {
  /** The id of the task whose redo made this one be done again. */
  readonly because?: string
}

export interface SubtaskCounts {
  open: number
  aborted: number
}

const ROOT_INDEX = '1'
const MAX_ANCESTORS = 20

/** `index`: the number of its root, with which those of all its tasks begin. */
export function buildTree(plan: Plan, index = ROOT_INDEX): TaskTree {
  const root = newTask('t1', plan.main_task, plan.main_task_goal)
  root.index = index
  const tree: TaskTree = {
    root,
    byId: new Map([[root.id, root]]),
    byIndex: new Map(),
    counts: new Map(),
    kept: new Map(),
    nextId: 2,
  }
  root.subtasks = makeTasks(tree, plan.tasks, (name) => {
    throw new ThinkonError('STRATEGY_ERROR', `the plan has no task "${name}" to depend on`)
  })
  refuseCycles(depthFirst(root))
  refreshTree(tree)
  return tree
}

/**
 * Tasks with ids of the tree, not yet in it. A name in `depends_on` is looked for among them, then `elsewhere`, which gives
 * an id or throws.
 */
export function makeTasks(
  tree: TaskTree,
  planned: readonly PlanTask[],
  elsewhere: (name: string) => string,
): Task[] {
  const top: Task[] = []
  const made: [task: Task, plan: PlanTask][] = []
  const idOf = new Map<string, string>()
  const stack = planned.toReversed().map((plan) => ({ plan, into: top }))
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { plan, into } = next
    const task = newTask(`t${tree.nextId++}`, plan.subtask_name, plan.subtask_goal)
    into.push(task)
    made.push([task, plan])
    idOf.set(task.name, task.id)
    for (const below of (plan.subtasks ?? []).toReversed()) stack.push({ plan: below, into: task.subtasks })
  }
  for (const [task, { depends_on = [] }] of made)
    task.depends_on = [...new Set(depends_on.map((name) => idOf.get(name) ?? elsewhere(name)))]
  return top
}

function newTask(id: string, name: string, goal: string): Task {
  return {
    id,
    index: '',
    name,
    goal,
    parent_index: null,
    subtasks: [],
    depends_on: [],
    ...unbegun(),
    attempt: 1,
  }
}

/** What is known of a task that has not begun. */
export function unbegun() {
  return {
    status: 'created',
    status_summary: '',
    task_summary: '',
    short_summary: '',
    long_summary: '',
    tool_call_results: {},
  } as const
}

/** Sets indices below the root, maps and counts by the tree as it now is. */
export function refreshTree(tree: TaskTree): void {
  tree.byId.clear()
  tree.byIndex.clear()
  tree.counts.clear()
  for (const task of depthFirst(tree.root)) {
    tree.byId.set(task.id, task)
    tree.byIndex.set(task.index, task)
    if (task.subtasks.length === 0) continue
    const counts = { open: 0, aborted: 0 }
    for (const [i, subtask] of task.subtasks.entries()) {
      subtask.index = `${task.index}-${i + 1}`
      subtask.parent_index = task.index
      if (!isEnded(subtask.status)) counts.open++
      else if (hasFailed(subtask)) counts.aborted++
    }
    tree.counts.set(task.index, counts)
  }
}

/** By index or by id; undefined when there is none. */
export function findTask(tree: TaskTree, ref: string): Task | undefined {
  return tree.byIndex.get(ref) ?? tree.byId.get(ref)
}

/** By index or by id; throws BAD_INPUT when there is none, because it is people who ask for what is not there. */
export function taskAt(tree: TaskTree, ref: string): Task {
  const task = findTask(tree, ref)
  if (task !== undefined) return task
  throw new ThinkonError('BAD_INPUT', `there is no task ${ref} in this plan`, {
    data: { subtask_index: ref },
  })
}

export function parentOf(tree: TaskTree, { parent_index }: Task): Task | undefined {
  return parent_index === null ? undefined : tree.byIndex.get(parent_index)
}

export type ParentInput = Readonly<Pick<Task, 'index' | 'name' | 'goal'>>

/** The nearest ancestors, from far to near. */
export function parentInputs(tree: TaskTree, ref: string): ParentInput[] {
  const inputs: ParentInput[] = []
  let above = parentOf(tree, taskAt(tree, ref))
  while (above !== undefined && inputs.length < MAX_ANCESTORS) {
    inputs.push({ index: above.index, name: above.name, goal: above.goal })
    above = parentOf(tree, above)
  }
  return inputs.reverse()
}

/** The names that a further plan for this tree may depend on and must not use again. The root's is not among them. */
export function taskNames(tree: TaskTree): Set<string> {
  return new Set(tree.root.subtasks.flatMap(depthFirst).map(({ name }) => name))
}

/** The tree as the plan that it would be built from. */
export function planOf({ root, byId }: TaskTree): Plan {
  const planTask = ({ name, goal, depends_on, subtasks }: Task): PlanTask => ({
    subtask_name: name,
    subtask_goal: goal,
    ...(depends_on.length > 0 && { depends_on: depends_on.map((id) => byId.get(id)?.name ?? id) }),
    ...(subtasks.length > 0 && { subtasks: subtasks.map(planTask) }),
  })
  return { main_task: root.name, main_task_goal: root.goal, tasks: root.subtasks.map(planTask) }
}
