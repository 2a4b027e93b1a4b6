/** Which results a leaf builds on: those of the tasks that it depends on, itself or through a parent; and who builds on a task's. */
import { depthFirst, hasBegun, isLeaf, type Task } from './task.ts'
import { parentOf, type TaskTree } from './tree.ts'

/** The leaves that it waits for; depending on a parent is depending on all its leaves. */
export function neededLeaves(tree: TaskTree, task: Task): Task[] {
  const leaves = new Set<Task>()
  for (let at: Task | undefined = task; at !== undefined; at = parentOf(tree, at))
    for (const id of at.depends_on) {
      const needed = tree.byId.get(id)
      if (needed !== undefined) for (const leaf of leavesOf(needed)) leaves.add(leaf)
    }
  return [...leaves]
}

/** Whether it builds on all others that count, directly or through some of them: then its result is that of the plan. */
export function isLastLeaf(tree: TaskTree, task: Task): boolean {
  const others = depthFirst(tree.root).filter((one) => isLeaf(one) && one !== task && one.replaced !== true)
  const reached = new Set<Task>([task])
  const open = [task]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const leaf of neededLeaves(tree, next))
      if (!reached.has(leaf)) {
        reached.add(leaf)
        open.push(leaf)
      }
  return others.every((leaf) => reached.has(leaf))
}

/** The leaves that build on this task, directly or through others, in the order of the tree. Nothing is looked at twice. */
export function dependentLeaves(tree: TaskTree, task: Task): Task[] {
  const dependents = dependentsById(tree.root)
  const reached = new Set<Task>()
  const open: Task[] = []
  // What depends on a parent depends on all its leaves.
  const reach = (leaf: Task) => {
    for (let at: Task | undefined = leaf; at !== undefined && !reached.has(at); at = parentOf(tree, at)) {
      reached.add(at)
      open.push(at)
    }
  }
  const own = leavesOf(task)
  own.forEach(reach)
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const dependent of dependents.get(next.id) ?? []) leavesOf(dependent).forEach(reach)
  return leavesOf(tree.root).filter((leaf) => reached.has(leaf) && !own.includes(leaf))
}

/** What builds on the task and is done again with it: what has begun, unless it was skipped, or replaced by other tasks. */
export function redoneWith(tree: TaskTree, task: Task): Task[] {
  return dependentLeaves(tree, task).filter(
    (leaf) => hasBegun(leaf) && leaf.status !== 'skipped' && leaf.replaced !== true,
  )
}

export interface RedoReach {
  /** What builds on the task, and is done again, too. */
  readonly reopened?: readonly string[]
  /** What has begun after it, and stands, though it may have seen its result. */
  readonly stands?: readonly string[]
}

/** How far a redo of the task reaches, by indices. */
export function redoReach(tree: TaskTree, task: Task): RedoReach {
  const again = new Set(redoneWith(tree, task))
  const own = new Set(leavesOf(task))
  const leaves = leavesOf(tree.root)
  const after = leaves.slice(leaves.findLastIndex((leaf) => own.has(leaf)) + 1)
  const stands = after.filter((leaf) => hasBegun(leaf) && !again.has(leaf))
  return {
    ...(again.size > 0 && { reopened: [...again].map(({ index }) => index) }),
    ...(stands.length > 0 && { stands: stands.map(({ index }) => index) }),
  }
}

function dependentsById(root: Task): ReadonlyMap<string, readonly Task[]> {
  const dependents = new Map<string, Task[]>()
  for (const task of depthFirst(root))
    for (const id of task.depends_on) {
      const known = dependents.get(id)
      if (known === undefined) dependents.set(id, [task])
      else known.push(task)
    }
  return dependents
}

function leavesOf(task: Task): Task[] {
  return depthFirst(task).filter(isLeaf)
}
