/** An action's result, as the loop sees it. Words from outside are data, our own are text. */
import type { Answered } from '../../../kernel/brief/shown-result.ts'
import { MAX_ERROR, MAX_LINE } from '../../../kernel/brief/turn.ts'
import { fence } from '../../../kernel/fence.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { doneText, type Outcome, oneLine, type Result, shorten } from '../../../protocol/index.ts'

export interface Observation {
  /** In our own words or the model's. */
  readonly text: string
  /** From outside: it stands in a fence. */
  readonly data?: string
  readonly failed?: true
  /** It survives compaction: a decision. */
  readonly keep?: true
  /** It ends the loop. */
  readonly answer?: Answer
  /** What the conversation shows in the place of text and data: results of calls, whole, each with its reference. */
  readonly results?: readonly Answered[]
  /** What remains of it when the conversation is compacted. */
  readonly line?: string
}

/** What was called, and where the journal has its result. */
type Called = Omit<Answered, 'result'>

export function toolObservation(called: Called, result: Result): Observation {
  if (result.ok) return { text: 'done', data: asText(result.value), results: [{ ...called, result }] }
  const { code, message } = result.error
  if (code === 'INTERRUPTED') return { text: INTERRUPTED, failed: true, results: [interrupted(called)] }
  const text = code === 'DENIED' ? 'it was not allowed' : `it failed (${code})`
  return { text, data: message, failed: true, results: [{ ...called, result }] }
}

const INTERRUPTED =
  'it was interrupted by a crash: it may or may not have happened. Look before you do it again.'

function interrupted(called: Called): Answered {
  return { ...called, result: { ok: false, error: { code: 'INTERRUPTED', message: INTERRUPTED } } }
}

/** The outcome comes back whole. */
export function childObservation(called: Called, result: Result<Outcome>): Observation {
  if (!result.ok) {
    const { code, message } = result.error
    return { text: `it failed (${code})`, data: message, failed: true, results: [{ ...called, result }] }
  }
  const { status, result: text, reason = '' } = result.value
  const done = doneText(result.value)
  const ref = `(read_result ${JSON.stringify(called.ref)})`
  const input = shorten(JSON.stringify(called.call.input), MAX_LINE)
  // What failed keeps what it said.
  const begin = fence(
    'result',
    status === 'completed' ? shorten(oneLine(done), MAX_LINE) : shorten(done, MAX_ERROR),
  )
  const shown = {
    results: [{ ...called, result: { ok: true, value: done } as const }],
    line: `${called.call.name} ${input} → ${begin} ${ref}`,
  }
  if (status === 'completed') return { text: `completed: ${text}`, ...shown }
  const why = reason === '' ? '' : ` (${reason})`
  return { text: `${status}${why}: ${text}`, failed: true, ...shown }
}

/** The kernel says the answer in the conversation itself. */
export function answerObservation(result: Result): Observation {
  if (!result.ok) return { text: `nobody answered (${result.error.code})`, failed: true }
  if (result.value === undefined) return { text: 'nobody answered in time', failed: true }
  return { text: `the person said: ${asText(result.value)}`, results: [] }
}

export function knowledgeObservation(called: readonly Called[], results: readonly Result[]): Observation {
  const found = results.flatMap((result, i) => {
    return result.ok ? [{ ...(called[i] as Called), result }] : []
  })
  if (found.length === 0) return { text: 'nothing was found', failed: true }
  const data = found.map(({ result }) => JSON.stringify(result.ok ? result.value : null)).join('\n')
  return { text: 'found', data, results: found }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
