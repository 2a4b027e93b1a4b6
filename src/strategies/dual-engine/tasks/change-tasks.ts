/**
 * All changes of a tree of tasks: of a status, with all that follows from it (a parent begins with the first task below it and
 * ends with the last), and of the shape, under review or while the plan is carried out. Each function checks first, then
 * changes everything or nothing, and returns the changes of status in the order they happened, for the coordinator to report.
 *
 * Status changes are linear over the life of a tree, because parents count their sub-tasks instead of looking at them. An edit is
 * linear in the tree: ids stay, indices are given anew, and a Schedule has to be rebuilt. What people or models got wrong throws
 * BAD_INPUT.
 */
import { ThinkonError } from '../../../protocol/index.ts'
import { refuseCycles } from './dependency-cycles.ts'
import { keepAttempt, standAgain } from './kept-attempts.ts'
import { neededLeaves } from './needs.ts'
import {
  checkTransition,
  depthFirst,
  hasBegun,
  hasFailed,
  isEnded,
  isLeaf,
  type PlanTask,
  postOrder,
  type StatusChange,
  type Task,
  type TaskStatus,
} from './task.ts'
import {
  findTask,
  makeTasks,
  parentOf,
  refreshTree,
  type SubtaskCounts,
  type TaskTree,
  taskAt,
  taskNames,
  unbegun,
} from './tree.ts'

// --- status

/** A parent can't be completed while a task below it is open; one that is aborted leaves them as they are. */
export function setStatus(tree: TaskTree, ref: string, to: TaskStatus, reason?: string): StatusChange[] {
  if (to === 'skipped') return skipTask(tree, ref, reason ?? '')
  const task = taskAt(tree, ref)
  checkTransition(task, to)
  const open = tree.counts.get(task.index)?.open ?? 0
  if (to === 'completed' && open > 0) {
    const text = `task ${task.index} "${task.name}" can't go from ${task.status} to completed: ${open} of its sub-tasks are open`
    throw new ThinkonError('STRATEGY_ERROR', text)
  }
  const changes: StatusChange[] = []
  if (to === 'queueing') beginParents(tree, task, changes)
  change(tree, task, to, changes, reason)
  endParents(tree, task, changes)
  return changes
}

/** With everything below it that has not ended. What is skipped while it is done again comes back to what it was before. */
export function skipTask(tree: TaskTree, ref: string, reason: string): StatusChange[] {
  const task = taskAt(tree, ref)
  checkTransition(task, 'skipped')
  const changes: StatusChange[] = []
  for (const below of postOrder(task)) {
    if (isEnded(below.status)) continue
    change(tree, below, 'skipped', changes, reason)
    standAgain(tree, below, changes)
  }
  endParents(tree, task, changes)
  return [...changes, ...standDependents(tree, changes)]
}

/**
 * A new attempt of a task that has ended, with everything below it; what it is part of opens again. `because`: the id of another
 * task that is done again, on which this one builds.
 */
export function redoTask(tree: TaskTree, ref: string, message: string, because?: string): StatusChange[] {
  const task = taskAt(tree, ref)
  if (message.trim() === '')
    throw refused(`a redo of task ${task.index} needs a message that says what to do better`)
  if (!isEnded(task.status))
    throw refused(
      `task ${task.index} "${task.name}" is ${task.status}: only a task that has ended can be done again`,
    )
  const changes = reopenParents(tree, task, `task ${task.index} is done again`)
  for (const below of depthFirst(task)) {
    if (!isEnded(below.status)) continue
    newAttempt(tree, below, message, changes, because)
    below.redo_message = message
  }
  return changes
}

// --- shape

export function renameTask(
  tree: TaskTree,
  ref: string,
  words: { name?: string; goal?: string },
): StatusChange[] {
  const task = taskAt(tree, ref)
  const name = words.name?.trim() ?? task.name
  if (name === '') throw refused('a task must have a name')
  if (name !== task.name && task !== tree.root) refuseNames([name], taskNames(tree))
  task.name = name
  task.goal = words.goal ?? task.goal
  return []
}

