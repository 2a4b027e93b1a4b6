/** What the phases of one coordinator share, and how its tree is told: to the journal, to people, to the blocks of tasks. */
import type { Context } from '../../../kernel/strategy.ts'
import { currentTaskText, progressText } from '../../../views/task-progress.ts'
import type { PlanRequest } from '../plan/make-plan.ts'
import { MAX_PROGRESS } from '../prompts/index.ts'
import { type DualOptions, inheritedOptions, type TaskBrief } from '../schema.ts'
import { parentInputs, type Task, type TaskTree } from '../tasks/tree.ts'

export type Phase = 'plan-request' | 'plan-generation' | 'review' | 'refinement' | 'execution'

/** What the phases of one session share. */
export interface Session {
  readonly context: Context<DualOptions>
  readonly asked: PlanRequest
  readonly lang: 'en' | 'zh'
  /** The coordinator's options with what a blueprint and context providers add; the context's are the same. */
  readonly options: DualOptions
}

/** The same block with other options. */
export function withOptions(context: Context<DualOptions>, options: DualOptions): Context<DualOptions> {
  return new Proxy(context, {
    get(target, name) {
      if (name === 'options') return options
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The tree in the journal, and as the block's plan. */
export function planned({ context }: Session, tree: TaskTree): void {
  context.emit('dual/plan-changed', { tree: tree.root })
  context.plan(tree.root.subtasks.map(({ index, name }) => `${index} ${name}`))
}

export function progressOf({ lang }: Session, tree: TaskTree, current?: string): string {
  return progressText(tree.root, {
    lang,
    maxChars: MAX_PROGRESS,
    details: true,
    ...(current !== undefined && { current }),
  })
}

/** The options of the block that carries out a leaf. */
export function taskOptions(session: Session, tree: TaskTree, task: Task): Record<string, unknown> {
  const { lang, asked, options } = session
  const brief: TaskBrief = {
    index: task.index,
    name: task.name,
    goal: task.goal,
    parents: parentInputs(tree, task.id),
    request: asked.request,
    progress: progressOf(session, tree, task.index),
    current: currentTaskText(task, { lang, maxChars: 1_000 }),
    attempt: task.attempt,
    ...(task.redo_message !== undefined && { redo: task.redo_message }),
  }
  return { ...inheritedOptions(options), task: brief }
}
