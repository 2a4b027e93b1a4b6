/**
 * Tokens, counted here when a provider does not say. No tokenizer is loaded (they are megabytes, and each model has its
 * own): the text is cut as tokenizers cut it before they merge, and long words are counted by length. For English prose,
 * code and Chinese this is meant to be near what today's vocabularies give; it is an estimate and is flagged as one. The
 * kernel's estimateTokens is an upper bound for holding budget, this one is the expected value.
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
export function countRequestTokens(request: ModelRequest): number {
  let tokens = 0
  for (const message of request.messages) tokens += countTokens(messageText(message)) + MESSAGE_TOKENS
  if (request.schema !== undefined) tokens += countTokens(JSON.stringify(request.schema))
  if (request.tools !== undefined) tokens += countTokens(JSON.stringify(request.tools))
  return tokens
}
