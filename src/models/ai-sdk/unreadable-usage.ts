/**
 * A usage whose counts are no numbers (`"prompt_tokens": "12"`). The AI SDK refuses the reply that contains it, however often the server is
 * asked, so another attempt is of no use.
 */
import { isObject } from '../../protocol/index.ts'

/** A sentence about the wrong usage, if that is why the AI SDK refused the reply. */
export function unreadableUsage(thrown: unknown): string | undefined {
  const value = refusedValue(thrown) ?? refusedValue(causeOf(thrown))
  if (value === undefined) return undefined
  const wrong = usagesIn(value).find((usage) => !isUsage(usage))
  if (wrong === undefined) return undefined
  return `the server sent a reply with a usage that is no count of tokens, ${JSON.stringify(wrong).slice(0, MAX_SHOWN)}; the AI SDK refuses such replies, so the server has to be corrected`
}

const MAX_SHOWN = 200

/** The value whose type is not the protocol's, as the AI SDK reports it. */
function refusedValue(thrown: unknown): Record<string, unknown> | undefined {
  const { name, value } = (thrown ?? {}) as { name?: unknown; value?: unknown }
  return typeof name === 'string' && name.includes('TypeValidationError') && isObject(value)
    ? value
    : undefined
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined
}

/** Chat completions and Anthropic's deltas, Gemini, OpenAI's responses, Anthropic's first event. */
function usagesIn({ usage, usageMetadata, response, message }: Record<string, unknown>): unknown[] {
  const inner = [response, message].map((part) => (isObject(part) ? part.usage : undefined))
  return [usage, usageMetadata, ...inner].filter((one) => one !== undefined && one !== null)
}

/** Other fields may be texts, such as `service_tier`. */
function isUsage(usage: unknown): boolean {
  if (!isObject(usage)) return false
  return Object.entries(usage).every(([name, value]) => {
    if (isObject(value)) return isUsage(value)
    return !COUNTS.test(name) || value === null || typeof value === 'number'
  })
}

const COUNTS = /tokens?$|TokenCount$/
