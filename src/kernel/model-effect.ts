/** A model call before it is made: what is sent, and what it may cost, which is reserved before it starts. */
import type { ModelRequest, Reserve, ToolSpec } from '../protocol/index.ts'
import { CLOSING_OUTPUT_TOKENS, estimateTokens } from './budget.ts'
import type { Model } from './model.ts'

/** The maximum length of a reply when neither the request nor the model's configuration says. */
export const DEFAULT_OUTPUT_TOKENS = 4_096

/**
 * The request with the cap of its reply: what is reserved is what the model is told. A request may ask for less than is
 * configured for the model, never for more. The budget has no say in it. Thinking comes on top, see `thinkingTokens`.
 */
export function withCap(request: ModelRequest, model: Model): ModelRequest {
  const maxOutputTokens = capOf(request, model)
  const { settings } = request
  if (settings?.maxOutputTokens === maxOutputTokens) return request
  return { ...request, settings: { ...settings, maxOutputTokens } }
}

function capOf({ settings }: ModelRequest, { maxOutputTokens, window = Infinity }: Model): number {
  const asked = settings?.maxOutputTokens
  if (asked !== undefined) return Math.min(asked, maxOutputTokens ?? Infinity)
  // A reply needs its place in the window beside the prompt.
  return maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, Math.floor(window / 4))
}

/** What a request with a cap may cost. */
export function modelReserve(request: ModelRequest, model: Model): Reserve {
  let inputTokens = 0
  for (const { content } of request.messages) {
    if (typeof content === 'string') inputTokens += estimateTokens(content)
    else for (const part of content) inputTokens += estimateTokens(part)
  }
  if (request.tools !== undefined) inputTokens += toolTokens(request.tools)
  const cap = request.settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS
  const outputTokens = cap + (model.thinkingTokens ?? 0)
  const costUsd = model.cost?.({ inputTokens, outputTokens }) ?? 0
  return { calls: 1, tokens: inputTokens + outputTokens, costUsd }
}

/** What the descriptions of tools take; the same list comes with every request of a run. */
function toolTokens(tools: readonly ToolSpec[]): number {
  let tokens = TOOL_TOKENS.get(tools)
  if (tokens === undefined) {
    tokens = estimateTokens(JSON.stringify(tools))
    TOOL_TOKENS.set(tools, tokens)
  }
  return tokens
}

const TOOL_TOKENS = new WeakMap<readonly ToolSpec[], number>()

/** A closing call must fit into what was kept back for it, its prompt included. */
export function shortReply(request: ModelRequest): ModelRequest {
  const { settings } = request
  if (settings?.maxOutputTokens !== undefined) return request
  return { ...request, settings: { ...settings, maxOutputTokens: CLOSING_OUTPUT_TOKENS } }
}

/** Without secrets (K9). Tools and schema come from the run's configuration, or the strategy's code. */
export function cleanRequest(request: ModelRequest, clean: <T>(value: T) => T): ModelRequest {
  const messages = clean(request.messages)
  const input = clean(request.input)
  return messages === request.messages && input === request.input ? request : { ...request, messages, input }
}
