/**
 * Solves one block with its strategy, on any host: the happy path, and how every other way ends (K4, K8).
 */

import { type Outcome, type Status, ThinkonError, type TimelineEntry } from '../protocol/index.ts'
import { isObject } from '../protocol/json.ts'
import { shownValue } from '../protocol/problem.ts'
import { BlockContext } from './context.ts'
import type {
  BlockAnswer,
  BlockFrame,
  BlockSpec,
  ChildEnd,
  Durable,
  Halted,
  Op,
  Solved,
  Solving,
} from './durable.ts'
import { endingOf } from './ending.ts'
import { asSettled } from './output/settle.ts'
import { withValue } from './output/with-value.ts'
import { requireRecordable } from './recorded-value.ts'
import type { KernelServices } from './services.ts'
import type { Answer, Solver } from './strategy.ts'

export function solveBlock(
  strategy: Solver,
  spec: BlockSpec,
  durable: Durable,
  frame: BlockFrame,
  services: KernelServices,
  solved: Solved,
): Solving {
  let options: unknown
  try {
    options = strategy.options((spec.options ?? {}) as Record<string, unknown>)
  } catch (thrown) {
    return endedAlready(services.clean(endingOf(thrown, '')), solved)
  }
  const context = new BlockContext(spec, options, strategy.maxRepeats?.(options), durable, frame, services)
  return new SolvedBlock(strategy, context, solved)
}

class SolvedBlock implements Solving {
  private readonly context: BlockContext
  private readonly solved: Solved
  /** The strategy's result, while it is made into a value. */
  private result: string | null = null

  /** No coroutine besides the strategy's: blocks may be open by the thousand. */
  constructor(strategy: Solver, context: BlockContext, solved: Solved) {
    this.context = context
    this.solved = solved
    begun(strategy, context).then(
      (answer) => this.close(outcomeOf, answer),
      (thrown) => this.close(failureOf, thrown),
    )
  }

  halt(childEnd: (op: Op) => ChildEnd | null): Halted {
    const halted = this.context.halt(childEnd)
    return this.result === null ? halted : { ...halted, result: this.result }
  }

  timeline(): readonly TimelineEntry[] {
    return this.context.timelineForParent()
  }

  private close<T>(answerOf: (end: T, context: BlockContext) => BlockAnswer, end: T): void {
    const { solved } = this
    try {
      const answer = this.recordable(answerOf(end, this.context))
      if (!(answer instanceof Promise)) solved.answered(answer)
      else
        answer.then(
          (later) => solved.answered(later),
          (error) => solved.failed(error),
        )
    } catch (error) {
      solved.failed(error)
    }
  }

  /** A result that the journal can't have fails the block. */
  private recordable(answer: BlockAnswer): BlockAnswer | Promise<BlockAnswer> {
    try {
      return this.closed(answer)
    } catch (thrown) {
      if (!ThinkonError.isInstance(thrown) || thrown.code !== 'TOO_LARGE') throw thrown
      return this.closed(endingOf(thrown, ''))
    }
  }

  private closed(answer: BlockAnswer): BlockAnswer | Promise<BlockAnswer> {
    const { context } = this
    if (!context.finished) return context.finish().then(() => this.recordable(answer))
    const clean = <T>(end: T) => requireRecordable(context.services.clean(end), 'the result of the block')
    const { output, level, settled } = context
    const made = asSettled(settled, answer)
    if (made !== null) return clean(made)
    if (output === null || level > 0) return clean(answer)
    this.result = clean(answer.result)
    return withValue(context, answer, output).then(clean)
  }
}

/** A strategy that throws at once fails like one that rejects. */
function begun(strategy: Solver, context: BlockContext): Promise<Answer> {
  try {
    return Promise.resolve(strategy.solve(context))
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

function endedAlready(answer: BlockAnswer, solved: Solved): Solving {
  const halted = { result: answer.result, archived: [] }
  queueMicrotask(() => solved.answered(answer))
  return { halt: () => halted, timeline: () => [] }
}

function failureOf(thrown: unknown, context: BlockContext): BlockAnswer {
  return endingOf(thrown, context.resultSoFar())
}

function outcomeOf(answer: Answer, context: BlockContext): BlockAnswer {
  if (typeof answer === 'string') return { status: 'completed', result: answer }
  if (OWN_ENDS.has(answer?.status) && typeof answer.result === 'string') return answer
  if (isOutcome(answer)) return stoppedChild(answer)
  const problem = new ThinkonError(
    'STRATEGY_ERROR',
    `a strategy returns a text, or {status, result} with the status ${[...OWN_ENDS].join(', ')}; not ${answerText(answer)}`,
  )
  return endingOf(problem, context.resultSoFar())
}

function isOutcome(answer: Answer): answer is Outcome {
  return (
    isObject(answer) && STOPPED.has(answer.status) && typeof answer.result === 'string' && 'usage' in answer
  )
}

/** Only signals and parents skip or cancel a block (K8), so the parent of such a child ends as partial or failed. */
function stoppedChild({ value: _, ...outcome }: Outcome): BlockAnswer {
  const reason = outcome.reason ?? `its step was ${outcome.status}`
  return { ...outcome, status: outcome.result.trim() === '' ? 'failed' : 'partial', reason }
}

/** Of whatever was returned: it need not be JSON. */
function answerText(answer: unknown): string {
  if (!isObject(answer)) return shownValue(answer)
  return `an object with the status ${shownValue(answer.status)} and the result ${shownValue(answer.result)}`
}

/** Ends that a strategy may claim; the others are for signals and parents (K8). */
const OWN_ENDS: ReadonlySet<Status> = new Set(['completed', 'partial', 'failed'])

const STOPPED: ReadonlySet<Status> = new Set(['skipped', 'cancelled'])
