/**
 * Solves one block with its strategy, on any host: the happy path, and how every other way ends (K4, K8).
 */

import { type Status, ThinkonError } from '../protocol/index.ts'
import { BlockContext } from './context.ts'
import type { BlockAnswer, BlockFrame, BlockSpec, Durable, Solving } from './durable.ts'
import { endingOf } from './ending.ts'
import type { KernelServices } from './services.ts'
import type { Answer, Solver } from './strategy.ts'

export function solveBlock(
  strategy: Solver,
  spec: BlockSpec,
  durable: Durable,
  frame: BlockFrame,
  services: KernelServices,
): Solving {
  let options: unknown
  try {
    options = strategy.options((spec.options ?? {}) as Record<string, unknown>)
  } catch (thrown) {
    return endedAlready(services.clean(endingOf(thrown, '')))
  }
  const context = new BlockContext(spec, options, strategy.maxRepeats?.(options), durable, frame, services)
  return {
    outcome: solve(strategy, context, services),
    halt: (childEnd) => context.halt(childEnd),
    timeline: () => context.timelineForParent(),
  }
}

async function solve(
  strategy: Solver,
  context: BlockContext,
  services: KernelServices,
): Promise<BlockAnswer> {
  let answer: BlockAnswer
  try {
    answer = outcomeOf(await strategy.solve(context))
  } catch (thrown) {
    answer = endingOf(thrown, context.resultSoFar())
  }
  if (!context.finished) await context.finish()
  return services.clean(answer)
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
