/** A model from what a caller gives: a spec, a model, an AI SDK language model, or a configuration with one of these. */
import { pathToFileURL } from 'node:url'
import type { Clock } from '../kernel/clock.ts'
import type { Model } from '../kernel/model.ts'
import {
  errorText,
  type ModelPrice,
  type ModelSettings,
  type ResilienceSettings,
  ThinkonError,
} from '../protocol/index.ts'
import { type AiSdkLanguageModel, isAiSdkModel } from './ai-sdk/detect.ts'
import type { ProviderSettings, SpecifiedModel } from './ai-sdk/providers.ts'
import { decorateModel } from './decorate-model.ts'
import type { AbacusOptions } from './embedded/abacus/index.ts'
import { costOf } from './prices.ts'
import { withSettings } from './with-settings.ts'

const DEFAULT_MODEL = 'embedded:abacus'

/** A model with its configuration. Its settings override those that a strategy asks for. */
export interface ModelConfig
  extends ProviderSettings,
    Pick<ModelSettings, 'temperature' | 'seed' | 'maxOutputTokens'> {
  model: string | Model | AiSdkLanguageModel
  /** US dollars per million tokens: overrides the table in prices.ts. */
  price?: ModelPrice
  resilience?: ResilienceSettings
  /** @deprecated The old name of `resilience`. */
  trouble?: ResilienceSettings
}

export type ModelChoice = string | Model | AiSdkLanguageModel | ModelConfig

export interface OpenOptions {
  clock?: Clock
  /** How embedded:abacus answers a kind of request. */
  abacusKind?: AbacusOptions['kindOf']
  random?: () => number
}

export async function openModel(
  choice: ModelChoice = DEFAULT_MODEL,
  options: OpenOptions = {},
): Promise<Model> {
  if (!isConfig(choice)) return open(choice, { model: choice }, options)
  const config = withNewName(choice)
  const model = await open(config.model, config, options)
  return withSettings(model, config)
}

/** The loader of a configuration file has renamed the key already; this is for callers of the engine. */
function withNewName({ trouble, ...config }: ModelConfig): ModelConfig {
  if (trouble === undefined) return config
  process.emitWarning('the option "trouble" of a model is called "resilience" now', 'DeprecationWarning')
  return { resilience: trouble, ...config }
}

async function open(
  model: string | Model | AiSdkLanguageModel,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  if (typeof model === 'string') return fromSpec(model, config, options)
  return fromObject(model, 'the model', config, options)
}

async function fromSpec(spec: string, config: ModelConfig, options: OpenOptions): Promise<Model> {
  if (/^https?:\/\//i.test(spec)) {
    const { urlModel } = await import('./ai-sdk/providers.ts')
    return adapted(await urlModel(spec, config), config, options)
  }
  const [kind, rest] = split(spec)
  switch (kind) {
    case 'embedded':
      // `#250` makes each answer take 250 ms, so that a person can watch the tree grow.
      if (/^abacus(#\d+)?$/.test(rest)) {
        const { abacusModel } = await import('./embedded/abacus/index.ts')
        return abacusModel({
          delayMs: Number(rest.split('#')[1] ?? 0),
          kindOf: options.abacusKind ?? (() => undefined),
        })
      }
      break
    case 'module':
      if (rest !== '') return fromModule(spec, rest, config, options)
      break
    case 'replay':
      if (rest !== '') return (await import('./recording/replay-model.ts')).replayModel(rest)
      break
    case 'gguf':
      if (rest !== '') return priced(await (await import('./gguf/gguf-model.ts')).ggufModel(rest), config)
      break
    case 'ollama': {
      const { ollamaModel } = await import('./ai-sdk/providers.ts')
      return adapted(await ollamaModel(rest, config), config, options)
    }
    case 'openai':
    case 'anthropic':
    case 'google': {
      const { hostedModel } = await import('./ai-sdk/providers.ts')
      return adapted(await hostedModel(kind, rest, config), config, options)
    }
    default:
  }
  throw new ThinkonError('NO_MODEL', `can't use the model "${spec}": there are ${SPECS}`, {
    data: { model: spec },
  })
}

const SPECS =
  'openai:<model>, anthropic:<model>, google:<model>, ollama:<model>, http://host/v1#<model>, gguf:<file>, ' +
  `module:<file>, replay:<file> and ${DEFAULT_MODEL}`

async function fromModule(
  spec: string,
  file: string,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  let made: unknown
  try {
    const loaded: { default?: unknown } = await import(pathToFileURL(file).href)
    made = typeof loaded.default === 'function' ? await loaded.default() : loaded.default
  } catch (cause) {
    if (ThinkonError.isInstance(cause)) throw cause
    const { redactError } = await import('./secrets.ts')
    const why = redactError(errorText(cause))
    throw new ThinkonError('NO_MODEL', `can't load ${spec}: ${why}`, { data: { model: spec } })
  }
  return fromObject(made, spec, config, options)
}

async function fromObject(
  value: unknown,
  what: string,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  if (isModel(value)) return priced(value, config)
  if (isAiSdkModel(value)) {
    const { aiSdkModel } = await import('./ai-sdk/ai-sdk-model.ts')
    return aiSdkModel(value, adapterOptions(config, options))
  }
  throw new ThinkonError(
    'NO_MODEL',
    `${what} is not a model: it is not an AI SDK language model, and has no "id" and function "call"`,
  )
}

async function adapted(
  { languageModel, id, provider, resilience }: SpecifiedModel,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  const { aiSdkModel } = await import('./ai-sdk/ai-sdk-model.ts')
  const given = adapterOptions(config, options)
  return aiSdkModel(languageModel, {
    ...given,
    id,
    provider,
    resilience: { ...resilience, ...given.resilience },
  })
}

function adapterOptions({ price, resilience }: ModelConfig, { clock, random }: OpenOptions) {
  return {
    ...(price === undefined ? {} : { price }),
    ...(resilience === undefined ? {} : { resilience }),
    ...(clock === undefined ? {} : { clock }),
    ...(random === undefined ? {} : { random }),
  }
}

/** A configured price for a model that has its own way of being called. */
function priced(model: Model, { price }: ModelConfig): Model {
  if (price === undefined) return model
  return decorateModel(model, { cost: (usage) => costOf(price, usage) })
}

function isModel(value: unknown): value is Model {
  const model = value as Partial<Model> | null | undefined
  return (
    typeof model === 'object' &&
    model !== null &&
    typeof model.call === 'function' &&
    typeof model.id === 'string'
  )
}

function isConfig(choice: ModelChoice): choice is ModelConfig {
  return (
    typeof choice === 'object' &&
    choice !== null &&
    'model' in choice &&
    !isModel(choice) &&
    !isAiSdkModel(choice)
  )
}

function split(spec: string): [string, string] {
  const colon = spec.indexOf(':')
  return colon === -1 ? [spec, ''] : [spec.slice(0, colon), spec.slice(colon + 1)]
}
