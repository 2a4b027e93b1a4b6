/**
 * Tokens, counted here when a provider does not say: by a tokenizer where `js-tiktoken` is installed (it takes half a second
 * and 200 MB when it is first used), otherwise by an estimate: the text is cut as tokenizers cut it before they merge, and long
 * words are counted by length. Either way it is not the provider's own count, and is flagged so. The kernel's estimateTokens is an
 * upper bound for holding budget, this one is the expected value.
 */
import type { ModelRequest } from '../protocol/index.ts'
import { messageText } from '../protocol/index.ts'

const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{M}]+|\p{N}{1,3}|\s{2,}|[^\s\p{L}\p{N}]{1,3}/gu
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const ASCII_WORD = /^[A-Za-z]+$/
const CJK_TOKENS = 0.8
const LETTERS_PER_TOKEN = 7
/** Scripts with few whole words in the vocabularies. */
const OTHER_LETTERS_PER_TOKEN = 3
/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4

export type CountTokens = (text: string) => number

let counter: Promise<CountTokens> | null = null

/** The best there is. Loaded once. */
export function tokenCounter(): Promise<CountTokens> {
  counter ??= loadTokenizer().catch(() => countTokens)
  return counter
}

/** A run of letters without a space this long is no language, and takes a tokenizer quadratic time. */
const ENDLESS_WORD = /\S{1000}/

async function loadTokenizer(): Promise<CountTokens> {
  const [{ Tiktoken }, ranks] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/o200k_base'),
  ])
  const tokenizer = new Tiktoken(ranks.default)
  return (text) => (ENDLESS_WORD.test(text) ? countTokens(text) : tokenizer.encode(text, 'all').length)
}

/** The estimate. */
export function countTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE)) {
    if (CJK.test(piece)) tokens += CJK_TOKENS
    else if (ASCII_WORD.test(piece)) tokens += Math.ceil(piece.length / LETTERS_PER_TOKEN)
    else if (/^\p{L}/u.test(piece)) tokens += Math.ceil(piece.length / OTHER_LETTERS_PER_TOKEN)
    else tokens += 1
  }
  return Math.ceil(tokens)
}

/** What a request takes in: messages, schema and tools. */
export function countRequestTokens(request: ModelRequest, count: CountTokens = countTokens): number {
  let tokens = 0
  for (const message of request.messages) tokens += count(messageText(message)) + MESSAGE_TOKENS
  if (request.schema !== undefined) tokens += count(JSON.stringify(request.schema))
  if (request.tools !== undefined) tokens += count(JSON.stringify(request.tools))
  return tokens
}
