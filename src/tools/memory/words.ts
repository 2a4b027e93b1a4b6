/**
 * Splits texts into words, for the index, for queries and for similarity. Scripts written without spaces become overlapping
 * pairs of characters, so that a Chinese word of two characters is found; names in code are indexed whole and in parts.
 */

const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const RUNS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const MAX_WORD_CHARS = 64
/** A goal can be long, but it says early what it is about. */
const MAX_QUERY_TERMS = 64

/** In order, with repetitions, in lower case. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFKC').match(RUNS) ?? []).flatMap((run) =>
    IS_UNSPACED.test(run) ? pairsOf(run) : namesOf(run),
  )
}

/** Two texts with the same normal form say the same. */
export function normalForm(text: string): string {
  return (text.normalize('NFKC').toLowerCase().match(RUNS) ?? []).join(' ')
}

/** The query for full-text search: any of the words; empty if there is nothing to look for. */
export function searchExpression(query: string): string {
  const terms = (query.normalize('NFKC').match(RUNS) ?? []).flatMap((run) =>
    IS_UNSPACED.test(run) ? pairTerms(run) : nameTerm(run),
  )
  return [...new Set(terms)].slice(0, MAX_QUERY_TERMS).join(' OR ')
}

/** A single character begins a pair, or is the last of its run. */
function pairTerms(run: string): string[] {
  const pairs = pairsOf(run)
  const words = pairs.length === 1 ? pairs : pairs.slice(0, -1)
  return words
    .filter((word) => !COMMON.has(word))
    .map((word) => (pairs.length === 1 ? `"${word}"*` : `"${word}"`))
}

/** The parts of a name are searched together: `file` alone would match far too much. */
function nameTerm(run: string): string[] {
  const [whole, ...parts] = namesOf(run)
  if (whole === undefined || COMMON.has(whole)) return []
  return parts.length === 0
    ? [`"${whole}"`]
    : [`("${whole}" OR (${parts.map((part) => `"${part}"`).join(' AND ')}))`]
}

/** 内存泄漏 is 内存, 存泄, 泄漏, and 漏, so that its last character is found alone. */
function pairsOf(run: string): string[] {
  const chars = [...run]
  return chars.map((char, at) => char + (chars[at + 1] ?? ''))
}

/** readFile is readfile, read and file. */
function namesOf(run: string): string[] {
  const whole = run.slice(0, MAX_WORD_CHARS).toLowerCase()
  const parts = run.slice(0, MAX_WORD_CHARS).match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{N}+/gu) ?? []
  return parts.length < 2 ? [whole] : [whole, ...parts.map((part) => part.toLowerCase())]
}

/** Words that say nothing about the topic of a text. */
export const COMMON = new Set(
  (
    'a an and are as at be by for from has have how i in is it its of on or our that the their this to was we what when ' +
    'where which will with you your do does can could should would not no all any into out up so if then than there here ' +
    '一个 我们 你们 他们 这个 那个 什么 怎么 如何 以及 并且 或者 可以 需要 进行 的 了 在 是 和 与 或 把 被 请'
  ).split(' '),
)
