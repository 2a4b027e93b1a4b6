/**
 * One error class. It is plain data underneath, because errors are written to the journal and read back: programs branch on
 * `code`, people read `message`, and `data` holds what helps to recover.
 */
import { isTooDeep } from './depth.ts'

export type ErrorCode =
  | 'BAD_INPUT' // a wrong option, goal, path …
  | 'UNKNOWN_RUN'
  | 'QUESTION_NOT_OPEN' // answered, withdrawn, timed out or unknown; data.open lists the open ones
  | 'INVALID_ANSWER' // not one of the question's choices, or of another type; data.choices, data.problems
  | 'RUN_LOCKED' // another living process owns the run
  | 'OWNERSHIP_LOST' // another process took the run over
  | 'STORE_CORRUPT'
  | 'STORE_WAL_MISSING' // the database file was separated from its write-ahead log, which has the last commits
  | 'STORE_OLDER'
  | 'STORE_NEWER'
  | 'STORE_FULL'
  | 'TOO_LARGE' // outside data expands to more than the limit
  | 'STORE_READ_ONLY'
  | 'STORE_IO'
  | 'STORE_BUSY' // another program has locked it; nothing was changed
  | 'NO_MODEL'
  | 'NO_SUCH_STRATEGY'
  | 'NO_SUCH_TOOL'
  | 'UNTRUSTED' // the configuration of a folder, which nobody has trusted as it is now
  | 'DENIED' // the policy, or a person, said no
  | 'VERSION_MISMATCH' // an open block was started by another version of its strategy
  | 'NON_DETERMINISM' // the strategy did something other than the journal says
  | 'REPLAY_DIFFERS'
  | 'STRATEGY_ERROR' // a strategy threw
  | 'MODEL_ERROR'
  | 'MODEL_OUTAGE' // no key, no quota, unreachable: the run waits and can be resumed
  | 'CONTEXT_OVERFLOW' // the request is longer than the model's window; data.window says how long that is, if known
  | 'TOOL_ERROR'
  | 'INVALID_FORMAT' // a model's reply could not be read
  | 'REPLY_TOO_LONG' // a model's reply was cut off at its cap, also when it was continued, or is larger than any reply may be
  | 'TIMEOUT'
  | 'LIMIT'
  | 'LOOP'
  | 'INTERRUPTED' // it may or may not have happened
  | 'CANCELLED'
  | 'SKIPPED'
  | 'TEXT_REPLACED' // text of the answer was given out while it was written, and is not the result
  | 'INTERNAL'

export interface ErrorData {
  code: ErrorCode
  message: string
  retryable?: boolean
  data?: Record<string, unknown>
  cause?: string
}

export interface ErrorDetails {
  retryable?: boolean
  data?: Record<string, unknown>
  cause?: unknown
}

const MARK = Symbol.for('thinkon.error')

export class ThinkonError extends Error {
  readonly [MARK] = true
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly data: Record<string, unknown>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'ThinkonError'
    this.code = code
    this.retryable = details.retryable ?? false
    this.data = details.data ?? {}
  }

  /** Works across copies of the package, where `instanceof` does not. */
  static isInstance(value: unknown): value is ThinkonError {
    try {
      return value instanceof Error && MARK in value
    } catch {
      // A proxy.
      return false
    }
  }

  static fromJSON(data: ErrorData): ThinkonError {
    return new ThinkonError(data.code, data.message, {
      ...(data.retryable === undefined ? {} : { retryable: data.retryable }),
      ...(data.data === undefined ? {} : { data: data.data }),
      ...(data.cause === undefined ? {} : { cause: data.cause }),
    })
  }

  toJSON(): ErrorData {
    const json: ErrorData = { code: this.code, message: this.message }
    if (this.retryable) json.retryable = true
    if (Object.keys(this.data).length > 0 && !isTooDeep(this.data)) json.data = this.data
    if (this.cause !== undefined) json.cause = errorText(this.cause)
    return json
  }
}

/** No key, no quota, unreachable, retries used up: not a result, but a reason to wait. */
export function isOutage(thrown: unknown): thrown is ThinkonError {
  return ThinkonError.isInstance(thrown) && thrown.code === 'MODEL_OUTAGE'
}

/** Any thrown value as error data; `code` is used if it is not a ThinkonError. */
export function errorData(thrown: unknown, code: ErrorCode): ErrorData {
  return ThinkonError.isInstance(thrown) ? thrown.toJSON() : { code, message: errorText(thrown) }
}

/** The message of any thrown value. Never throws, whatever the value's own code does. */
export function errorText(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message || value.name : value)
  } catch {
    return 'an error without a message'
  }
}
