/** What operations came to, as a loop is told. Words from outside are data; ours are text. */
import { type Outcome, type Result, shorten } from '../../../protocol/index.ts'
import type { Observation } from './action.ts'

export function toolObservation(result: Result): Observation {
  if (result.ok)
    return {
      text: 'done',
      data: typeof result.value === 'string' ? result.value : JSON.stringify(result.value),
    }
  const { code, message } = result.error
  if (code === 'INTERRUPTED')
    return {
      text: 'it was interrupted by a crash: it may or may not have happened. Look before you do it again.',
      failed: true,
    }
  return {
    text: code === 'DENIED' ? 'it was not allowed' : `it failed (${code})`,
    data: message,
    failed: true,
  }
}

export function childObservation(result: Result<Outcome>): Observation {
  if (!result.ok)
    return { text: `it failed (${result.error.code})`, data: result.error.message, failed: true }
  const { status, result: text, reason = '' } = result.value
  const ended =
    status === 'completed' ? 'completed' : `${status}${reason === '' ? '' : ` (${shorten(reason, 200)})`}`
  return { text: `${ended}: ${text}`, keep: true, ...(status !== 'completed' && { failed: true as const }) }
}

export function answerObservation(result: Result): Observation {
  if (!result.ok) return { text: `nobody answered (${result.error.code})`, failed: true }
  const { value } = result
  if (value === undefined) return { text: 'nobody answered in time', failed: true }
  return { text: `the person said: ${typeof value === 'string' ? value : JSON.stringify(value)}`, keep: true }
}

export function knowledgeObservation(results: readonly Result[]): Observation {
  const found = results.flatMap((result) => (result.ok ? [JSON.stringify(result.value)] : []))
  return found.length === 0
    ? { text: 'nothing was found', failed: true }
    : { text: 'found', data: found.join('\n') }
}
