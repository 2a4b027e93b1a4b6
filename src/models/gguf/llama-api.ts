/**
 * The parts of node-llama-cpp (3.22) that are used. Declared here, since the package is not installed where this is compiled; the
 * soak compiles them against the package's own types.
 */

export interface NodeLlamaCpp {
  getLlama(options: LlamaOptions): Promise<Llama>
  LlamaChat: new (options: { contextSequence: Sequence; chatWrapper: ChatWrapper }) => LlamaChat
  resolveChatWrapper(model: LlamaModel, options: ChatWrapperOptions): ChatWrapper
  /** Names of templates, and of ways to find one. */
  readonly resolvableChatWrapperTypeNames: readonly string[]
}

export interface LlamaOptions {
  gpu: GpuChoice
  /** `never`: what is missing is not downloaded and compiled. */
  build: 'never'
  progressLogs: false
  logger(level: string, message: string): void
}
export type GpuChoice = 'auto' | 'metal' | 'cuda' | 'vulkan' | false

export interface Llama {
  readonly gpu: string | false
  loadModel(options: { modelPath: string; gpuLayers?: number | 'auto' | 'max' }): Promise<LlamaModel>
  createGrammarForJsonSchema(schema: never): Promise<Grammar>
}
/** Only handed on. */
export type Grammar = object

export interface LlamaModel {
  readonly tokenizer: Tokenizer
  readonly trainContextSize: number
  createContext(options: { sequences: number; contextSize?: number; threads?: number }): Promise<LlamaContext>
  /** With its contexts. */
  dispose(): Promise<void>
}
/** Only handed on. */
export type Tokenizer = (text: string) => readonly unknown[]

export interface LlamaContext {
  /** Of each sequence, in tokens; may be a little more than was asked for. */
  readonly contextSize: number
  getSequence(): Sequence
}
export interface Sequence {
  compareContextTokens(tokens: never): { firstDifferentIndex: number }
  readonly tokenMeter: { readonly usedOutputTokens: number }
}

export interface ChatWrapperOptions {
  type?: never
  customWrapperSettings?: { jinjaTemplate: { template: string } }
  fallbackToOtherWrappersOnJinjaError?: boolean
  warningLogs: false
}
export interface ChatWrapper {
  generateContextState(options: { chatHistory: ChatItem[] }): {
    contextText: { tokenize(tokenizer: Tokenizer): readonly unknown[] }
  }
}
export type ChatItem =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: string[] }

export interface LlamaChat {
  generateResponse(
    history: ChatItem[],
    options: {
      signal: AbortSignal
      onResponseChunk(chunk: { type?: 'segment' | undefined; text: string }): void
      maxTokens: number
      temperature?: number
      seed?: number
      grammar?: Grammar
    },
  ): Promise<{ response: string; metadata: { stopReason: string } }>
}
