/** A language model object of the AI SDK (5, 6 or 7), recognized by its members. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  // The AI SDK's own types differ by version; the adapter handles all three.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doGenerate(options: any): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(options: any): PromiseLike<unknown>
}

/** An embedding model object of the AI SDK, likewise. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall?: PromiseLike<number | undefined> | number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doEmbed(options: any): PromiseLike<unknown>
}

export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  const model = value as Partial<AiSdkLanguageModel> | null | undefined
  return (
    typeof model === 'object' &&
    model !== null &&
    typeof model.specificationVersion === 'string' &&
    typeof model.doGenerate === 'function'
  )
}

export function isAiSdkEmbedding(value: unknown): value is AiSdkEmbeddingModel {
  const model = value as Partial<AiSdkEmbeddingModel> | null | undefined
  return (
    typeof model === 'object' &&
    model !== null &&
    typeof model.specificationVersion === 'string' &&
    typeof model.doEmbed === 'function'
  )
}
