/** Which results a leaf builds on: those of the tasks that it depends on, itself or through a parent. */
import { depthFirst, isLeaf, type Task } from './task.ts'
import { parentOf, type TaskTree } from './tree.ts'

/** The leaves that it waits for; depending on a parent is depending on all its leaves. */
export function neededLeaves(tree: TaskTree, task: Task): Task[] {
  const leaves = new Set<Task>()
  for (let at: Task | undefined = task; at !== undefined; at = parentOf(tree, at))
    for (const id of at.depends_on) {
      const needed = tree.byId.get(id)
      if (needed !== undefined) for (const leaf of depthFirst(needed)) if (isLeaf(leaf)) leaves.add(leaf)
    }
  return [...leaves]
}

/** Whether it builds on all others, directly or through some of them: then its result is that of the plan. */
export function isLastLeaf(tree: TaskTree, task: Task): boolean {
  const others = depthFirst(tree.root).filter((one) => isLeaf(one) && one !== task)
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
