/**
 * Edits of a plan, under review or on the way. Each checks first and then changes everything or nothing; each is linear in
 * the tree, and returns the changes of status that follow. What people or models got wrong throws BAD_INPUT.
 *
 * Ids stay, indices are given anew. After an edit a Schedule has to be rebuilt.
 */
import { ThinkonError } from '../../../protocol/index.ts'
import type { PlanTask } from '../plan/plan-schema.ts'
import { newAttempt, redoTask, reopenParents, type StatusChange, settleParents } from './change-tasks.ts'
import { refuseCycles } from './dependency-cycles.ts'
import { isEnded } from './task-status.ts'
import {
  depthFirst,
  findTask,
  isLeaf,
  makeTasks,
  parentOf,
  postOrder,
  refreshTree,
  type Task,
  type TaskTree,
  taskAt,
} from './tree.ts'

export function renameTask(
  tree: TaskTree,
  ref: string,
  words: { name?: string; goal?: string },
): StatusChange[] {
  const task = taskAt(tree, ref)
  const name = words.name?.trim() ?? task.name
  if (name === '') throw refused('a task must have a name')
  if (name !== task.name && task !== tree.root) refuseNames([name], depthFirst(tree.root), tree.root)
  task.name = name
  task.goal = words.goal ?? task.goal
  return []
}

/** With all below it; what depended on it does not wait for it any more. A begun task is skipped instead. */
export function removeTask(tree: TaskTree, ref: string): StatusChange[] {
  const task = taskAt(tree, ref)
  const parent = parentOf(tree, task)
  if (parent === undefined) throw refused('the main task of a plan can not be removed')
  const removed = depthFirst(task)
  const begun = removed.find((one) => isLeaf(one) && hasBegun(one))
  if (begun !== undefined)
    throw refused(`task ${begun.index} is ${begun.status}: skip it instead of removing it`)
  if (parent === tree.root && parent.subtasks.length === 1)
    throw refused('a plan without sub-tasks is none: its last one can not be removed')
  parent.subtasks = parent.subtasks.filter((one) => one !== task)
  refreshTree(tree)
  forgetDependencies(tree)
  return settleParents(tree)
}

/** Below the main task or below any other, at the end or at the place given (0 is the first). Opens a parent that had ended. */
export function addTasks(
  tree: TaskTree,
  parentRef: string,
  planned: readonly PlanTask[],
  at?: number,
): StatusChange[] {
  const parent = taskAt(tree, parentRef)
  if (planned.length === 0) throw refused('there are no tasks to add')
  if (isLeaf(parent) && isEnded(parent.status))
    throw refused(`task ${parent.index} is ${parent.status}: do it again, or split it, to go further into it`)
  const kept = depthFirst(tree.root)
  const added = prepare(tree, planned, kept, parent)
  const place = Math.min(Math.max(0, at ?? parent.subtasks.length), parent.subtasks.length)
  parent.subtasks = [...parent.subtasks.slice(0, place), ...added, ...parent.subtasks.slice(place)]
  refreshTree(tree)
  return reopenParents(tree, added[0] as Task, 'tasks were added')
}

/** All sub-tasks of a parent, by index or id, in their new order. */
export function reorderTasks(tree: TaskTree, parentRef: string, refs: readonly string[]): StatusChange[] {
  const parent = taskAt(tree, parentRef)
  const order = refs.map((ref) => taskAt(tree, ref))
  const same = new Set(order).size === parent.subtasks.length && order.length === parent.subtasks.length
  if (!same || order.some((task) => task.parent_index !== parent.index)) {
    const all = parent.subtasks.map(({ index }) => index).join(', ')
    throw refused(`the new order of task ${parent.index} must name each of its sub-tasks once: ${all}`)
  }
  parent.subtasks = order
  refreshTree(tree)
  return []
}

/** Thinking deeper: a leaf becomes the parent of the tasks given. One that had ended begins a new attempt. */
export function splitTask(
  tree: TaskTree,
  ref: string,
  planned: readonly PlanTask[],
  message: string,
): StatusChange[] {
  const task = taskAt(tree, ref)
  if (!isLeaf(task)) throw refused(`task ${task.index} has sub-tasks already: add further ones to it`)
  if (planned.length === 0) throw refused(`there are no tasks to split task ${task.index} into`)
  const added = prepare(tree, planned, depthFirst(tree.root), task)
  const changes = isEnded(task.status) ? redoTask(tree, task.id, message) : []
  task.subtasks = added
  refreshTree(tree)
  return changes
}

/**
 * Replaces what has not begun by the tasks given, below the main task. What has ended or is processing is kept, with what
 * holds it; what was aborted is no longer in the way.
 */
export function adjustPlan(tree: TaskTree, planned: readonly PlanTask[]): StatusChange[] {
  const kept = new Set<Task>([tree.root])
  for (const task of postOrder(tree.root)) {
    const keeps = isLeaf(task)
      ? hasBegun(task)
      : isEnded(task.status) || task.subtasks.some((one) => kept.has(one))
    if (keeps) kept.add(task)
  }
  if (kept.size === 1 && planned.length === 0) throw refused('a plan without sub-tasks is none')
  const stays = depthFirst(tree.root).filter((task) => kept.has(task))
  const added = prepare(tree, planned, stays, tree.root)

  for (const task of stays) {
    task.subtasks = task.subtasks.filter((one) => kept.has(one))
    if (task !== tree.root && task.status === 'aborted') task.replaced = true
  }
  tree.root.subtasks = tree.root.subtasks.concat(added)
  refreshTree(tree)
  forgetDependencies(tree)
  const changes: StatusChange[] = []
  if (added.length > 0 && isEnded(tree.root.status))
    newAttempt(tree, tree.root, 'the plan was adjusted', changes)
  return [...changes, ...settleParents(tree)]
}

/** The tasks to come below `parent`, after all checks: names, dependencies and cycles among what stays and what comes. */
function prepare(tree: TaskTree, planned: readonly PlanTask[], stays: readonly Task[], parent: Task): Task[] {
  const named = new Map(stays.flatMap((task) => (task === tree.root ? [] : [[task.name, task]])))
  const staying = new Set(stays)
  const added = makeTasks(tree, planned, (name) => {
    const found = named.get(name) ?? findTask(tree, name)
    if (found !== undefined && staying.has(found)) return found.id
    throw refused(`there is no task "${name}" to depend on`)
  })
  const all = added.flatMap(depthFirst)
  refuseNames(
    all.map(({ name }) => name),
    stays,
    tree.root,
  )
  const holder = { ...parent, subtasks: [...parent.subtasks, ...added] }
  refuseCycles([...stays.map((task) => (task === parent ? holder : task)), ...all])
  return added
}

function refuseNames(names: readonly string[], among: readonly Task[], root: Task): void {
  const taken = new Set(among.filter((task) => task !== root).map(({ name }) => name))
  for (const name of names) {
    if (name.trim() === '') throw refused('a task must have a name')
    if (taken.has(name)) throw refused(`the name "${name}" is taken: names are unique in a plan`)
    taken.add(name)
  }
}

function forgetDependencies(tree: TaskTree): void {
  for (const task of tree.byId.values()) {
    if (task.depends_on.some((id) => !tree.byId.has(id)))
      task.depends_on = task.depends_on.filter((id) => tree.byId.has(id))
  }
}

function hasBegun({ status }: Task): boolean {
  return status === 'processing' || isEnded(status)
}

function refused(why: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', why)
}
