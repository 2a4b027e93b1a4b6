/** How blocks and steps end from outside, and what a step that ended has cost: decided the same way on both hosts. */
import type { Performed } from '../../kernel/durable.ts'
import {
  attemptOf,
  type ErrorData,
  placeOf,
  type Reserve,
  type Signal,
  signalText,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'

/** How a block is ended from outside. */
export interface Ending {
  readonly status: 'cancelled' | 'skipped'
  readonly reason: string
  readonly redo?: { message: string }
}

const ENDINGS: ReadonlySet<string> = new Set(['cancel', 'skip', 'redo'])

/** Whether a signal ends the block it is sent to. */
export function endsBlock(name: string): boolean {
  return ENDINGS.has(name)
}

/**
 * Whether the signal ends the block at `path`. A redo is meant for the block's place: whichever attempt is under way when it
 * comes is ended by it, so that there is one at a time.
 */
export function endsBlockAt(path: string, signal: Signal): boolean {
  if (signal.path === path) return endsBlock(signal.name)
  return signal.name === 'redo' && isEarlierAttempt(signal.path, path)
}

function isEarlierAttempt(path: string, than: string): boolean {
  return placeOf(path) === placeOf(than) && attemptOf(path) < attemptOf(than)
}

/** Several redos are one: the person's latest words count. */
export function latestRedo(redos: readonly Signal[]): Signal {
  const last = redos.at(-1) as Signal
  return redos.findLast(({ value }) => signalText(value) !== '') ?? last
}

export function endingOf({ name, value }: Signal): Ending {
  const said = signalText(value)
  if (name === 'skip') return { status: 'skipped', reason: said || 'skipped by a person' }
  if (name === 'cancel') return { status: 'cancelled', reason: said || 'cancelled by a person' }
  const reason = `to be done again${said ? `: ${said}` : ''}`
  return { status: 'cancelled', reason, redo: { message: said } }
}

/** What the operations of a block that ends so end with. */
export function endingError({ status, reason }: Ending): ErrorData {
  return { code: status === 'skipped' ? 'SKIPPED' : 'CANCELLED', message: reason }
}

export const ONE_CALL: Usage = { calls: 1, inputTokens: 0, outputTokens: 0 }

/** What a step has cost beyond its parts, each of which was one call. Written out: a copy that is led by a new field takes several times as long. */
export function stepUsage({ usage: given, isFree }: Performed, paidParts: number): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, lostTokens, costUsd } = given
  const usage: Usage = { calls: paidParts > 0 || isFree ? 0 : 1, inputTokens, outputTokens }
  if (cachedInputTokens !== undefined) usage.cachedInputTokens = cachedInputTokens
  if (lostTokens !== undefined) usage.lostTokens = lostTokens
  if (costUsd !== undefined) usage.costUsd = costUsd
  return usage
}

/** What is charged for a step that was under way when its process died: what it had reserved, for nobody knows what it really took. */
export function lostUsage({ calls, tokens, costUsd }: Reserve): Usage {
  const usage: Usage = { calls, inputTokens: 0, outputTokens: tokens }
  if (tokens > 0) usage.lostTokens = tokens
  if (costUsd > 0) usage.costUsd = costUsd
  return usage
}

export function awaitsTwice(): ThinkonError {
  return new ThinkonError(
    'STRATEGY_ERROR',
    'a block awaits one thing at a time: put the operations into one all or first',
  )
}

/** What a block that was ended from outside awaits: its coroutine is abandoned. */
export function forever<T>(): Promise<T> {
  return new Promise(() => {})
}
