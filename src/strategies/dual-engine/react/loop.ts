/** What one loop knows of itself: all of it follows from what its block consumed. */
import type { Op } from '../../../kernel/durable.ts'
import type { Context } from '../../../kernel/strategy.ts'
import type { KnownTool, Result } from '../../../protocol/index.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import type { Action, Begun, Params } from './action.ts'
import type { History } from './history.ts'
import type { ActionRecord } from './spin.ts'

export interface Loop {
  readonly context: Context<DualOptions>
  readonly brief: TaskBrief
  /** The tools that this loop may call. */
  readonly tools: readonly KnownTool[]
  readonly history: History
  /** What spinning is seen by. */
  readonly records: ActionRecord[]
  /** The last three, newest last. */
  readonly reflections: string[]
  iteration: number
  spins: number
  /** What earlier runs remember about the task, as text. */
  memories: string
  /** An action that goes on beside the loop. */
  aside: Aside | null
}

export interface Aside {
  readonly action: Action
  readonly params: Params
  readonly begun: Begun
  readonly iteration: number
}

export function toolsOf({ tools, options }: Context<DualOptions>): readonly KnownTool[] {
  const { tools: names } = options
  return names === undefined ? tools : tools.filter(({ name }) => names.includes(name))
}

export function hasHidden({ hiddenTools }: Context, name: string): boolean {
  return hiddenTools.some((tool) => tool.name === name)
}

/** One operation's result, whatever it is. */
export async function resultOf(context: Context, op: Op): Promise<Result> {
  const [result] = await context.all([op])
  return result as Result
}
