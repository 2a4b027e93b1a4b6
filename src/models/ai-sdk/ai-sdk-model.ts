/**
 * An AI SDK model behind the model port. It calls `doStream` itself: recording, budgets, retries and structured output are
 * Thinkon's, and the SDK's own retries do not interfere.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import type { LanguageModelObject } from '../../kernel/model-choice.ts'
import {
  defined,
  type ModelPrice,
  type ModelReply,
  type ModelRequest,
  type ReasoningPart,
  type ResilienceSettings,
  type ThinkonError,
  type ToolCall,
} from '../../protocol/index.ts'
import { costOf, priceOf } from '../prices.ts'
import { type AttemptIo, withResilience } from '../resilience/with-resilience.ts'
import { knownSecrets, redact, redactDeep, redactedDeltas } from '../secrets.ts'
import { countRequestTokens, countTokens, tokenCounter } from '../tokens.ts'
import { toolsInWords, withSystemText } from '../tools-in-words.ts'
import { windowOf } from '../windows.ts'
import { type ProviderData, promptOf } from './prompt.ts'
import { providerError } from './provider-error.ts'
import { type RawReply, readStream, readWhole } from './read-reply.ts'
import {
  askedAs,
  type ModeOptions,
  refusesMode,
  type StructuredMode,
  StructuredModes,
  toolsOf,
} from './structured-mode.ts'

export interface AiSdkModelOptions {
  /** The spec or name in the journal; made from the model's own names unless given. */
  id?: string
  /** Whose prices, capabilities and limit on concurrent calls apply. */
  provider?: string
  price?: ModelPrice
  /** The context window in tokens; from the table of known models unless given. */
  window?: number
  resilience?: ResilienceSettings
  clock?: Clock
  random?: () => number
}

export function aiSdkModel(given: LanguageModelObject, options: AiSdkModelOptions = {}): Model {
  const languageModel = given as unknown as LanguageModelV4
  const provider = options.provider ?? familyOf(given.provider)
  const id = options.id ?? `${provider}:${given.modelId}`
  const price = options.price ?? priceOf(provider, given.modelId)
  const window = options.window ?? windowOf(provider, given.modelId)
  const asking = new Asking({ languageModel, id, provider, price, clock: options.clock ?? systemClock })
  const { resilience, clock, random } = options
  const one = withResilience(asking, { ...resilience, provider, ...defined({ clock, random }) })
  return {
    id,
    async call(request, io) {
      if (request.schema === undefined) return one.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured((asked, askedIo) => one.call(asked, askedIo), request, io)
    },
    ...defined({ window }),
    ...(price !== undefined && { cost: (usage) => costOf(price, usage) }),
  }
}

interface Asked {
  readonly languageModel: LanguageModelV4
  readonly id: string
  readonly provider: string
  readonly price: ModelPrice | undefined
  readonly clock: Clock
}

/** One request and its reply, as a model for withResilience. Remembers what the provider has refused. */
class Asking implements Model {
  readonly id: string
  private readonly about: Asked
  private readonly modes: StructuredModes
  private refusedTools = false
  private refusedReasoning = false
  private readonly refusedSettings = new Set<'temperature' | 'seed'>()
  private streams: boolean

  constructor(about: Asked) {
    this.id = about.id
    this.about = about
    this.modes = new StructuredModes(about.provider)
    this.streams = typeof about.languageModel.doStream === 'function'
  }

  async call(given: ModelRequest, io: ModelIo): Promise<ModelReply> {
    const secrets = knownSecrets()
    for (;;) {
      // Without tools to call, providers refuse earlier calls of them.
      const request = this.refusedTools || !given.tools?.length ? toolsInWords(given) : given
      const mode = request.schema && this.modes.modeFor(request)
      const asked = mode && askedAs(mode, request)
      const full = asked?.instruction
        ? { ...request, messages: withSystemText(request.messages, asked.instruction) }
        : request
      const callOptions: LanguageModelV4CallOptions = {
        prompt: promptOf(full.messages, {
          provider: this.about.provider,
          breakpoints: ANTHROPIC.test(this.about.languageModel.provider),
          reasoning: !this.refusedReasoning,
          clean: (value) => redactDeep(value, secrets),
        }),
        ...this.settingsOf(request),
        ...this.stateless(asked?.options ?? toolsOf(request)),
        abortSignal: io.signal,
      }
      try {
        return await this.replyOf(await this.send(callOptions, io, secrets), full, secrets)
      } catch (thrown) {
        io.signal.throwIfAborted()
        const error = providerError(thrown, this.id, this.about.clock.nowMs())
        const canAskOtherwise =
          this.refusesSetting(error, callOptions) ||
          this.refusesReasoning(error, callOptions) ||
          this.refusesTools(error, request, mode) ||
          this.refusesFormat(error, mode)
        if (!canAskOtherwise) throw error
      }
    }
  }

