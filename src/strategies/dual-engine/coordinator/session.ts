/** What the phases of one coordinator share, and what it says of its tree: to the journal, to people, to the blocks of tasks. */
import type { Planning } from '../plan/prompts.ts'
import { MAX_PROGRESS } from '../prompts/parts.ts'
import { inheritedOptions, type TaskBrief } from '../schema.ts'
import type { Task } from '../tasks/task.ts'
import { parentInputs, type TaskTree } from '../tasks/tree.ts'
import { currentTaskText, progressText } from '../views/task-progress.ts'

export interface Session extends Planning {
  readonly lang: 'en' | 'zh'
}

/** The tree in the journal, and as the block's plan. */
export function publishPlan({ context }: Session, tree: TaskTree): void {
  context.emit('dual/plan-changed', { tree: tree.root })
  context.plan(tree.root.subtasks.map(({ index, name }) => `${index} ${name}`))
}

export function progressOf({ lang }: Session, tree: TaskTree, current?: string): string {
  const options = { lang, maxChars: MAX_PROGRESS, details: true }
  return progressText(tree.root, current === undefined ? options : { ...options, current })
}

/** The options of the block that carries out a leaf. */
export function taskOptions(session: Session, tree: TaskTree, task: Task): Record<string, unknown> {
  const { lang, asked, options } = session
  const { index, name, goal, attempt, redo_message: redo } = task
  const brief: TaskBrief = {
    index,
    name,
    goal,
    parents: parentInputs(tree, task.id),
    request: asked.request,
    progress: progressOf(session, tree, index),
    current: currentTaskText(task, { lang, maxChars: 1_000 }),
    attempt,
    ...(redo !== undefined && { redo }),
  }
  return { ...inheritedOptions(options), task: brief }
}
