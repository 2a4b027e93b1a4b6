/** A model from what a caller gives: a spec, a model, an AI SDK language model, or a configuration with one of these. */
import { importFile } from '../files/import-file.ts'
import { type LimiterFor, limitsOf } from '../kernel/call-limiter.ts'
import type { Clock } from '../kernel/clock.ts'
import { ggufProblem, type SettingProblem } from '../kernel/gguf-settings.ts'
import type { Model } from '../kernel/model.ts'
import {
  isLanguageModel,
  isModel,
  type LanguageModelObject,
  type ModelChoice,
  type ModelConfig,
  modelConfig,
  specOf,
} from '../kernel/model-choice.ts'
import { CLIENT_MODEL, FORMS, PERSON, specProblem } from '../kernel/model-spec.ts'
import { defined, errorText, type ModelRequest, type ModelSettings, ThinkonError } from '../protocol/index.ts'
import type { Endpoint } from './ai-sdk/providers.ts'
import { decorateModel } from './decorate-model.ts'
import type { KindOf } from './embedded/embedded-model.ts'
import { personModel } from './person/person-model.ts'
import { costOf } from './prices.ts'
import { toolsInWords } from './tools-in-words.ts'

const DEFAULT_MODEL = 'embedded:mini'

export interface OpenOptions {
  clock?: Clock
  /** How the embedded models answer a kind of request. */
  embeddedKind?: KindOf
  random?: () => number
  /** Where limits count that are given for a model, in addition to this process: in all processes that share a store. */
  limiterFor?: LimiterFor | undefined
  /** Gets what frees a model that holds memory: to be called when it is not used any more. */
  onOpen?(close: () => Promise<void>): void
}

/** Without a choice it is the default of a program, which warns when it is used. */
export async function openModel(given?: ModelChoice, options: OpenOptions = {}): Promise<Model> {
  const config = withNewName(modelConfig(given ?? DEFAULT_MODEL))
  const { model } = config
  if (config.gguf !== undefined) checkGguf(config)
  const opened =
    typeof model === 'string'
      ? await fromSpec(model, config, options, given === undefined)
      : await fromObject(model, 'the model', config, options)
  const { maxReplyBytes } = config
  const bounded = maxReplyBytes === undefined ? opened : decorateModel(opened, { maxReplyBytes })
  return withSettings(bounded, config)
}

function checkGguf({ model, gguf }: ModelConfig): void {
  const isFile = typeof model === 'string' && model.startsWith('gguf:')
  const found: SettingProblem | undefined = isFile
    ? ggufProblem(gguf)
    : { problem: `is for gguf: models; this one is ${specOf({ model })}` }
  if (found === undefined) return
  const key = found.key === undefined ? 'gguf' : `gguf.${found.key}`
  throw new ThinkonError('BAD_INPUT', `${key} of a model ${found.problem}`, { data: { key } })
}

/** The loader of a configuration file has renamed the key already; this is for callers of the engine. */
function withNewName({ trouble, ...config }: ModelConfig): ModelConfig {
  if (trouble === undefined) return config
  process.emitWarning('the option "trouble" of a model is called "resilience" now', 'DeprecationWarning')
  return { resilience: trouble, ...config }
}

