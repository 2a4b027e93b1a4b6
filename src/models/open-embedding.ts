/** An embedding from what a caller gives: a spec, a function, an AI SDK embedding model, or a configuration with one of these. */
import {
  type EmbeddingChoice,
  type EmbeddingConfig,
  type EmbeddingModelObject,
  type EmbedFunction,
  isEmbeddingObject,
} from '../kernel/model-choice.ts'
import { ThinkonError } from '../protocol/index.ts'
import { redactDeep } from './secrets.ts'

/** What the memory uses. */
export interface Embedding {
  readonly embedName: string
  /** Rejects if it takes too long, or if there is no model. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly (readonly number[])[]>
}

const EMBED_TIMEOUT_MS = 10_000
/** As many as small servers accept in one request. */
const MAX_BATCH = 32
/** Models refuse texts longer than their context, and the beginning of a text says what it is about. */
const MAX_TEXT_CHARS = 4_000

/** Starts loading right away, so that the first search need not wait; a failure is reported on use. */
export function embeddingOf(choice: EmbeddingChoice, options: { timeoutMs?: number } = {}): Embedding {
  const opening = openEmbedding(choice, options)
  opening.catch(() => {})
  return {
    embedName: embeddingName(choice),
    embed: async (texts, signal) => (await opening).embed(texts, signal),
  }
}

/** Throws NO_MODEL, with what to do, if a package or a key is missing. */
export async function openEmbedding(
  choice: EmbeddingChoice,
  { timeoutMs = EMBED_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<Embedding> {
  const config = configOf(choice)
  const embedName = embeddingName(config)
  const embed = await functionOf(config)
  return {
    embedName,
    async embed(texts, signal) {
      const sent = redactDeep(texts.map((text) => text.slice(0, MAX_TEXT_CHARS)))
      const late = AbortSignal.timeout(timeoutMs)
      const stop = signal === undefined ? late : AbortSignal.any([late, signal])
      try {
        return checked(await unlessStopped(embed(sent, stop), stop), texts.length)
      } catch (thrown) {
        signal?.throwIfAborted()
        if (late.aborted) {
          throw new ThinkonError('MODEL_ERROR', `${embedName}: no vectors within ${timeoutMs / 1000} s`)
        }
        const { providerError } = await import('./ai-sdk/provider-error.ts')
        throw providerError(thrown, embedName, Date.now())
      }
    },
  }
}

export function embeddingName(choice: EmbeddingChoice): string {
  const { model, name } = configOf(choice)
  if (name !== undefined) return name
  if (typeof model === 'string') return model
  return typeof model === 'function' ? 'function' : `${model.provider}:${model.modelId}`
}

function configOf(choice: EmbeddingChoice): EmbeddingConfig {
  return typeof choice === 'object' && 'model' in choice && !isEmbeddingObject(choice)
    ? choice
    : { model: choice }
}

async function functionOf({ model, ...settings }: EmbeddingConfig): Promise<EmbedFunction> {
  if (typeof model === 'function') return model
  if (isEmbeddingObject(model)) return inBatches(model)
  if (typeof model !== 'string')
    throw noEmbedding(
      'the embedding is neither a spec, nor a function of texts, nor an AI SDK embedding model',
      'embedding',
    )
  const { endpointOf } = await import('./ai-sdk/providers.ts')
  const endpoint = model.startsWith('anthropic:') ? null : await endpointOf(model, settings)
  if (endpoint !== null)
    return inBatches(endpoint.make.embeddingModel(endpoint.modelId) as EmbeddingModelObject)
  throw noEmbedding(
    `can't use the embedding model "${model}": there are openai:<model>, google:<model>, ollama:<model> and http://host/v1#<model>`,
    model,
  )
}

function inBatches(model: EmbeddingModelObject): EmbedFunction {
  return async (texts, abortSignal) => {
    const size = Math.max(1, Math.min((await model.maxEmbeddingsPerCall) ?? MAX_BATCH, MAX_BATCH))
    const vectors: (readonly number[])[] = []
    for (let at = 0; at < texts.length; at += size) {
      const values = texts.slice(at, at + size)
      const { embeddings } = (await model.doEmbed({ values, abortSignal })) as { embeddings: number[][] }
      vectors.push(...checked(embeddings, values.length))
    }
    return vectors
  }
}

/** A function may ignore the signal: then it is not waited for. */
function unlessStopped<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([work, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
}

function checked(vectors: unknown, count: number): readonly (readonly number[])[] {
  const isVector = (one: unknown) =>
    (Array.isArray(one) || one instanceof Float32Array) && one.length > 0 && one.every(Number.isFinite)
  if (Array.isArray(vectors) && vectors.length === count && vectors.every(isVector)) return vectors
  throw new Error('the result is not a vector of numbers for each text')
}

function noEmbedding(message: string, model: string): ThinkonError {
  return new ThinkonError('NO_MODEL', message, { data: { model } })
}
