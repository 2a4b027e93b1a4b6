/** Reads a reply of an AI SDK model, streamed or whole: its text, tool calls, reasoning, usage and finish reason. */
import type {
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { defined, isObject, parseJson, ThinkonError, type ToolCall } from '../../protocol/index.ts'
import { withExactNumbers } from '../../reply/exact-numbers.ts'
import { saysTwice } from '../../reply/strict-json.ts'
import { REPLY_TOOL } from './structured-mode.ts'

export interface RawReply {
  readonly text: string
  readonly toolCalls: readonly (ToolCall & { readonly options?: SharedV4ProviderMetadata })[]
  readonly reasoning: readonly RawReasoning[]
  readonly finish: string
  /** Undefined if the provider does not report it. */
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cachedInputTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
}

export interface RawReasoning {
  readonly text: string
  readonly options?: SharedV4ProviderMetadata
  /** How much text and how many calls came before it, if any. */
  readonly afterText?: number
  readonly afterCalls?: number
}

export interface ReplyListener {
  onText(text: string): void
  /** What is not shown: reasoning, arguments of calls, and whatever else a provider sends. */
  onHidden(text: string): void
  /** Called for any part that arrives. */
  alive(): void
  /** Called for a part that the reply grows by: text, reasoning, a call or its arguments. */
  progress(): void
}

/** Throws the error that the stream reports, and CUT if it ends before the reply does. */
export async function readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  listener: ReplyListener,
): Promise<RawReply> {
  const reader = stream.getReader()
  // A stream that ignores the signal must not keep its connection.
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', onAbort, { once: true })
  const collected = new Collector(listener)
  let finished = false
  try {
    for (;;) {
      const { done, value: part } = await reader.read()
      if (done) break
      listener.alive()
      if (part.type === 'error') throw part.error
      collected.add(part)
    }
    finished = true
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!finished) onAbort()
  }
  return collected.reply()
}

export function readWhole(result: LanguageModelV4GenerateResult, listener: ReplyListener): RawReply {
  const collected = new Collector(listener)
  for (const part of result.content) {
    if (part.type === 'text') collected.add({ type: 'text-delta', id: '', delta: part.text })
    else if (part.type === 'reasoning')
      collected.add({ ...part, type: 'reasoning-delta', id: '', delta: part.text })
    else if (part.type === 'tool-call') collected.add(part)
  }
  collected.add({ type: 'finish', finishReason: result.finishReason, usage: result.usage })
  return collected.reply()
}

class Collector {
  private text = ''
  private readonly toolCalls: RawReply['toolCalls'][number][] = []
  private readonly reasoning: RawReasoning[] = []
  /** Where the reasoning in progress stands in the list. */
  private readonly reasoningAt = new Map<string, number>()
  /** Tool calls in progress; in some modes they are the reply itself. */
  private readonly replyIds = new Set<string>()
  /** Calls whose arguments have arrived in pieces. */
  private readonly inputIds = new Set<string>()
  private finish: (LanguageModelV4StreamPart & { type: 'finish' }) | undefined
  private readonly listener: ReplyListener

  constructor(listener: ReplyListener) {
    this.listener = listener
  }

  add(part: LanguageModelV4StreamPart): void {
    if (isGrowth(part)) this.listener.progress()
    switch (part.type) {
      case 'text-delta':
        this.text += part.delta
        if (part.delta !== '') this.listener.onText(part.delta)
        return
      case 'tool-input-start':
        if (part.toolName === REPLY_TOOL) this.replyIds.add(part.id)
        this.inputIds.add(part.id)
        this.listener.onHidden(part.toolName)
        return
      case 'tool-input-delta':
        if (this.replyIds.has(part.id)) this.listener.onText(part.delta)
        else this.listener.onHidden(part.delta)
        return
      case 'tool-call':
        this.listener.onHidden(this.inputIds.has(part.toolCallId) ? part.toolName : JSON.stringify(part))
        // Tools that the provider runs itself do not concern us.
        if (part.providerExecuted) return
        if (part.toolName === REPLY_TOOL) this.text = part.input
        else
          this.toolCalls.push({
            id: part.toolCallId,
            name: part.toolName,
            input: inputOf(part.input),
            ...defined({ options: part.providerMetadata }),
          })
        return
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.listener.onHidden(JSON.stringify(part))
        this.addReasoning(part)
        return
      case 'finish':
        this.finish = part
        return
      default:
        this.listener.onHidden(JSON.stringify(part))
    }
  }

