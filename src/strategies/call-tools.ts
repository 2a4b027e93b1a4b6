import type { Answered } from '../kernel/brief/shown-result.ts'
import type { Context } from '../kernel/strategy.ts'
import type { Result } from '../protocol/index.ts'
import type { ToolCallNotes } from './closing/notes.ts'

/** The most calls at once. Between two batches other work of the process gets a turn, and a time limit is noticed. */
const MAX_BATCH = 256

/**
 * Makes the tool calls of one reply and returns their results. A reply may ask for any number of calls: once one is refused by a limit,
 * those after it are not made, which is recorded as one note `tool-calls-refused` and told to the model for each of them.
 */
export async function callTools<Call extends Answered['call']>(
  context: Context<unknown, ToolCallNotes>,
  calls: readonly Call[],
): Promise<(Answered & { readonly call: Call })[]> {
  const answered: (Answered & { readonly call: Call })[] = []
  for (let next = 0; next < calls.length; ) {
    const batch = calls.slice(next, next + batchSize(context))
    next += batch.length
    const ops = batch.map(({ name, input }) => context.tool(name, input))
    const results: readonly Result[] = await context.all(ops)
    for (const [i, call] of batch.entries())
      answered.push({ call, result: results[i] as Result, ref: `${context.path}/${ops[i]?.n}` })
    if (next < calls.length && results.some(isRefused)) {
      context.emit('tool-calls-refused', { refused: calls.length - next })
      break
    }
  }
  return answered
}

/** The number of calls that are left, and at least one: its refusal has the reason. */
export function batchSize(context: Pick<Context, 'budget'>): number {
  const { calls, held } = context.budget()
  return Math.max(1, Math.min(MAX_BATCH, calls - (held?.calls ?? 0)))
}

export function isRefused(result: Result): boolean {
  return !result.ok && result.error.code === 'LIMIT'
}
