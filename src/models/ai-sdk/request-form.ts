/** How one model is asked: turns a request into call options, and remembers what the provider has refused. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { defined, type ModelRequest, type ThinkonError } from '../../protocol/index.ts'
import { redactDeep } from '../secrets.ts'
import { toolsInWords, withSystemText } from '../tools-in-words.ts'
import { promptOf } from './prompt.ts'
import { ReplyRoom } from './reply-room.ts'
import {
  askedAs,
  type ModeOptions,
  refusesMode,
  type StructuredMode,
  StructuredModes,
  toolsOf,
} from './structured-mode.ts'

/** A request as it is sent. */
export interface Asked {
  /** With the tools and the schema in words where the model needs them so. */
  readonly request: ModelRequest
  readonly mode: StructuredMode | undefined
  readonly options: LanguageModelV4CallOptions
  /** The cap that the provider is told, if any; `isLess` than was asked for where the model does not give more. */
  readonly told: number | undefined
  readonly isLess: boolean
}

export interface FormOptions {
  readonly provider: string
  readonly nativeTools: boolean
  /** Providers count thinking within the cap that they are told: it is added to what is asked for. */
  readonly thinkingTokens: number
  readonly window: number | undefined
}

export class RequestForm {
  private readonly model: LanguageModelV4
  private readonly provider: string
  private readonly thinkingTokens: number
  private readonly room: ReplyRoom
  /** The server calls the cap `max_completion_tokens`, as OpenAI does for models that think. */
  private renamesCap = false
  private readonly modes: StructuredModes
  private nativeTools: boolean
  private refusedReasoning = false
  private readonly refusedSettings = new Set<'temperature' | 'seed'>()

  constructor(model: LanguageModelV4, { provider, nativeTools, thinkingTokens, window }: FormOptions) {
    this.model = model
    this.nativeTools = nativeTools
    this.thinkingTokens = thinkingTokens
    this.room = new ReplyRoom(window)
    this.provider = provider
    this.modes = new StructuredModes(provider)
  }

  /** Without what the model has refused so far. */
  ask(given: ModelRequest, secrets: readonly string[], abortSignal: AbortSignal): Asked {
    // Without tools to call, providers refuse earlier calls of them.
    const told = this.nativeTools && given.tools?.length ? given : toolsInWords(given)
    const mode = told.schema && this.modes.modeFor(told)
    const { options, instruction } = mode ? askedAs(mode, told) : { options: toolsOf(told) }
    const request =
      instruction === undefined ? told : { ...told, messages: withSystemText(told.messages, instruction) }
    const prompt = promptOf(request.messages, {
      provider: this.provider,
      breakpoints: ANTHROPIC.test(this.model.provider),
      reasoning: !this.refusedReasoning,
      clean: (value) => redactDeep(value, secrets),
    })
    const cap = request.settings?.maxOutputTokens
    const most = cap === undefined ? undefined : cap + this.thinkingTokens
    const length = most === undefined ? undefined : this.room.limit(request, most)
    const settings = this.settingsOf(request)
    return {
      request,
      mode,
      options: { prompt, ...settings, ...this.capped(this.stateless(options), length), abortSignal },
      told: length,
      isLess: length !== most,
    }
  }

  /** Whether the error is about the way that the model was asked, and there is another, which `ask` takes from now on. */
  refused(error: ThinkonError, { request, mode, options, told }: Asked): boolean {
    if (this.refusesName(error, told) || this.room.refused(error, request, told)) return true
    return (
      error.code === 'MODEL_ERROR' &&
      (this.refusesSetting(error, options) ||
        this.refusesReasoning(error, options) ||
        this.refusesTools(error, request, mode) ||
        this.refusesFormat(error, mode))
    )
  }

  private settingsOf({ settings }: ModelRequest): Partial<LanguageModelV4CallOptions> {
    const { temperature, seed } = settings ?? {}
    const sent = defined({ temperature, seed })
    for (const name of this.refusedSettings) delete sent[name]
    return sent
  }

  private capped(options: ModeOptions, told: number | undefined): Partial<LanguageModelV4CallOptions> {
    if (told === undefined) return options
    if (!this.renamesCap) return { ...options, maxOutputTokens: told }
    const [name = ''] = this.model.provider.split('.')
    const own = options.providerOptions?.[name]
    const renamed = name === 'openai' ? { maxCompletionTokens: told } : { max_completion_tokens: told }
    return { ...options, providerOptions: { ...options.providerOptions, [name]: { ...own, ...renamed } } }
  }

  private refusesName({ data, message }: ThinkonError, told: number | undefined): boolean {
    if (told === undefined || this.renamesCap || data.status !== 400) return false
    this.renamesCap = /max_tokens/.test(message) && /use\b.{0,20}max_completion_tokens/i.test(message)
    return this.renamesCap
  }

  /** OpenAI keeps replies and is told only their ids, unless it is asked not to; then a run could not be resumed later. */
  private stateless(options: ModeOptions): ModeOptions {
    if (!/^(?:openai|azure)\.responses/.test(this.model.provider)) return options
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
   * Some models have no native tool calls, and refuse a request with tools: it is repeated with the tools in words. If the
   * refusal may be about the schema, the next structured mode is tried first.
   */
  private refusesTools(error: ThinkonError, { tools }: ModelRequest, mode?: StructuredMode): boolean {
    if (!tools?.length || !refusesMode(error.data.status, error.message)) return false
    const clear = /\b(?:tools?|functions?)\b/i.test(error.message) && !ABOUT_FORMAT.test(error.message)
    if (!clear && mode !== 'prompt') return false
    this.nativeTools = false
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

const ANTHROPIC = /\banthropic\b/
const ABOUT_FORMAT = /schema|format|structured|json|grammar/i
