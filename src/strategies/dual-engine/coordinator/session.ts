/** What the phases of one coordinator share, and what it says of its tree: to the journal, to people, to the blocks of tasks. */
import type { Phase } from '../notes.ts'
import type { Planning } from '../plan/prompts.ts'
import { inheritedOptions, type TaskBrief } from '../schema.ts'
import type { DualContext } from '../scope.ts'
import { hasOneLeaf, type Task } from '../tasks/task.ts'
import { parentInputs, type TaskTree } from '../tasks/tree.ts'
import { progressText } from '../views/task-progress.ts'

/** In characters; a larger tree is folded to counts. */
const MAX_PROGRESS = 4_000
const MAX_REVIEWED = 20_000
const MAX_NOTE = 80

export interface Session extends Planning {
  readonly lang: 'en' | 'zh'
}

export function enter(context: DualContext, phase: Phase): void {
  context.emit('dual/phase-begun', { phase })
}

/** The tree in the journal, and as the block's plan. */
export function publishPlan({ context }: Session, tree: TaskTree): void {
  context.emit('dual/plan-changed', { tree: tree.root })
  context.plan(tree.root.subtasks.map(({ index, name }) => `${index} ${name}`))
}

/** For people: with the goals of tasks. */
export function progressOf({ lang }: Session, { root }: TaskTree): string {
  return progressText(root, { lang, maxChars: MAX_PROGRESS, details: true })
}

/** What is accepted, refused or judged is seen whole, and in its order. */
export function reviewedPlan({ lang }: Session, { root }: TaskTree): string {
  return progressText(root, { lang, maxChars: MAX_REVIEWED, details: true, wholeGoals: true, needs: true })
}

/** For prompts, in which goals and results stand whole. */
export function marksOf({ lang }: Pick<Session, 'lang'>, root: Task, current?: string): string {
  const options = { lang, maxChars: MAX_PROGRESS, maxNote: MAX_NOTE }
  return progressText(root, current === undefined ? options : { ...options, current })
}

/** How a task stands to others, by their blocks. */
export type TaskLinks = Pick<TaskBrief, 'needs' | 'superseded' | 'before' | 'last' | 'form'>

/** The options of the block that carries out a leaf. */
export function taskOptions(
  session: Session,
  tree: TaskTree,
  task: Task,
  links: TaskLinks,
): Record<string, unknown> {
  const { request, options } = session
  const { index, name, goal, attempt, redo_message: redo } = task
  // The only task of a plan is told once: its progress would say it again.
  const isOnly = hasOneLeaf(tree.root)
  const brief: TaskBrief = {
    index,
    name,
    goal,
    parents: parentInputs(tree, task.id),
    request,
    progress: isOnly ? '' : marksOf(session, tree.root, index),
    current: isOnly ? '' : marksOf(session, task, index),
    attempt,
    ...(redo !== undefined && { redo }),
    ...links,
  }
  return { ...inheritedOptions(options), task: brief }
}
