/**
 * An AI SDK model behind the model port. It calls `doStream` itself: recording, budgets, retries and structured output are
 * Thinkon's, and the SDK's own retries do not interfere.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
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
  messageText,
  type ResilienceSettings,
  type ThinkonError,
} from '../../protocol/index.ts'
import { costOf, priceOf } from '../prices.ts'
import { type AttemptIo, withResilience } from '../resilience/with-resilience.ts'
import { knownSecrets, redact, redactDeep, redactedDeltas } from '../secrets.ts'
import { countRequestTokens, countTokens, tokenCounter } from '../tokens.ts'
import { windowOf } from '../windows.ts'
import { providerError } from './provider-error.ts'
import { type RawReply, readStream, readWhole } from './read-reply.ts'
import { askedAs, refusesMode, type StructuredMode, StructuredModes, toolsOf } from './structured-mode.ts'

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
      const request = this.refusedTools ? withoutTools(given) : given
      const mode = request.schema && this.modes.modeFor(request)
      const asked = mode && askedAs(mode, request)
      const full = withInstruction(request, asked?.instruction)
      const callOptions: LanguageModelV4CallOptions = {
        prompt: promptOf(full, (text) => redact(text, secrets)),
        ...this.settingsOf(request),
        ...(asked?.options ?? toolsOf(request)),
        abortSignal: io.signal,
      }
      try {
        return await this.replyOf(await this.send(callOptions, io, secrets), full, secrets)
      } catch (thrown) {
        io.signal.throwIfAborted()
        const error = providerError(thrown, this.id, this.about.clock.nowMs())
        const canAskOtherwise =
          this.refusesSetting(error, callOptions) ||
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
    const { price } = this.about
    const estimated = raw.inputTokens === undefined || raw.outputTokens === undefined
    const count = estimated ? await tokenCounter() : countTokens
    const inputTokens = raw.inputTokens ?? countRequestTokens(request, count)
    const calls = raw.toolCalls.length === 0 ? undefined : raw.toolCalls
    const outputTokens =
      raw.outputTokens ?? count(raw.text) + (calls === undefined ? 0 : count(JSON.stringify(calls)))
    const tokens = { inputTokens, outputTokens, ...defined({ cachedInputTokens: raw.cachedInputTokens }) }
    return {
      text: redact(raw.text, secrets),
      ...(calls !== undefined && { toolCalls: redactDeep(calls, secrets) }),
      usage: {
        inputTokens,
        outputTokens,
        ...(price !== undefined && { costUsd: costOf(price, tokens) }),
      },
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

  /**
   * Some models have no native tool calls, and refuse a request with tools: it is repeated without them, since strategies
   * describe their tools in words as well. If the refusal may be about the schema, the next structured mode is tried first.
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

const ABOUT_FORMAT = /schema|format|structured|json|grammar/i

function withoutTools({ tools: _, ...request }: ModelRequest): ModelRequest {
  return request
}

/** After the other system messages, so that the part that stays the same comes first. */
function withInstruction(request: ModelRequest, instruction: string | undefined): ModelRequest {
  if (instruction === undefined) return request
  const at = request.messages.findIndex(({ role }) => role !== 'system')
  const begin = at === -1 ? request.messages.length : at
  const messages = [...request.messages]
  messages.splice(begin, 0, { role: 'system', content: instruction })
  return { ...request, messages }
}

/**
 * System messages at the beginning become one; a later one becomes a user message, because not every provider accepts it
 * there. Tool results are user text, too: the call they answer is not part of our messages.
 */
function promptOf(request: ModelRequest, clean: (text: string) => string): LanguageModelV4Prompt {
  const texts = request.messages.map((message) => ({ role: message.role, text: clean(messageText(message)) }))
  const begin = texts.findIndex(({ role }) => role !== 'system')
  // Providers want something to answer: if there is no other message, the last system message becomes it.
  const systems = begin === -1 ? texts.length - 1 : begin
  const prompt: LanguageModelV4Prompt = []
  const system = texts.slice(0, Math.max(0, systems))
  if (system.length > 0) prompt.push({ role: 'system', content: system.map(({ text }) => text).join('\n\n') })
  for (const { role, text } of texts.slice(system.length))
    prompt.push({ role: role === 'assistant' ? role : 'user', content: [{ type: 'text', text }] })
  return prompt
}

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
