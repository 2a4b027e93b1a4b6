/**
 * A result and its value, made before the block ends: what a person approves is what is published.
 *
 * 1. The value of a result is made once: a block that ends with a settled result keeps its value.
 * 2. A block that answers its run for its parent, as one below `auto` does, passes the value on with its outcome.
 */
import { printedResult } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import type { BlockAnswer } from '../durable.ts'
import type { Settled } from '../strategy.ts'
import { type AnsweringContext, withValue } from './with-value.ts'

/** The result of a strategy as the block ends with it, before it is asked for the result that it was made from. */
export interface SettledAnswer {
  readonly of: string
  readonly answer: BlockAnswer
}

/** The part of a block's context that settles results. */
export abstract class SettlingBlock {
  abstract readonly output: JsonSchema | null
  /** The result that was settled last. */
  settled: SettledAnswer | null = null

  async settle(of: string): Promise<Settled> {
    const completed: BlockAnswer = { status: 'completed', result: of }
    const { output } = this
    const context = this as unknown as AnsweringContext
    const answer = output === null ? completed : await withValue(context, completed, output)
    this.settled = { of, answer }
    const { result, value, reason } = answer
    const made = { result, ...(value !== undefined && { value }), ...(reason !== undefined && { reason }) }
    return { ...made, shown: printedResult(answer) }
  }
}

/** The answer with the value that was made for its result; null if its result was not settled. */
export function asSettled(settled: SettledAnswer | null, answer: BlockAnswer): BlockAnswer | null {
  if (settled === null || (answer.result !== settled.of && answer.result !== settled.answer.result))
    return null
  const { result, status, value, reason, code } = settled.answer
  const made = { ...answer, result, ...(value !== undefined && { value }) }
  if (status === 'completed' || answer.status !== 'completed') return made
  return { ...made, status, ...(reason !== undefined && { reason }), ...(code !== undefined && { code }) }
}
