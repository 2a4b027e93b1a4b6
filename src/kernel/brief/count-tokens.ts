/**
 * How many tokens a text takes: the text is split the way tokenizers split it before they merge, and long words are counted by
 * length. An expected value; `estimateTokens` (budget.ts) is the upper bound that reserves use. Never more than the text has
 * characters. Long texts stand in many requests of a run, and are counted once.
 */
export function countTokens(text: string): number {
  if (text.length < MIN_REMEMBERED) return count(text)
  let tokens = REMEMBERED.get(text)
  if (tokens === undefined) {
    tokens = count(text)
    if (REMEMBERED.size >= MAX_REMEMBERED) REMEMBERED.clear()
    REMEMBERED.set(text, tokens)
  }
  return tokens
}

const REMEMBERED = new Map<string, number>()
const MIN_REMEMBERED = 2_000
const MAX_REMEMBERED = 512

const CJK_TOKENS = 0.8

/** Classes of characters: each run of one class is a piece. */
const SPACE = 1
const CJK = 2
const ASCII = 3
const LETTER = 4
const DIGIT = 5
const SYMBOL = 6

/** How many characters of a run make a token; scripts of which vocabularies contain few whole words take more. */
const PER_TOKEN: readonly number[] = [1, Number.POSITIVE_INFINITY, 1, 7, 3, 3, 3]

function count(text: string): number {
  let tokens = 0
  let at = 0
  while (at < text.length) {
    const kind = classOf(text.charCodeAt(at))
    let end = at + 1
    while (end < text.length && classOf(text.charCodeAt(end)) === kind) end++
    const length = end - at
    if (kind === CJK) tokens += length * CJK_TOKENS
    else if (kind === SPACE) tokens += length > 1 ? 1 : 0
    else tokens += Math.ceil(length / (PER_TOKEN[kind] as number))
    at = end
  }
  return Math.ceil(tokens)
}

const CLASSES = new Uint8Array(65_536)

function classOf(code: number): number {
  const known = CLASSES[code] as number
  if (known !== 0) return known
  const kind = classify(String.fromCharCode(code), code)
  CLASSES[code] = kind
  return kind
}

function classify(char: string, code: number): number {
  if (/\s/.test(char)) return SPACE
  if (/[A-Za-z]/.test(char)) return ASCII
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(char)) return CJK
  if (/\p{N}/u.test(char)) return DIGIT
  // Half of a pair: a rare Chinese character, or an emoji.
  if (code >= 0xd800 && code <= 0xdfff) return CJK
  return /[\p{L}\p{M}]/u.test(char) ? LETTER : SYMBOL
}
