/**
 * A recorded look at how far a plan is: how a task sees, while it runs, what has ended beside it. Statuses and summaries only; a
 * block that is executed again sees what it saw. It is a fold over the journal, like what people see.
 */
import type { Tool, ToolIo } from '../../../kernel/tool.ts'
import type { Task } from '../notes.ts'
import { emptyPlan, followPlan, type TaskPlan } from '../views/task-plan.ts'
import { marksOf } from './session.ts'

/** What is asked for: the block with the plan, and the block of the task that looks; without it, all tasks. */
export interface LookInput {
  readonly plan: string
  readonly block?: string
  readonly lang: 'en' | 'zh'
}

/** The plan with its marks, and the task that looks with what is below it. */
export interface Progress {
  readonly progress: string
  readonly current: string
}

/** What only the journal knows of the tasks, by their ids. */
export type Seen = Readonly<Record<string, Pick<Task, 'status_summary' | 'tool_call_results'>>>

export function lookProgram(name: string): Tool {
  const follow = follower()
  return {
    name,
    description: 'How far a plan is.',
    access: 'read',
    isFree: () => true,
    async run(input, io): Promise<Progress | Seen | null> {
      const { plan: path, block, lang } = input as LookInput
      const plan = follow(path, io)
      return block === undefined ? seenIn(plan) : progressFor(plan, block, lang)
    },
  }
}

/** Null where nothing is known. */
function progressFor(plan: TaskPlan, block: string, lang: LookInput['lang']): Progress | null {
  const task = plan.byIndex.get(plan.taskOf.get(block) ?? '')
  if (plan.root === null || task === undefined) return null
  const [progress, current] = [plan.root, task].map((root) => marksOf({ lang }, root, task.index))
  return { progress: progress as string, current: current as string }
}

function seenIn({ byId }: TaskPlan): Seen {
  const seen = [...byId.values()].map(
    ({ id, status_summary, tool_call_results }) => [id, { status_summary, tool_call_results }] as const,
  )
  return Object.fromEntries(seen)
}

/** Plans that were last looked at are kept as they were read, so that a look reads only what is new. */
const MAX_KEPT = 16

function follower(): (path: string, io: ToolIo) => TaskPlan {
  const kept = new Map<string, { readonly plan: TaskPlan; next: number }>()
  return (path, { run, journal }) => {
    const key = `${run} ${path}`
    const known = kept.get(key) ?? { plan: emptyPlan(path), next: 1 }
    for (const event of journal?.(known.next) ?? []) {
      known.next = event.seq + 1
      followPlan(known.plan, event)
    }
    kept.delete(key)
    kept.set(key, known)
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
    return known.plan
  }
}
