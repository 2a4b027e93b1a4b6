/** What every room works with: a block, and the options that apply in it. */
import type { Op } from '../../kernel/durable.ts'
import type { Context } from '../../kernel/strategy.ts'
import { isObject, type KnownTool, type ModelReply, type Result } from '../../protocol/index.ts'
import { tryValue } from '../read-value.ts'
import type { DualNotes } from './notes.ts'
import type { DualOptions } from './schema.ts'

/** A block, which reads no options of its own: those of its scope apply. */
export type DualContext = Context<unknown, DualNotes>

export interface Scope {
  readonly context: DualContext
  /** The block's own; a coordinator's with what its blueprint and the context providers add. */
  readonly options: DualOptions
}

/** The tools that may be used here. */
export function toolsOf({ context, options }: Scope): readonly KnownTool[] {
  const { tools: names } = options
  return names === undefined ? context.tools : context.tools.filter(({ name }) => names.includes(name))
}

export function hasHidden({ hiddenTools }: Context, name: string): boolean {
  return hiddenTools.some((tool) => tool.name === name)
}

/** One operation's result, whatever it is. */
export async function resultOf<T>(context: Context, op: Op<T>): Promise<Result<T>> {
  const [result] = await context.all([op])
  return result as Result<T>
}

/** The reply's fields; none where the call failed or the reply can't be read. */
export function fieldsOf(reply: Result<ModelReply>): Readonly<Record<string, unknown>> {
  const value = reply.ok ? tryValue(reply.value) : undefined
  return isObject(value) ? value : {}
}
