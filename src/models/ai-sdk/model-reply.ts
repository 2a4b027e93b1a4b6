/** A reply as the kernel gets it: without secrets, with what it cost, and with what its provider wants back. */
import { countTokens } from '../../kernel/brief/count-tokens.ts'
import {
  defined,
  type ModelPrice,
  type ModelReply,
  type ReasoningPart,
  type ToolCall,
} from '../../protocol/index.ts'
import { costOf } from '../prices.ts'
import { redact, redactDeep } from '../secrets.ts'
import { type CountTokens, countRequestTokens, tokenCounter } from '../tokens.ts'
import type { ProviderData } from './prompt.ts'
import type { RawReply } from './read-reply.ts'
import type { Asked } from './request-form.ts'

export interface ReplyContext {
  readonly provider: string
  readonly price: ModelPrice | undefined
  readonly secrets: readonly string[]
}

export async function modelReply(
  raw: RawReply,
  { request, told, isLess }: Pick<Asked, 'request' | 'told' | 'isLess'>,
  { provider, price, secrets }: ReplyContext,
): Promise<ModelReply> {
  const calls = raw.toolCalls.length === 0 ? undefined : raw.toolCalls.map((call) => callOf(call, provider))
  const isCut = raw.finish === 'length'
  // A server that does not count says 0: a limit of tokens must bind there, too.
  const estimated = !raw.inputTokens || (!raw.outputTokens && isSaid(raw, isCut))
  const count = estimated ? await tokenCounter() : countTokens
  const inputTokens = raw.inputTokens || countRequestTokens(request, count)
  const outputTokens = raw.outputTokens || (isCut && told) || countReply(raw, count)
  const { cachedInputTokens, cacheWriteTokens } = raw
  const tokens = { inputTokens, outputTokens, ...(cachedInputTokens && { cachedInputTokens }) }
  const costUsd = price && costOf(price, { ...tokens, ...defined({ cacheWriteTokens }) })
  const reasoning = reasoningOf(raw, provider, secrets)
  return {
    text: redact(raw.text, secrets),
    ...(calls !== undefined && { toolCalls: redactDeep(calls, secrets) }),
    ...(reasoning.length > 0 && { reasoning }),
    usage: { ...tokens, ...defined({ costUsd }) },
    ...(estimated && { usageEstimated: true }),
    ...(isCut && { cutOff: true }),
    ...(isCut && isLess && defined({ cutAt: told })),
  }
}

function isSaid({ text, toolCalls, reasoning }: RawReply, isCut: boolean): boolean {
  return isCut || text !== '' || toolCalls.length > 0 || reasoning.length > 0
}

/** What the model wrote, and what it thought as far as its provider shows it. */
function countReply({ text, toolCalls, reasoning }: RawReply, count: CountTokens): number {
  const thought = reasoning.reduce((sum, part) => sum + count(part.text), 0)
  return count(text) + thought + (toolCalls.length === 0 ? 0 : count(JSON.stringify(toolCalls)))
}

/** Reasoning that its provider can recognize, and any that led to a call of a tool: some models want it back with the result. */
function reasoningOf(raw: RawReply, provider: string, secrets: readonly string[]): ReasoningPart[] {
  return raw.reasoning
    .filter(
      ({ text, options }) =>
        (options !== undefined || raw.toolCalls.length > 0) && redact(text, secrets) === text,
    )
    .map(({ text, ...data }) => ({ text, provider: { name: provider, ...data } satisfies ProviderData }))
}

function callOf({ options, ...call }: RawReply['toolCalls'][number], provider: string): ToolCall {
  return options === undefined
    ? call
    : { ...call, provider: { name: provider, options } satisfies ProviderData }
}
