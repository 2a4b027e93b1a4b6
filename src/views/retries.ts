/** Model calls that failed and are tried again, or wait for their model: shown until something else happens to them. */
import type { Event, ModelRetry } from '../protocol/index.ts'
import { shortReason } from './block-row.ts'
import { reasonInWords } from './reason-words.ts'
import { type Lang, wordsOf } from './words.ts'

export interface Retries {
  add(retry: ModelRetry): void
  /** Forgets the retries of calls and blocks that have ended. */
  follow(event: Event): void
  /** What the block's last failed call waits for; empty if none does. */
  of(path: string): string
}

export function createRetries(lang: Lang): Retries {
  /** By path, then by the number of the call. */
  const waiting = new Map<string, Map<number, ModelRetry>>()
  return {
    add(retry) {
      const calls = waiting.get(retry.path) ?? new Map<number, ModelRetry>()
      waiting.set(retry.path, calls)
      calls.delete(retry.n)
      calls.set(retry.n, retry)
    },
    follow(event) {
      if (event.type === 'run-resume') waiting.clear()
      else if (event.type === 'block-end') waiting.delete(event.path)
      else if (event.type === 'model-end') waiting.get(event.path)?.delete(event.n)
    },
    of(path) {
      const last = [...(waiting.get(path)?.values() ?? [])].at(-1)
      return last === undefined ? '' : retryText(last, lang)
    },
  }
}

/** "429, attempt 2 of 5, again in 4 s", or what the step waits for. */
export function retryText(retry: ModelRetry, lang: Lang): string {
  const words = wordsOf(lang)
  if (retry.waitMs !== undefined)
    return words.retry({ ...retry, message: reasonInWords(retry.message, lang) })
  return `${words.waitsForModel}: ${shortReason(retry, lang)}`
}