  private async send(
    callOptions: LanguageModelV4CallOptions,
    io: ModelIo,
    secrets: readonly string[],
  ): Promise<RawReply> {
    const deltas = redactedDeltas((text) => io.onDelta(text), secrets)
    const alive = () => (io as Partial<AttemptIo>).alive?.()
    const listener = { onText: deltas.push, alive }
    const result = await this.begin(callOptions)
    alive()
    const reply =
      'stream' in result ? await readStream(result.stream, io.signal, listener) : readWhole(result, listener)
    deltas.end()
    return reply
  }

  /** Streams, unless the model can't. */
  private async begin(
    callOptions: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4StreamResult | LanguageModelV4GenerateResult> {
    if (this.streams) {
      try {
        return await this.about.languageModel.doStream(callOptions)
      } catch (thrown) {
        if (!isNotStreaming(thrown)) throw thrown
        this.streams = false
      }
    }
    return this.about.languageModel.doGenerate(callOptions)
  }

  private async replyOf(
    raw: RawReply,
    request: ModelRequest,
    secrets: readonly string[],
  ): Promise<ModelReply> {
    const { price, provider } = this.about
    const estimated = raw.inputTokens === undefined || raw.outputTokens === undefined
    const count = estimated ? await tokenCounter() : countTokens
    const inputTokens = raw.inputTokens ?? countRequestTokens(request, count)
    const calls = raw.toolCalls.length === 0 ? undefined : raw.toolCalls.map((call) => callOf(call, provider))
    const outputTokens =
      raw.outputTokens ?? count(raw.text) + (calls === undefined ? 0 : count(JSON.stringify(calls)))
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
      ...(raw.finish === 'length' && { cutOff: true }),
    }
  }

  private settingsOf({ settings }: ModelRequest): Partial<LanguageModelV4CallOptions> {
    const { temperature, seed, maxOutputTokens } = settings ?? {}
    const sent = defined({ temperature, seed, maxOutputTokens })
    for (const name of this.refusedSettings) delete sent[name]
    return sent
  }

  /** OpenAI keeps replies and is told only their ids, unless it is asked not to; then a run could not be resumed later. */
  private stateless(options: ModeOptions): ModeOptions {
    if (!/^(?:openai|azure)\.responses/.test(this.about.languageModel.provider)) return options
    const { providerOptions } = options
    return {
      ...options,
      providerOptions: { ...providerOptions, openai: { ...providerOptions?.openai, store: false } },
    }
  }

  /** Reasoning that can't be checked, or that the server does not want back. */
  private refusesReasoning(error: ThinkonError, { prompt }: LanguageModelV4CallOptions): boolean {
    const { status } = error.data
    const isAboutIt =
      (status === 400 || status === 422) && /reasoning|thinking|thought|encrypted/i.test(error.message)
    const sent = prompt.some(
      ({ role, content }) => role === 'assistant' && content.some(({ type }) => type === 'reasoning'),
    )
    if (!isAboutIt || !sent) return false
    this.refusedReasoning = true
    return true
  }

  /**
   * Some models have no native tool calls, and refuse a request with tools: it is repeated with the tools in words. If the refusal may be about the schema, the next structured mode is tried first.
   */
  private refusesTools(error: ThinkonError, { tools }: ModelRequest, mode?: StructuredMode): boolean {
    if (!tools?.length || !refusesMode(error.data.status, error.message)) return false
    const clear = /\b(?:tools?|functions?)\b/i.test(error.message) && !ABOUT_FORMAT.test(error.message)
    if (!clear && mode !== 'prompt') return false
    this.refusedTools = true
    return true
  }

  private refusesFormat(error: ThinkonError, mode?: StructuredMode): boolean {
    return mode !== undefined && refusesMode(error.data.status, error.message) && this.modes.refused(mode)
  }

  /** Some models accept no temperature, some no seed: the call is repeated without it. */
  private refusesSetting(error: ThinkonError, sent: LanguageModelV4CallOptions): boolean {
    if (error.data.status !== 400) return false
    for (const name of ['temperature', 'seed'] as const) {
      if (sent[name] === undefined || !new RegExp(`\\b${name}\\b`, 'i').test(error.message)) continue
      this.refusedSettings.add(name)
      return true
    }
    return false
  }
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

const ANTHROPIC = /\banthropic\b/
const ABOUT_FORMAT = /schema|format|structured|json|grammar/i

/** `openai.responses` → `openai`. */
function familyOf(provider: string): string {
  return provider.split('.')[0] ?? provider
}

function isNotStreaming(thrown: unknown): boolean {
  const { name, message } = (thrown ?? {}) as { name?: string; message?: string }
  return (
    message === 'Not implemented' ||
    (name === 'AI_UnsupportedFunctionalityError' && /stream/i.test(message ?? ''))
  )
}
