import type { DecodingBudget } from '../protocol/decoding-budget.ts'

/** Joins two parts of one text, without the words of the first that the second repeats. `budget`: of the whole text. */
export function joinTexts(before: string, more: string, budget: DecodingBudget): string {
  budget.take(more.length)
  if (before === '') return more
  const start = more.trimStart()
  const longest = Math.min(before.length, start.length, MAX_OVERLAP)
  for (let length = longest; length >= MIN_OVERLAP; length--) {
    const repeated = start.slice(0, length)
    if (before.endsWith(repeated) && isOverlap(before, repeated)) return before + start.slice(length)
  }
  return before + more
}

const MAX_OVERLAP = 4_000
const MIN_OVERLAP = 3
/** So much is not the same by chance. */
const SURE_OVERLAP = 16

/** A few characters count only if they are words from their beginning: `0,0` may well follow `0,0`. */
function isOverlap(before: string, repeated: string): boolean {
  if (repeated.length >= SURE_OVERLAP) return true
  const at = before.length - repeated.length
  return (at === 0 || !INSIDE_WORD.test(before.slice(at - 1, at + 1))) && LETTERS.test(repeated)
}

/** Words of Chinese and Japanese have no space between them. */
const INSIDE_WORD = /^[[\p{L}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]{2}/v
const LETTERS = /\p{L}.*\p{L}.*\p{L}/su
