/** What a caller or a configuration may give as a model or an embedding. */
import type { ModelPrice, ModelSettings, ResilienceSettings } from '../protocol/index.ts'
import { isObject } from '../protocol/json.ts'
import type { GgufSettings } from './gguf-settings.ts'
import type { Model } from './model.ts'
import { MODEL_KINDS, PERSON } from './model-spec.ts'

/** A spec such as `openai:gpt-5`, a model object, or one of these with settings. */
export type ModelChoice = string | ModelObject | ModelConfig
/** One model or several: the next one answers while those before it are out. A text may name several, separated by commas. */
export type ModelChoices = ModelChoice | readonly ModelChoice[]
export type ModelObject = Model | LanguageModelObject

export interface ProviderSettings {
  /** In a configuration file, `${NAME}` in it, in `baseURL` and in `headers` is replaced from the environment. */
  apiKey?: string
  baseURL?: string
  headers?: Readonly<Record<string, string>>
}

export interface RoleSettings extends Pick<ModelSettings, 'temperature' | 'seed' | 'maxOutputTokens'> {
  /** What the model may think before it answers, on top of the cap of every reply: overrides what is known of the model. */
  thinkingTokens?: number
  /** The most bytes of a reply, with what was thought and the arguments of calls; 4 MiB by default. */
  maxReplyBytes?: number
  /** How many tokens a request may carry; by default half of the window, at most 48,000. */
  promptTokens?: number
}

/** A model with its settings, which override those that a strategy asks for. */
export interface ModelConfig extends ProviderSettings, RoleSettings {
  model: string | ModelObject
  /** US dollars per million tokens: overrides the table that ships. */
  price?: ModelPrice
  /** The context window in tokens: overrides what is known of the model. */
  window?: number
  /** False: the model gets tools in words. For models that neither call tools natively nor refuse them. */
  nativeTools?: boolean
  /** Of a `gguf:` model. */
  gguf?: GgufSettings
  resilience?: ResilienceSettings
  /** @deprecated The old name of `resilience`. */
  trouble?: ResilienceSettings
}

/** The part of an AI SDK language model (5, 6 or 7) that we rely on. */
export interface LanguageModelObject {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's own types differ by version
  doGenerate(options: any): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(options: any): PromiseLike<unknown>
}

/** A spec such as `openai:text-embedding-3-small`, a function, an AI SDK embedding model, or one of these with settings. */
export type EmbeddingChoice = string | EmbeddingObject | EmbeddingConfig
export type EmbeddingObject = EmbedFunction | EmbeddingModelObject

export interface EmbeddingConfig extends ProviderSettings {
  model: string | EmbeddingObject
  /** Only vectors of the same name are compared; defaults to the spec. */
  name?: string
}

/** A vector for each text, all of the same length. */
export type EmbedFunction = (
  texts: readonly string[],
  signal?: AbortSignal,
) => PromiseLike<readonly (readonly number[])[]>

/** The part of an AI SDK embedding model that we rely on. */
export interface EmbeddingModelObject {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall?: PromiseLike<number | undefined> | number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doEmbed(options: any): PromiseLike<unknown>
}

export function isModelObject(value: unknown): value is ModelObject {
  return isModel(value) || isLanguageModel(value)
}

export function isModel(value: unknown): value is Model {
  return isObject(value) && typeof value.id === 'string' && typeof value.call === 'function'
}

export function isLanguageModel(value: unknown): value is LanguageModelObject {
  return (
    isObject(value) &&
    typeof value.specificationVersion === 'string' &&
    typeof value.doGenerate === 'function'
  )
}

export function isEmbeddingObject(value: unknown): value is EmbeddingObject {
  if (typeof value === 'function') return true
  return (
    isObject(value) && typeof value.specificationVersion === 'string' && typeof value.doEmbed === 'function'
  )
}

/** The choice as a model with its settings, of which there may be none. */
export function modelConfig(choice: ModelChoice): ModelConfig {
  if (typeof choice === 'string' || isModelObject(choice)) return { model: choice }
  // Callers in JavaScript give anything.
  return isObject(choice) && 'model' in choice ? choice : { model: choice as never }
}

/** The models, in order. */
export function choicesOf(given: ModelChoices): readonly ModelChoice[] {
  if (typeof given === 'string') return specsOf(given)
  return isList(given) ? given.flatMap(choicesOf) : [given]
}

const NEXT_SPEC = new RegExp(`,\\s*(?=(?:${MODEL_KINDS.join('|')}):|https?://|${PERSON}$)`)

/** `openai:a,anthropic:b`: a comma separates specs only if another one begins after it. */
export function specsOf(text: string): string[] {
  return text.split(NEXT_SPEC)
}

function isList(given: ModelChoices): given is readonly ModelChoice[] {
  return Array.isArray(given)
}

/** The names of the models, as people and journals see them: a later process can open them if they are specs. */
export function specOf(given: ModelChoices): string {
  return choicesOf(given).map(nameOf).join(',')
}

function nameOf(choice: ModelChoice): string {
  const { model } = modelConfig(choice)
  if (typeof model === 'string') return model
  return isLanguageModel(model) ? `${model.provider}:${model.modelId}` : model.id
}
