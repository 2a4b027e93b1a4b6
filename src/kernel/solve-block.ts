/**
 * Solves one block with its strategy, on any host: the happy path, and how every other way ends (K4, K8).
 */

import { type ErrorCode, errorData, type LimitName, type Status, ThinkonError } from '../protocol/index.ts'
import { BlockContext, type Workshop } from './context.ts'
import type { BlockAnswer, BlockFrame, BlockSpec, Durable, Solving } from './durable.ts'
import type { Answer, Strategy } from './strategy.ts'

/** Errors of the machinery, not of the block: the run stops here, and its journal stays as it is. */
const FATAL: ReadonlySet<ErrorCode> = new Set([
  'NON_DETERMINISM',
  'VERSION_MISMATCH',
  'OWNERSHIP_LOST',
  'STORE_CORRUPT',
  'STORE_FULL',
  'STORE_READ_ONLY',
  'STORE_IO',
])

export function solveBlock(
  strategy: Strategy,
  spec: BlockSpec,
  durable: Durable,
  frame: BlockFrame,
  shop: Workshop,
): Solving {
  let options: unknown
  try {
    options = strategy.options((spec.options ?? {}) as Record<string, unknown>)
  } catch (thrown) {
    return endedAlready(shop.clean(failure(thrown, '')))
  }
  const context = new BlockContext(spec, options, durable, frame, shop)
  return {
    outcome: solve(strategy, context, shop),
    halt: (childEnd) => context.halt(childEnd),
    timeline: () => context.timelineForParent(),
  }
}

async function solve(strategy: Strategy, context: BlockContext, shop: Workshop): Promise<BlockAnswer> {
  let answer: BlockAnswer
  try {
    answer = outcomeOf(await strategy.solve(context))
  } catch (thrown) {
    answer = failure(thrown, context.have())
  }
  if (!context.finished) await context.finish()
  return shop.clean(answer)
}

function endedAlready(answer: BlockAnswer): Solving {
  const halted = { result: answer.result, archived: [] }
  return { outcome: Promise.resolve(answer), halt: () => halted, timeline: () => [] }
}

function outcomeOf(answer: Answer): BlockAnswer {
  if (typeof answer === 'string') return { status: 'completed', result: answer }
  if (OWN_ENDS.has(answer?.status) && typeof answer.result === 'string') return answer
  throw new ThinkonError(
    'STRATEGY_ERROR',
    `a strategy returns a text, or {status, result} with the status ${[...OWN_ENDS].join(', ')}; not ${JSON.stringify(answer)?.slice(0, 100)}`,
  )
}

/** Ends that a strategy may claim; the others are for signals and parents (K8). */
const OWN_ENDS: ReadonlySet<Status> = new Set(['completed', 'partial', 'failed'])

/** What was thrown, as an ending with what the block has. A limit or a loop is partial; anything else has failed. */
function failure(thrown: unknown, have: string): BlockAnswer {
  const error = errorData(thrown, 'STRATEGY_ERROR')
  if (FATAL.has(error.code)) throw thrown
  const partial = error.code === 'LIMIT' || error.code === 'LOOP'
  const limit = error.data?.limit as LimitName | undefined
  return {
    status: partial ? 'partial' : 'failed',
    result: have,
    reason: error.message,
    code: error.code,
    ...(limit === undefined ? {} : { limit }),
  }
}
