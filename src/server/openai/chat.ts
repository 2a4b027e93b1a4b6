/** An exchange as a chat completion: whole, or as chunks. */
import { callId } from '../../engine/dialogue/call-id.ts'
import type { Outcome, Usage } from '../../protocol/index.ts'
import type { ExchangePart } from '../../views/exchange.ts'
import { endingError } from './errors.ts'
import { createTelling, type Told } from './told.ts'

export interface ChatAbout {
  readonly run: string
  readonly model: string
  readonly hasValue: boolean
  readonly parallelCalls: boolean
  readonly includeUsage: boolean
}

interface Delta {
  role?: 'assistant'
  content?: string
  reasoning_content?: string
  tool_calls?: readonly (ToolCall & { index: number })[]
}

interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export type FinishReason = 'stop' | 'length' | 'tool_calls'

type Last = Told & { type: 'calls' | 'ended' }

/** The chunks of a stream. Throws if the run has failed or was cancelled. */
export async function* chatChunks(
  parts: AsyncIterable<ExchangePart>,
  about: ChatAbout,
): AsyncGenerator<object> {
  const same = { ...headOf(about), object: 'chat.completion.chunk' }
  const noUsage = about.includeUsage ? { usage: null } : {}
  const chunk = (delta: Delta, finish: FinishReason | null = null, more: object = {}) => ({
    ...same,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...noUsage,
    ...more,
  })
  yield chunk({ role: 'assistant', content: '' })
  for await (const said of chatDeltas(parts, about.hasValue)) {
    if (!('type' in said)) {
      yield chunk(said)
      continue
    }
    const { calls, finish, thinkon } = endOf(said, about)
    if (calls.length > 0) yield chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) })
    yield chunk({}, finish, { thinkon })
    if (about.includeUsage) yield { ...same, choices: [], usage: chatUsage(said.usage) }
  }
}

/** Throws if the run has failed or was cancelled. */
export async function chatCompletion(parts: AsyncIterable<ExchangePart>, about: ChatAbout): Promise<object> {
  let text = ''
  let reasoning = ''
  let last: Last | null = null
  for await (const said of chatDeltas(parts, about.hasValue)) {
    if ('type' in said) last = said
    else {
      text += said.content ?? ''
      reasoning += said.reasoning_content ?? ''
    }
  }
  // It ends so, or throws.
  const ended = last as unknown as Last
  const { calls, finish, thinkon } = endOf(ended, about)
  const content = ended.type === 'ended' && !about.hasValue ? ended.outcome.result : text
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...headOf(about),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: chatUsage(ended.usage),
    thinkon,
  }
}

async function* chatDeltas(
  parts: AsyncIterable<ExchangePart>,
  hasValue: boolean,
): AsyncGenerator<Delta | Last> {
  const telling = createTelling(hasValue)
  let isFirst = true
  for await (const part of parts) {
    for (const told of telling.follow(part)) {
      const said = saidOf(told, isFirst)
      if (told.type === 'step-start') isFirst = false
      if (said !== null) yield said
    }
  }
}

/** Steps of reasoning stand apart from each other. */
function saidOf(told: Told, isFirst: boolean): Delta | Last | null {
  switch (told.type) {
    case 'step-start':
      return isFirst ? null : { reasoning_content: '\n\n' }
    case 'step-delta':
      return { reasoning_content: told.delta }
    case 'text':
      return { content: told.delta }
    case 'calls':
    case 'ended':
      return told
    default:
      return null
  }
}

function headOf({ run, model }: ChatAbout) {
  return { id: `chatcmpl-${run}`, created: Math.floor(Date.now() / 1000), model }
}

function endOf(told: Last, { run, parallelCalls }: ChatAbout) {
  if (told.type === 'calls') {
    const given = parallelCalls ? told.calls : told.calls.slice(0, 1)
    const calls = given.map((call): ToolCall => {
      const called = { name: call.tool, arguments: JSON.stringify(call.input ?? {}) }
      return { id: callId(run, call.question), type: 'function', function: called }
    })
    return { calls, finish: 'tool_calls' as const, thinkon: { run, status: 'waiting' } }
  }
  const { outcome } = told
  const { status, reason } = outcome
  if (status === 'failed' || status === 'cancelled') throw endingError(run, outcome)
  return {
    calls: [],
    finish: finishOf(outcome),
    thinkon: { run, status, ...(reason !== undefined && { reason }) },
  }
}

/** What is not complete is never told as if it were (K8). */
function finishOf({ status }: Outcome): FinishReason {
  return status === 'completed' ? 'stop' : 'length'
}

function chatUsage({ inputTokens, outputTokens, cachedInputTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedInputTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
  }
}
