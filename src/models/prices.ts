/**
 * What models cost: US dollars per million tokens, from the providers' public price lists. Prices change; a `price` in the
 * configuration overrides this table, and a model that is not in it has no price rather than a guessed one.
 */
import type { ModelPrice } from '../protocol/index.ts'

/** Tokens of one reply. */
export interface PricedTokens {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Read from the provider's cache: part of `inputTokens`. */
  readonly cachedInputTokens?: number
  /** Written to it: another part of `inputTokens`. */
  readonly cacheWriteTokens?: number
}

/** When the table was last checked. */
export const PRICES_DATE = '2026-11-15'

const FREE: ModelPrice = { input: 0, output: 0 }

/** Providers whose models run on the user's own machine. */
const FREE_PROVIDERS = new Set(['ollama', 'gguf'])

export function priceOf(provider: string, model: string): ModelPrice | undefined {
  if (FREE_PROVIDERS.has(provider)) return FREE
  const table = PRICES[provider]
  return table?.[model] ?? table?.[undated(model)]
}

export function costOf(price: ModelPrice, tokens: PricedTokens): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = tokens
  const long = price.long !== undefined && inputTokens > price.long.above ? price.long : undefined
  const { input, output } = long ?? price
  // The rates of the cache are shares of the normal one, whatever the length.
  const share = (rate = price.input) => (rate / (price.input || 1)) * input
  const read = Math.min(cachedInputTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - read)
  const fresh = inputTokens - read - written
  const cached = read * share(price.cachedInput) + written * share(price.cacheWrite)
  return (fresh * input + cached + outputTokens * output) / 1e6
}

/** `gpt-5-2025-08-07`, `claude-opus-4-5-20251101`, `gpt-4o-latest`: the same model under a longer name. */
export function undated(model: string): string {
  return model.replace(DATED, '')
}

const DATED = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/

function rate(input: number, output: number, cachedInput?: number): ModelPrice {
  return cachedInput === undefined ? { input, output } : { input, output, cachedInput }
}

/** Anthropic takes a quarter more for input that it writes to its cache. */
function claude(input: number, output: number, cachedInput: number): ModelPrice {
  return { input, output, cachedInput, cacheWrite: input * 1.25 }
}

/** OpenAI above 272,000 input tokens: twice the input, one and a half times the output. */
function openaiLong(price: ModelPrice): ModelPrice {
  return { ...price, long: { above: 272_000, input: price.input * 2, output: price.output * 1.5 } }
}

const PRICES: Readonly<Record<string, Readonly<Record<string, ModelPrice>>>> = {
  openai: {
    'gpt-6.1-sol': openaiLong(rate(2, 10, 0.1)),
    'gpt-6.1-terra': openaiLong(rate(1, 5, 0.05)),
    'gpt-6-sol': openaiLong(rate(2, 10, 0.2)),
    'gpt-6-luna': openaiLong(rate(0.1, 0.5, 0.01)),
    'gpt-5.6-sol': openaiLong(rate(5, 30, 0.5)),
    'gpt-5.6-terra': openaiLong(rate(2, 12, 0.2)),
    'gpt-5.6-luna': openaiLong(rate(0.2, 1.2, 0.02)),
    'gpt-5.4': openaiLong(rate(2.5, 15, 0.25)),
    'gpt-5.4-mini': rate(0.75, 4.5, 0.075),
    'gpt-5.2': rate(1.75, 14, 0.175),
    'gpt-5.1': rate(1.25, 10, 0.125),
    'gpt-5': rate(1.25, 10, 0.125),
    'gpt-5-mini': rate(0.25, 2, 0.025),
    'gpt-5-nano': rate(0.05, 0.4, 0.005),
    'gpt-4.1': rate(2, 8, 0.5),
    'gpt-4.1-mini': rate(0.4, 1.6, 0.1),
    'gpt-4.1-nano': rate(0.1, 0.4, 0.025),
    'gpt-4o': rate(2.5, 10, 1.25),
    'gpt-4o-mini': rate(0.15, 0.6, 0.075),
    o3: rate(2, 8, 0.5),
    'o3-mini': rate(1.1, 4.4, 0.55),
    'o4-mini': rate(1.1, 4.4, 0.275),
    o1: rate(15, 60, 7.5),
  },
  anthropic: {
    'claude-fable-5-1': claude(10, 50, 0.25),
    'claude-fable-5': claude(10, 50, 1),
    'claude-opus-5-5': claude(4, 20, 0.2),
    'claude-opus-5': claude(5, 25, 0.5),
    'claude-opus-4-8': claude(5, 25, 0.5),
    'claude-opus-4-7': claude(5, 25, 0.5),
    'claude-opus-4-6': claude(5, 25, 0.5),
    'claude-opus-4-5': claude(5, 25, 0.5),
    'claude-opus-4-1': claude(15, 75, 1.5),
    'claude-opus-4-0': claude(15, 75, 1.5),
    'claude-opus-4': claude(15, 75, 1.5),
    'claude-sonnet-5-5': claude(2, 10, 0.1),
    'claude-sonnet-5': claude(2, 10, 0.2),
    'claude-sonnet-4-6': claude(3, 15, 0.3),
    'claude-sonnet-4-5': claude(3, 15, 0.3),
    'claude-sonnet-4-0': claude(3, 15, 0.3),
    'claude-sonnet-4': claude(3, 15, 0.3),
    'claude-haiku-5-5': { ...claude(0.1, 0.5, 0.01), long: { above: 100_000, input: 0.5, output: 2.5 } },
    'claude-haiku-4-5': claude(1, 5, 0.1),
    'claude-3-haiku': claude(0.25, 1.25, 0.03),
  },
  google: {
    'gemini-3.8-flash': rate(0.75, 3.75),
    'gemini-3.1-pro-preview': { ...rate(2, 12, 0.2), long: { above: 200_000, input: 4, output: 18 } },
    'gemini-3-pro-preview': { ...rate(2, 12, 0.2), long: { above: 200_000, input: 4, output: 18 } },
    'gemini-3-flash-preview': rate(0.5, 3, 0.05),
    'gemini-2.5-pro': { ...rate(1.25, 10, 0.125), long: { above: 200_000, input: 2.5, output: 15 } },
    'gemini-2.5-flash': rate(0.3, 2.5, 0.03),
    'gemini-2.5-flash-lite': rate(0.1, 0.4, 0.01),
  },
}
