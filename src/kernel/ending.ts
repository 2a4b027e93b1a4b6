/** The one place that turns an error into an ending: with what the block has, and why it has no more (K4, K8). */

import { type ErrorCode, errorData, ThinkonError } from '../protocol/index.ts'
import type { BlockAnswer } from './durable.ts'

/** How a block ends that could not finish. A limit or a loop ends it as partial; anything else is a failure. */
export type EarlyEnding = BlockAnswer & { status: 'partial' | 'failed' }

/** Rethrows what is not the block's own: then the run stops here, and its journal stays as it is. */
export function endingOf(thrown: unknown, result: string): EarlyEnding {
  const { code, message, data } = errorData(thrown, 'STRATEGY_ERROR')
  if (FATAL.has(code)) throw thrown
  const status = EARLY.has(code) ? 'partial' : 'failed'
  const limit = data?.limit as EarlyEnding['limit']
  return { status, result, reason: message, code, ...(limit !== undefined && { limit }) }
}

/** For strategies that degrade: whatever went wrong, a block with a result ends as partial, and fails only with nothing. */
export function degradedEndingOf(thrown: unknown, result: string): EarlyEnding {
  const ending = endingOf(thrown, result)
  return result.trim() === '' ? ending : { ...ending, status: 'partial' }
}

/** A limit or a loop: the block is out of room, not broken, and may still close with a summary. */
export function endsEarly(thrown: unknown): thrown is ThinkonError {
  return ThinkonError.isInstance(thrown) && EARLY.has(thrown.code)
}

const EARLY: ReadonlySet<ErrorCode> = new Set(['LIMIT', 'LOOP'])

/** Errors of the machinery, not of the block. */
export const FATAL: ReadonlySet<ErrorCode> = new Set([
  'NON_DETERMINISM',
  'VERSION_MISMATCH',
  'OWNERSHIP_LOST',
  'STORE_CORRUPT',
  'STORE_WAL_MISSING',
  'STORE_FULL',
  'STORE_READ_ONLY',
  'STORE_IO',
  'STORE_BUSY',
])
