import type { EventOf } from './event.ts'
import type { Question } from './signal.ts'

/** A question that no answer has been accepted for. `run` and `id` name it. */
export interface PendingQuestion extends Question {
  /** The number of its event `signal-asked`. */
  readonly id: number
  readonly run: string
  /** The block that asks. */
  readonly path: string
  /** Unique among the questions of its block: `answer`, `answer-2`, `approve` … */
  readonly name: string
  /** ISO 8601, UTC. */
  readonly askedAt: string
  /** After this time the question is closed, with its fallback as the answer. */
  readonly timeoutMs?: number
}

/** The question of an event `signal-asked`; null if the block only listens. */
export function questionOf(event: EventOf<'signal-asked'>): PendingQuestion | null {
  const { seq: id, run, path, name, ts: askedAt, question, timeoutMs } = event
  if (question === undefined) return null
  return { id, run, path, name, askedAt, ...question, ...(timeoutMs !== undefined && { timeoutMs }) }
}
