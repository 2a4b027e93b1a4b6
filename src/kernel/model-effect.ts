/** A model call before it is made: what is sent, and what it may cost, which is reserved before it starts. */
import type { Message, ModelRequest, Reserve, ToolSpec } from '../protocol/index.ts'
import { CLOSING_OUTPUT_TOKENS, estimateTokens, tokensIn } from './budget.ts'
import type { Model } from './model.ts'
import { type CallUsage, reservedCost } from './model-cost.ts'

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
  return {
    ...request,
    settings: settings === undefined ? onlyCap(maxOutputTokens) : { ...settings, maxOutputTokens },
  }
}

/** Most requests of a run have the same one. */
function onlyCap(maxOutputTokens: number): { readonly maxOutputTokens: number } {
  if (lastCap.maxOutputTokens !== maxOutputTokens) lastCap = Object.freeze({ maxOutputTokens })
  return lastCap
}

let lastCap: { readonly maxOutputTokens: number } = Object.freeze({ maxOutputTokens: DEFAULT_OUTPUT_TOKENS })

function capOf({ settings }: ModelRequest, { maxOutputTokens, window = Infinity }: Model): number {
  const asked = settings?.maxOutputTokens
  if (asked !== undefined) return Math.min(asked, maxOutputTokens ?? Infinity)
  // A reply needs its place in the window beside the prompt.
  return maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, Math.floor(window / 4))
}

/**
 * What a request may cost, its cap included. `tokensLeft` is what the block's records say: executed again, it reserves the same.
 * It is 0 where every text is to be counted.
 */
export function modelReserve(request: ModelRequest, model: Model, tokensLeft: number): Reserve {
  return reserveOf(request, model, capOf(request, model), tokensLeft)
}

/** What a further request of a step may cost. Its cap is its own: it may have more room than the first. */
export function partReserve(request: ModelRequest, model: Model): Reserve {
  return reserveOf(request, model, request.settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS, 0)
}

/** The estimated usage of a reply that was not read to its end. */
export function receivedUsage(request: ModelRequest, bytes: number): CallUsage {
  return { inputTokens: requestTokens(request, 0), outputTokens: tokensIn(bytes) }
}

export function requestTokens({ messages, tools }: ModelRequest, tokensLeft: number): number {
  return messageTokens(messages, tokensLeft) + (tools === undefined ? 0 : toolTokens(tools))
}

function reserveOf(request: ModelRequest, model: Model, cap: number, tokensLeft: number): Reserve {
  const inputTokens = requestTokens(request, model.cost === undefined ? tokensLeft : 0)
  const outputTokens = cap + (model.thinkingTokens ?? 0)
  const costUsd = reservedCost(model, { inputTokens, outputTokens })
  return { calls: 1, tokens: inputTokens + outputTokens, costUsd }
}

/**
 * An upper bound. Texts whose number of characters is next to nothing of what is left are not read, because no character counts
 * for more than a token: a text that was put together from many is copied when it is first read, which costs more than the rest
 * of a fast step.
 */
function messageTokens(messages: readonly Message[], tokensLeft: number): number {
  let chars = 0
  for (const { content } of messages) {
    if (typeof content === 'string') chars += content.length
    else for (const part of content) chars += part.length
  }
  if (chars <= tokensLeft * NEGLIGIBLE_SHARE) return chars
  let tokens = 0
  for (const { content } of messages) {
    if (typeof content === 'string') tokens += estimateTokens(content)
    else for (const part of content) tokens += estimateTokens(part)
  }
  return tokens
}

const NEGLIGIBLE_SHARE = 0.001

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
