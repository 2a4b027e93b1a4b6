/** The document's `Context JSON`: all that the Planner knows about its block, whole. No ids; equal contexts give equal bytes. */
import { type Core4, type Goal, parentPath, type TimelineEntry, type Todo } from '../../protocol/index.ts'
import type { ThinkingContext } from './notes.ts'
import type { PlannerContext } from './schema.ts'

export function thinkingContext(context: PlannerContext): ThinkingContext {
  const { block, ancestors } = context
  return {
    think: { goal: plainGoal(block.goal), plan: itemsOf(block.todo), done: block.done.map(withoutPath) },
    path: ancestors.map(({ path, goal, todo }) => ({
      goal: plainGoal(goal),
      plan: itemsOf(todo),
      done: resultsOf(context, path).map(({ text }) => withoutPath(text)),
    })),
    max_depth: maxDepth(context),
  }
}

/** The length of `path` from which on planning is skipped. */
export function maxDepth(context: PlannerContext): number {
  const run = context.level + context.budget().depth
  return Math.min(context.options.maxDepth ?? run, run)
}

/** `len(path)` */
export function depthOf({ ancestors }: PlannerContext): number {
  return ancestors.length
}

export function itemsOf(todo: Todo): readonly string[] {
  if (typeof todo !== 'string') return todo
  return todo === '' ? [] : [todo]
}

/** The results of the children of this block, or of one above it as they were when this one began. */
export function resultsOf(context: PlannerContext, path: string): readonly TimelineEntry[] {
  return context.known().filter((entry) => entry.status !== undefined && parentPath(entry.path) === path)
}

/** The kernel's reasons begin with the block's path: an id, which the Planner must not see. */
export function withoutPath(text: string): string {
  return text.replace(/^(\[\w+: )\d+(?:-\d+)*(?:#\d+)?: /, '$1')
}

/** The four parts in the document's order, whatever order a caller gave them in. */
function plainGoal(goal: Goal): Goal {
  if (typeof goal === 'string') return goal
  const { intent, deliverable, metric, constraint }: Core4 = goal
  return { intent, deliverable, metric, constraint }
}
