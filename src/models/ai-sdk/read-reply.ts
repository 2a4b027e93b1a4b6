/** Reads a reply of an AI SDK model, streamed or whole: its text, tool calls, usage and finish reason. */
import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { parseJson, ThinkonError, type ToolCall } from '../../protocol/index.ts'
import { REPLY_TOOL } from './structured-mode.ts'

export interface RawReply {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly finish: string
  /** Undefined if the provider does not report it. */
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cachedInputTokens: number | undefined
}

export interface ReplyListener {
  onText(text: string): void
  /** Called for any part that arrives. */
  alive(): void
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
    else if (part.type === 'tool-call') collected.add(part)
  }
  collected.add({ type: 'finish', finishReason: result.finishReason, usage: result.usage })
  return collected.reply()
}

class Collector {
  private text = ''
  private readonly toolCalls: ToolCall[] = []
  /** Tool calls in progress; in some modes they are the reply itself. */
  private readonly replyIds = new Set<string>()
  private finish: (LanguageModelV4StreamPart & { type: 'finish' }) | undefined
  private readonly listener: ReplyListener

  constructor(listener: ReplyListener) {
    this.listener = listener
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        this.text += part.delta
        if (part.delta !== '') this.listener.onText(part.delta)
        return
      case 'tool-input-start':
        if (part.toolName === REPLY_TOOL) this.replyIds.add(part.id)
        return
      case 'tool-input-delta':
        if (this.replyIds.has(part.id)) this.listener.onText(part.delta)
        return
      case 'tool-call':
        // Tools that the provider runs itself do not concern us.
        if (part.providerExecuted) return
        if (part.toolName === REPLY_TOOL) this.text = part.input
        else this.toolCalls.push({ id: part.toolCallId, name: part.toolName, input: inputOf(part.input) })
        return
      case 'finish':
        this.finish = part
        return
      default:
    }
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
    return { text, toolCalls, finish: unified, ...usage }
  }
}

const CUT = 'the reply was cut off before its end'

/** Arguments that are not JSON are passed on unchanged: whoever checks them reports what is wrong. */
function inputOf(text: string): unknown {
  if (typeof text !== 'string') return text
  if (text.trim() === '') return {}
  const input = parseJson(text)
  return input === undefined ? text : input
}

/** AI SDK 5 has a plain string here, and no value for "interrupted". */
function reasonOf(given: unknown): { unified: string; raw: string | undefined } {
  if (typeof given === 'string') return { unified: given === 'unknown' ? 'other' : given, raw: undefined }
  const reason = given as { unified?: string; raw?: string } | undefined
  return { unified: reason?.unified ?? 'interrupted', raw: reason?.raw }
}

/** AI SDK 5 has plain numbers here. */
function usageOf(given: unknown): Pick<RawReply, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'> {
  const usage = (given ?? {}) as Record<string, unknown>
  const input = usage.inputTokens as { total?: number; cacheRead?: number } | number | undefined
  const output = usage.outputTokens as { total?: number } | number | undefined
  return {
    inputTokens: count(typeof input === 'object' ? input?.total : input),
    outputTokens: count(typeof output === 'object' ? output?.total : output),
    cachedInputTokens: count(typeof input === 'object' ? input?.cacheRead : usage.cachedInputTokens),
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
