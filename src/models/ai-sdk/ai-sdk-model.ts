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
import type { CallLimiter } from '../../kernel/call-limiter.ts'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import type { LanguageModelObject } from '../../kernel/model-choice.ts'
import {
  defined,
  type ModelPrice,
  type ModelReply,
  type ModelRequest,
  type ResilienceSettings,
} from '../../protocol/index.ts'
import { decorateModel } from '../decorate-model.ts'
import { costOf, priceOf } from '../prices.ts'
import type { AttemptIo } from '../resilience/one-attempt.ts'
import { withResilience } from '../resilience/with-resilience.ts'
import { knownSecrets, redactedDeltas } from '../secrets.ts'
import { thinkingOf } from '../thinking.ts'
import { windowOf } from '../windows.ts'
import { LearnedWindow } from './context-overflow.ts'
import { modelReply } from './model-reply.ts'
import { providerError } from './provider-error.ts'
import { type RawReply, readStream, readWhole } from './read-reply.ts'
import { askingForStream, bodyTooLong, readingWhole, WholeReply } from './reply-fetch.ts'
import { RequestForm } from './request-form.ts'

export interface AiSdkModelOptions {
  /** The spec or name in the journal; made from the model's own names unless given. */
  id?: string
  /** Whose prices, capabilities and limits apply. */
  provider?: string
  price?: ModelPrice
  /** The context window in tokens; from the table of known models unless given. */
  window?: number
  /** What the model may think on top of the cap of a reply; from the table of known models unless given. */
  thinkingTokens?: number
  /** False: tools are told in words from the first request on. */
  nativeTools?: boolean
  /** The window in use, of a server that drops what does not fit without saying so. */
  loadedWindow?: () => Promise<number | undefined>
  resilience?: ResilienceSettings
  /** A provider's limits beyond this process. */
  sharedLimiter?: (provider: string) => CallLimiter
  clock?: Clock
  random?: () => number
}

export function aiSdkModel(given: LanguageModelObject, options: AiSdkModelOptions = {}): Model {
  const languageModel = given as unknown as LanguageModelV4
  const provider = options.provider ?? familyOf(given.provider)
  const id = options.id ?? `${provider}:${given.modelId}`
  const price = options.price ?? priceOf(provider, given.modelId)
  const window = options.window ?? windowOf(provider, given.modelId)
  const thinkingTokens = options.thinkingTokens ?? thinkingOf(given.modelId)
  const asking = new Asking({
    languageModel,
    id,
    provider,
    price,
    nativeTools: options.nativeTools ?? true,
    thinkingTokens: thinkingTokens ?? 0,
    window,
    loadedWindow: options.loadedWindow,
    clock: options.clock ?? systemClock,
  })
  const { resilience, clock, random } = options
  const shared = options.sharedLimiter?.(provider)
  const known = decorateModel(asking, {
    ...defined({ window, thinkingTokens }),
    ...(price !== undefined && { cost: (usage) => costOf(price, usage) }),
  })
  const one = withResilience(known, { ...resilience, provider, ...defined({ clock, random, shared }) })
  return decorateModel(one, {
    async call(request, io) {
      if (request.schema === undefined) return one.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(one, request, io)
    },
  })
}

interface About {
  readonly languageModel: LanguageModelV4
  readonly id: string
  readonly provider: string
  readonly price: ModelPrice | undefined
  readonly nativeTools: boolean
  readonly thinkingTokens: number
  readonly window: number | undefined
  readonly loadedWindow: AiSdkModelOptions['loadedWindow']
  readonly clock: Clock
}

/** One request and its reply, as a model for withResilience. Remembers what the provider has refused. */
class Asking implements Model {
  readonly id: string
  private readonly about: About
  private readonly form: RequestForm
  private readonly learned = new LearnedWindow()
  private streams: boolean

  constructor(about: About) {
    this.id = about.id
    this.about = about
    this.form = new RequestForm(about.languageModel, about)
    this.streams = typeof about.languageModel.doStream === 'function'
  }

  async call(given: ModelRequest, io: ModelIo): Promise<ModelReply> {
    const secrets = knownSecrets()
    const { provider, price, clock, loadedWindow } = this.about
    for (;;) {
      const asked = this.form.ask(given, secrets, io.signal)
      this.learned.check(asked.request, this.id)
      try {
        const raw = await this.send(asked.options, io, secrets)
        if (loadedWindow !== undefined) await this.learned.confirm(asked.request, this.id, loadedWindow)
        return await modelReply(raw, asked, { provider, price, secrets })
      } catch (thrown) {
        io.signal.throwIfAborted()
        const error = providerError(thrown, this.id, clock.nowMs())
        if (this.form.refused(error, asked)) continue
        if (error.code === 'CONTEXT_OVERFLOW') this.learned.learn(error, asked.request)
        throw error
      }
    }
  }

  private async send(
    callOptions: LanguageModelV4CallOptions,
    io: ModelIo,
    secrets: readonly string[],
  ): Promise<RawReply> {
    const deltas = redactedDeltas((text) => io.onDelta(text), secrets)
    const { alive = nothing, progress = nothing } = io as Partial<AttemptIo>
    const onHidden = (text: string) => io.onHidden?.(text)
    let uselessBytes = 0
    const received = (bytes: number) => {
      alive()
      uselessBytes += bytes
      if (uselessBytes > MAX_USELESS_BYTES) throw bodyTooLong(MAX_USELESS_BYTES, USELESS)
    }
    const onProgress = () => {
      uselessBytes = 0
      progress()
    }
    const listener = { onText: deltas.push, onHidden, alive, progress: onProgress }
    const result = await this.begin(callOptions, received)
    alive()
    const reply =
      'stream' in result ? await readStream(result.stream, io.signal, listener) : readWhole(result, listener)
    deltas.end()
    return reply
  }

  /** Streams, unless the model or the server can't. */
  private async begin(
    callOptions: LanguageModelV4CallOptions,
    received: (bytes: number) => void,
  ): Promise<LanguageModelV4StreamResult | LanguageModelV4GenerateResult> {
    const { languageModel } = this.about
    if (this.streams) {
      try {
        return await askingForStream(received, () => languageModel.doStream(callOptions))
      } catch (thrown) {
        if (thrown instanceof WholeReply)
          return readingWhole(thrown, () => languageModel.doGenerate(callOptions))
        if (!isNotStreaming(thrown)) throw thrown
        this.streams = false
      }
    }
    return languageModel.doGenerate(callOptions)
  }
}

function nothing(): void {}

const MAX_USELESS_BYTES = 32 * 1024 * 1024
const USELESS = 'events that its reply does not grow by, more than'

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
