import type { LimitName, Usage } from './budget.ts'
import type { ErrorCode, ErrorData } from './errors.ts'
import { escapeJson } from './terminal-text.ts'

export type Status = 'completed' | 'partial' | 'failed' | 'skipped' | 'cancelled'

/** How a block ended. `result` is never lost: a block that could not finish returns what it has. */
export interface Outcome {
  status: Status
  /** What the goal asked for, and nothing else. */
  result: string
  /** The result as a value that fits the run's `output`, as JSON; at most of a run's root, and always of one that is `completed`. */
  value?: unknown
  /** About the work: what was done, how it was checked, what is missing. For readers; a parent's `done` has the result. */
  details?: string
  /** Why it is not `completed`, for a person. */
  reason?: string
  /** The same for programs. */
  code?: ErrorCode
  /** The limit that ended it. */
  limit?: LimitName
  /** The strategy's rules that replies broke, by name, in this block and below; the model was asked again each time. */
  violations?: Readonly<Record<string, number>>
  /** Everything spent in this block and below. */
  usage: Usage
}

/** The result of one operation. A failure is a value: it is recorded before the strategy sees it. */
export type Result<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ErrorData }

/** The text of an outcome in its parent's `done`: marked if it is not a plain success. */
export function doneText(outcome: Outcome): string {
  if (outcome.status === 'completed') return outcome.result
  const reason = outcome.reason ? `: ${outcome.reason}` : ''
  return `[${outcome.status}${reason}]${outcome.result ? ` ${outcome.result}` : ''}`
}

/** What a person is shown as the answer: the value as JSON where the run has one, else the result. */
export function printedResult({ value, result }: { value?: unknown; result: string }): string {
  return value === undefined ? result : valueJson(value)
}

/** A value as people read it, and programs too: nothing that a terminal would act on is left in it. */
export function valueJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, null, 2))
}

/** Exit codes of every command that ends with an outcome, or leaves the run waiting for its model. */
export const EXIT_CODES: Readonly<Record<Status | 'waiting', number>> = {
  completed: 0,
  partial: 3,
  failed: 4,
  skipped: 5,
  waiting: 6,
  cancelled: 130,
}
