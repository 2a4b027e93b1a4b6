/**
 * Counts tokens if a provider does not report them: with a tokenizer if `js-tiktoken` is installed (its first use takes half
 * a second and 200 MB), otherwise with the kernel's estimate. Either way it is not the provider's own count, and is flagged as
 * an estimate.
 */
import { countTokens } from '../kernel/brief/count-tokens.ts'
import { optionalPackage } from '../kernel/optional-package.ts'
import type { ModelRequest } from '../protocol/index.ts'
import { messageText } from '../protocol/index.ts'

/** What a message costs in addition to its text. */
const MESSAGE_TOKENS = 4

export type CountTokens = (text: string) => number

let counter: Promise<CountTokens> | null = null

/** The best counter available. Loaded once. */
export function tokenCounter(): Promise<CountTokens> {
  counter ??= loadTokenizer().catch(() => countTokens)
  return counter
}

/** So many letters without a space are not language, and take a tokenizer quadratic time. */
const ENDLESS_WORD = /\S{1000}/

async function loadTokenizer(): Promise<CountTokens> {
  const missing = (advice: string) => new Error(`the tokenizer ${advice}`)
  const [{ Tiktoken }, ranks] = await Promise.all([
    optionalPackage('js-tiktoken/lite', missing),
    optionalPackage('js-tiktoken/ranks/o200k_base', missing),
  ])
  const tokenizer = new Tiktoken(ranks.default)
  return (text) => (ENDLESS_WORD.test(text) ? countTokens(text) : tokenizer.encode(text, 'all').length)
}

/** The input tokens of a request: messages, schema and tools. */
export function countRequestTokens(request: ModelRequest, count: CountTokens = countTokens): number {
  let tokens = 0
  for (const message of request.messages) {
    tokens += count(messageText(message)) + MESSAGE_TOKENS
    for (const { name, input } of message.toolCalls ?? [])
      tokens += count(name) + count(JSON.stringify(input) ?? '')
    for (const { text } of message.reasoning ?? []) tokens += count(text)
  }
  if (request.schema !== undefined) tokens += count(JSON.stringify(request.schema))
  if (request.tools !== undefined) tokens += count(JSON.stringify(request.tools))
  return tokens
}
