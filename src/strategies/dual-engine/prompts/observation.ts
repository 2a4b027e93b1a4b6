/** An action's result, as the loop sees it. Words from outside are data, our own are text. */
import type { Answer } from '../../../kernel/strategy.ts'
import { type Outcome, type Result, shorten } from '../../../protocol/index.ts'

export interface Observation {
  /** In our own words or the model's. */
  readonly text: string
  /** From outside: it stands in a fence. */
  readonly data?: string
  /** By which the whole can be read. */
  readonly ref?: string
  readonly failed?: true
  /** It survives compaction: a decision, or what a person said. */
  readonly keep?: true
  /** It ends the loop. */
  readonly answer?: Answer
}

export function toolObservation(result: Result): Observation {
  if (result.ok) return { text: 'done', data: asText(result.value) }
  const { code, message } = result.error
  if (code === 'INTERRUPTED')
    return {
      text: 'it was interrupted by a crash: it may or may not have happened. Look before you do it again.',
      failed: true,
    }
  const text = code === 'DENIED' ? 'it was not allowed' : `it failed (${code})`
  return { text, data: message, failed: true }
}

export function childObservation(result: Result<Outcome>): Observation {
  if (!result.ok)
    return { text: `it failed (${result.error.code})`, data: result.error.message, failed: true }
  const { status, result: text, reason = '' } = result.value
  if (status === 'completed') return { text: `completed: ${text}`, keep: true }
  const why = reason === '' ? '' : ` (${shorten(reason, 200)})`
  return { text: `${status}${why}: ${text}`, keep: true, failed: true }
}

export function answerObservation(result: Result): Observation {
  if (!result.ok) return { text: `nobody answered (${result.error.code})`, failed: true }
  if (result.value === undefined) return { text: 'nobody answered in time', failed: true }
  return { text: `the person said: ${asText(result.value)}`, keep: true }
}

export function knowledgeObservation(results: readonly Result[]): Observation {
  const found = results.flatMap((result) => (result.ok ? [JSON.stringify(result.value)] : []))
  return found.length === 0
    ? { text: 'nothing was found', failed: true }
    : { text: 'found', data: found.join('\n') }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