/** With all below it; what depended on it does not wait for it any more. A begun task is skipped instead. */
export function removeTask(tree: TaskTree, ref: string): StatusChange[] {
  const task = taskAt(tree, ref)
  const parent = parentOf(tree, task)
  if (parent === undefined) throw refused("the main task of a plan can't be removed")
  const removed = depthFirst(task)
  const begun = removed.find((one) => isLeaf(one) && hasBegun(one))
  if (begun !== undefined)
    throw refused(`task ${begun.index} is ${begun.status}: skip it instead of removing it`)
  if (parent === tree.root && parent.subtasks.length === 1)
    throw refused("a plan can't be left without sub-tasks")
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

/** What a task waits for, in place of what it waited for. One that has begun waits for nothing any more. */
export function setDependencies(tree: TaskTree, ref: string, refs: readonly string[]): StatusChange[] {
  const task = taskAt(tree, ref)
  if (task === tree.root) throw refused("the main task of a plan can't depend on others")
  const begun = depthFirst(task).find((one) => isLeaf(one) && hasBegun(one))
  if (begun !== undefined)
    throw refused(`task ${begun.index} is ${begun.status}: what it depends on can't be changed any more`)
  const depends_on = [...new Set(refs.map((other) => taskAt(tree, other).id))]
  const changed = { ...task, depends_on }
  refuseCycles(depthFirst(tree.root).map((one) => (one === task ? changed : one)))
  task.depends_on = depends_on
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
 * holds it; what was aborted and is replaced by them is no longer in the way.
 */
export function adjustPlan(
  tree: TaskTree,
  planned: readonly PlanTask[],
  replaces: (aborted: Task) => boolean = () => true,
): StatusChange[] {
  const kept = new Set<Task>([tree.root])
  for (const task of postOrder(tree.root)) {
    const keeps = isLeaf(task)
      ? hasBegun(task)
      : isEnded(task.status) || task.subtasks.some((one) => kept.has(one))
    if (keeps) kept.add(task)
  }
  if (kept.size === 1 && planned.length === 0) throw refused("a plan can't be left without sub-tasks")
  const stays = depthFirst(tree.root).filter((task) => kept.has(task))
  const added = prepare(tree, planned, stays, tree.root)

  markReplaced(tree, replaces)
  for (const task of stays) task.subtasks = task.subtasks.filter((one) => kept.has(one))
  tree.root.subtasks = tree.root.subtasks.concat(added)
  refreshTree(tree)
  forgetDependencies(tree)
  const changes: StatusChange[] = []
  if (added.length > 0 && isEnded(tree.root.status))
    newAttempt(tree, tree.root, 'the plan was adjusted', changes)
  return [...changes, ...settleParents(tree)]
}

/** A parent failed by what is below it: it is no failure any more when nothing below it is. */
function markReplaced({ root }: TaskTree, replaces: (aborted: Task) => boolean): void {
  for (const task of postOrder(root)) {
    if (task === root || task.status !== 'aborted') continue
    if (isLeaf(task) ? replaces(task) : !task.subtasks.some(hasFailed)) task.replaced = true
  }
}

// --- what follows from a change of status

/** New attempts, from the top down, of those above the task that have ended. */
function reopenParents(tree: TaskTree, task: Task, reason: string): StatusChange[] {
  const ended: Task[] = []
  for (let above = parentOf(tree, task); above !== undefined; above = parentOf(tree, above))
    if (isEnded(above.status)) ended.push(above)
  const changes: StatusChange[] = []
  for (const above of ended.reverse()) newAttempt(tree, above, reason, changes)
  return changes
}

/** Not a transition: another life of the same task, which knows nothing of the last one's result. */
function newAttempt(
  tree: TaskTree,
  task: Task,
  reason: string,
  changes: StatusChange[],
  because?: string,
): void {
  keepAttempt(tree, task, because)
  const counts = countsAbove(tree, task)
  if (counts !== undefined) {
    counts.open++
    if (hasFailed(task)) counts.aborted--
  }
  changes.push({ id: task.id, index: task.index, from: task.status, to: 'created', reason })
  Object.assign(task, unbegun())
  task.attempt++
  delete task.reason
  delete task.redo_message
  delete task.replaced
}

/** Those that were to be done again only because of a redo that was given up, and have not begun, stand as well. */
function standDependents(tree: TaskTree, given: readonly StatusChange[]): StatusChange[] {
  const givenUp = new Set(given.flatMap(({ id, attempt }) => (attempt === undefined ? [] : [id])))
  if (givenUp.size === 0) return []
  const changes: StatusChange[] = []
  for (const task of depthFirst(tree.root)) {
    const { because = '', status } = tree.kept.get(task.id) ?? {}
    if (task.status !== 'created' || status !== 'completed' || !givenUp.has(because)) continue
    if (!neededLeaves(tree, task).every((leaf) => isEnded(leaf.status))) continue
    const counts = countsAbove(tree, task)
    if (counts !== undefined) counts.open--
    standAgain(tree, task, changes)
    endParents(tree, task, changes)
  }
  // What builds on one of these may stand before it in the tree.
  return changes.length === 0 ? changes : [...changes, ...standDependents(tree, given)]
}

/** After an edit: ends the parents that have nothing open below them any more. */
function settleParents(tree: TaskTree): StatusChange[] {
  const changes: StatusChange[] = []
  for (const task of postOrder(tree.root)) endWhenDone(tree, task, changes)
  return changes
}

function beginParents(tree: TaskTree, task: Task, changes: StatusChange[]): void {
  const waiting: Task[] = []
  let above = parentOf(tree, task)
  while (above?.status === 'created') {
    waiting.push(above)
    above = parentOf(tree, above)
  }
  for (const parent of waiting.reverse()) change(tree, parent, 'queueing', changes)
}

function endParents(tree: TaskTree, task: Task, changes: StatusChange[]): void {
  let above = parentOf(tree, task)
  while (above !== undefined && endWhenDone(tree, above, changes)) above = parentOf(tree, above)
}

/** A skipped sub-task counts as ended; one that failed makes the parent fail. */
function endWhenDone(tree: TaskTree, parent: Task, changes: StatusChange[]): boolean {
  const counts = tree.counts.get(parent.index)
  if (counts === undefined || counts.open > 0 || isEnded(parent.status)) return false
  // Everything below was skipped or aborted before it began.
  if (parent.status === 'created') change(tree, parent, 'queueing', changes)
  if (counts.aborted > 0) {
    const failed = parent.subtasks.filter(hasFailed).map(({ index }) => index)
    const more = failed.length > 3 ? ` and ${failed.length - 3} more` : ''
    change(tree, parent, 'aborted', changes, `aborted below: ${failed.slice(0, 3).join(', ')}${more}`)
  } else change(tree, parent, 'completed', changes)
  return true
}

function change(tree: TaskTree, task: Task, to: TaskStatus, changes: StatusChange[], reason?: string): void {
  const from = task.status
  task.status = to
  const counts = countsAbove(tree, task)
  if (counts !== undefined && isEnded(to)) {
    counts.open--
    if (to === 'aborted') counts.aborted++
  }
  const why = reason === undefined || reason === '' ? {} : { reason }
  if (isEnded(to)) Object.assign(task, why)
  changes.push({ id: task.id, index: task.index, from, to, ...why })
}

function countsAbove({ counts }: TaskTree, { parent_index }: Task): SubtaskCounts | undefined {
  return parent_index === null ? undefined : counts.get(parent_index)
}

// --- what an edit is checked for

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
  const names = all.map(({ name }) => name)
  refuseNames(names, new Set(named.keys()))
  const holder = { ...parent, subtasks: [...parent.subtasks, ...added] }
  refuseCycles([...stays.map((task) => (task === parent ? holder : task)), ...all])
  return added
}

/** `taken` takes them up, so that they are unique among themselves as well. */
function refuseNames(names: readonly string[], taken: Set<string>): void {
  for (const name of names) {
    if (name.trim() === '') throw refused('a task must have a name')
    if (taken.has(name)) throw refused(`the name "${name}" is taken: names are unique in a plan`)
    taken.add(name)
  }
}

function forgetDependencies(tree: TaskTree): void {
  for (const task of tree.byId.values()) task.depends_on = task.depends_on.filter((id) => tree.byId.has(id))
}

export function refused(why: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', why)
}