async function fromSpec(
  spec: string,
  config: ModelConfig,
  options: OpenOptions,
  isDefault: boolean,
): Promise<Model> {
  // `#250` makes each answer take 250 ms longer, so that a person can watch the tree grow.
  const [, embedded, delay = 0] = /^embedded:(abacus|mini)(?:#(\d+))?$/.exec(spec) ?? []
  const settings = { delayMs: Number(delay), kindOf: options.embeddedKind ?? (() => undefined) }
  if (embedded === 'abacus') {
    const { abacusModel } = await import('./embedded/abacus/abacus-model.ts')
    return abacusModel(settings)
  }
  if (embedded === 'mini') {
    const { miniModel } = await import('./embedded/mini/mini-model.ts')
    const mini = miniModel({ ...settings, isDefault })
    options.onOpen?.(() => mini.close())
    return configured(mini, config)
  }
  const [, kind, file = ''] = /^(module|replay|gguf):([\s\S]+)$/.exec(spec) ?? []
  if (kind === 'module') return fromModule(spec, file, config, options)
  if (kind === 'replay') return (await import('./recording/replay-model.ts')).replayModel(file)
  if (kind === 'gguf') {
    const { ggufModel } = await import('./gguf/gguf-model.ts')
    const { thinkingTokens, gguf: settings } = config
    const opened = await ggufModel(file, defined({ thinkingTokens, settings }))
    options.onOpen?.(() => opened.close())
    return configured(opened, config)
  }
  if (spec === PERSON) return configured(personModel(), config)
  if (spec === CLIENT_MODEL) {
    const message = `${CLIENT_MODEL} is the model of an MCP client: only thinkon mcp has one`
    throw new ThinkonError('NO_MODEL', message, { data: { model: spec } })
  }
  const { endpointOf } = await import('./ai-sdk/providers.ts')
  const endpoint = await endpointOf(spec, config)
  if (endpoint !== null) return fromEndpoint(endpoint, config, options)
  const problem = specProblem(spec)
  const why = problem === undefined ? `there are ${FORMS} and ${DEFAULT_MODEL}` : `it ${problem}`
  throw new ThinkonError('NO_MODEL', `can't use the model "${spec}": ${why}`, {
    data: { model: spec },
  })
}

async function fromModule(
  spec: string,
  file: string,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  let made: unknown
  try {
    const loaded = await importFile(file)
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
  if (isModel(value)) return configured(checkedModel(value), config)
  if (isLanguageModel(value)) {
    const { aiSdkModel } = await import('./ai-sdk/ai-sdk-model.ts')
    return aiSdkModel(value, adapterOptions(config, options))
  }
  throw new ThinkonError(
    'NO_MODEL',
    `${what} is not a model: it is not an AI SDK language model, and has no "id" and function "call"`,
  )
}

/** Figures that are no numbers would disable the limits that are counted with them. */
function checkedModel(model: Model): Model {
  const { id, cost } = model
  const figure = FIGURES.find((name) => !isFigure(model[name]))
  if (figure === undefined && (cost === undefined || typeof cost === 'function')) return model
  const wrong = figure === undefined ? '"cost" that is no function' : `"${figure}" that is no positive number`
  throw new ThinkonError('NO_MODEL', `the model ${id} has a ${wrong}`, { data: { model: id } })
}

const FIGURES = ['window', 'maxOutputTokens', 'thinkingTokens', 'maxReplyBytes'] as const

function isFigure(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER)
}

async function fromEndpoint(
  { make, modelId, id, provider, resilience, window, loadedWindow }: Endpoint,
  config: ModelConfig,
  options: OpenOptions,
): Promise<Model> {
  const { aiSdkModel } = await import('./ai-sdk/ai-sdk-model.ts')
  return aiSdkModel(make(modelId) as LanguageModelObject, {
    ...adapterOptions(config, options),
    id,
    provider,
    resilience: { ...resilience, ...config.resilience },
    ...defined({ window: config.window ?? (await window?.()), loadedWindow }),
  })
}

function adapterOptions(config: ModelConfig, { clock, random, limiterFor }: OpenOptions) {
  const { price, resilience, window, thinkingTokens, nativeTools } = config
  const limits = limitsOf(resilience ?? {})
  const sharedLimiter =
    limiterFor && Object.keys(limits).length > 0
      ? (provider: string) => limiterFor(provider, limits)
      : undefined
  return defined({ price, resilience, window, thinkingTokens, nativeTools, clock, random, sharedLimiter })
}

/** What is configured for a model that has its own way of being called. */
function configured(model: Model, config: ModelConfig): Model {
  const { price, window, thinkingTokens, nativeTools = true } = config
  if (price === undefined && window === undefined && thinkingTokens === undefined && nativeTools) return model
  return decorateModel(model, {
    ...defined({ window, thinkingTokens }),
    call(request, io) {
      const asked = thinkingTokens === undefined ? request : withThinking(request, thinkingTokens, model)
      return model.call(nativeTools ? asked : toolsInWords(asked), io)
    },
    ...(price !== undefined && { cost: (usage) => costOf(price, usage) }),
  })
}

/** A model adds its own allowance to the cap when it asks its provider: here the difference is added. */
function withThinking(request: ModelRequest, thinkingTokens: number, model: Model): ModelRequest {
  const cap = request.settings?.maxOutputTokens
  if (cap === undefined) return request
  const maxOutputTokens = Math.max(1, cap + thinkingTokens - (model.thinkingTokens ?? 0))
  return { ...request, settings: { ...request.settings, maxOutputTokens } }
}

/** The user's settings override the strategy's. The cap of a reply is decided by the kernel, which reserves it. */
export function withSettings(model: Model, given: ModelSettings): Model {
  const { temperature, seed, maxOutputTokens } = given
  if (temperature === undefined && seed === undefined && maxOutputTokens === undefined) return model
  return decorateModel(model, {
    ...defined({ maxOutputTokens }),
    call(request, io) {
      const settings = {
        ...defined({ maxOutputTokens }),
        ...request.settings,
        ...defined({ temperature, seed }),
      }
      return model.call({ ...request, settings }, io)
    },
  })
}