  private addReasoning(part: ReasoningPart): void {
    const delta = part.type === 'reasoning-delta' ? part.delta : ''
    const at = this.reasoningAt.get(part.id) ?? this.reasoning.length
    const before = this.reasoning[at]
    this.reasoning[at] = {
      ...defined({
        afterText: this.text.length || undefined,
        afterCalls: this.toolCalls.length || undefined,
      }),
      ...before,
      text: (before?.text ?? '') + delta,
      ...defined({ options: merged(before?.options, part.providerMetadata) }),
    }
    if (part.type === 'reasoning-end') this.reasoningAt.delete(part.id)
    else this.reasoningAt.set(part.id, at)
  }

  reply(): RawReply {
    const usage = usageOf(this.finish?.usage)
    const { unified, raw } = reasonOf(this.finish?.finishReason)
    const silent = usage.inputTokens === undefined && usage.outputTokens === undefined
    if (
      unified === 'interrupted' ||
      unified === 'error' ||
      (unified === 'other' && raw === undefined && silent)
    ) {
      throw new ThinkonError('MODEL_ERROR', CUT, { retryable: true })
    }
    const { text, toolCalls } = this
    if (unified === 'content-filter' && text === '' && toolCalls.length === 0) {
      throw new ThinkonError('MODEL_ERROR', 'the provider refused to answer (content filter)', {
        data: { finish: raw ?? unified },
      })
    }
    return { text, toolCalls, reasoning: this.reasoning, finish: unified, ...usage }
  }
}

/** Pieces may be empty. */
function isGrowth(part: LanguageModelV4StreamPart): boolean {
  if ('delta' in part) return part.delta !== ''
  return part.type === 'tool-input-start' || part.type === 'tool-call' || part.type === 'file'
}

type ReasoningPart = Extract<LanguageModelV4StreamPart, { type: `reasoning-${'start' | 'delta' | 'end'}` }>

/** What a provider says at the start and at the end of a part belongs together. */
function merged(
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (before === undefined || more === undefined) return more ?? before
  const all = Object.entries(more).map(([name, data]) => [name, { ...before[name], ...data }])
  return { ...before, ...Object.fromEntries(all) }
}

const CUT = 'the reply was cut off before its end'

/**
 * Arguments that are not JSON, or give a field twice, are passed on unchanged: whoever checks them reports what is wrong. A number that would lose
 * digits, such as an id, is passed on as a text.
 */
function inputOf(text: string): unknown {
  if (typeof text !== 'string') return text
  if (text.trim() === '') return {}
  const input = parseJson(text)
  return input === undefined || saysTwice(text) ? text : withExactNumbers(text, input)
}

/** AI SDK 5 has a plain string here, and no value for "interrupted". */
function reasonOf(given: unknown): { unified: string; raw: string | undefined } {
  if (typeof given === 'string') return { unified: given === 'unknown' ? 'other' : given, raw: undefined }
  const reason = given as { unified?: string; raw?: string } | undefined
  return { unified: reason?.unified ?? 'interrupted', raw: reason?.raw }
}

/** AI SDK 5 has plain numbers here. */
function usageOf(
  given: unknown,
): Pick<RawReply, `${'input' | 'output' | 'cachedInput' | 'cacheWrite'}Tokens`> {
  const usage = (given ?? {}) as Record<string, unknown>
  const input = usage.inputTokens as
    | { total?: number; cacheRead?: number; cacheWrite?: number }
    | number
    | undefined
  const inputTokens = count(typeof input === 'object' ? input?.total : input)
  return {
    inputTokens,
    outputTokens: outputOf(usage, inputTokens),
    cachedInputTokens: count(typeof input === 'object' ? input?.cacheRead : usage.cachedInputTokens),
    cacheWriteTokens: count(typeof input === 'object' ? input?.cacheWrite : undefined),
  }
}

/** With what was thought: some servers count it only in the total, or apart. */
function outputOf(usage: Record<string, unknown>, input: number | undefined): number | undefined {
  const output = usage.outputTokens as { total?: number; reasoning?: number } | number | undefined
  const said = count(typeof output === 'object' ? output?.total : output)
  const thought = count(typeof output === 'object' ? output?.reasoning : usage.reasoningTokens) ?? 0
  if (said === undefined) return undefined
  const raw = (isObject(usage.raw) ? usage.raw : {}) as Record<string, unknown>
  const total = count(raw.total_tokens) ?? count(usage.totalTokens) ?? 0
  const apart = thought > said ? said + thought : said
  return Math.max(apart, total - (input ?? total))
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
