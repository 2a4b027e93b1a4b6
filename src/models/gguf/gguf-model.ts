/**
 * A local model file, through node-llama-cpp: an optional peer dependency, loaded on use. If a request has a schema, a
 * grammar constrains the reply to it.
 *
 * Never run with the real library: node-llama-cpp was not available where this was written. The parts of its API (version
 * 3) that are used are declared below by hand, from its documentation; openGguf, sessionFor and the grammar have only been
 * type-checked against those declarations and run against a stand-in of the same shape in the tests.
 */
import { resolve } from 'node:path'
import type { Model, ModelIo } from '../../kernel/model.ts'
import {
  defined,
  errorText,
  type Message,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
} from '../../protocol/index.ts'
import { orInstall } from '../ai-sdk/providers.ts'
import { isClosed } from '../ai-sdk/structured-mode.ts'
import { Limiter } from '../resilience/limiter.ts'
import { schemaPrompt } from '../structured/schema-prompt.ts'
import { thinkingOf } from '../thinking.ts'
import { toolsInWords, withSystemText } from '../tools-in-words.ts'

interface NodeLlamaCpp {
  getLlama(): Promise<Llama>
  LlamaChatSession: new (options: { contextSequence: Sequence; systemPrompt?: string }) => ChatSession
}
interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>
  createGrammarForJsonSchema(schema: unknown): Promise<unknown>
}
interface LlamaModel {
  /** The context length that the model was trained with, from its file. */
  readonly trainContextSize?: number
  createContext(): Promise<{ getSequence(): Sequence; readonly contextSize?: number }>
  tokenize(text: string): readonly unknown[]
}
interface Sequence {
  clearHistory(): Promise<void>
}
interface ChatSession {
  setChatHistory(history: readonly ChatItem[]): void
  promptWithMeta(
    text: string,
    options: {
      signal: AbortSignal
      onTextChunk(text: string): void
      maxTokens?: number
      temperature?: number
      seed?: number
      grammar?: unknown
    },
  ): Promise<{ responseText: string; stopReason: string }>
  dispose(options?: { disposeSequence?: boolean }): void
}
type ChatItem =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: string[] }

const PACKAGE = 'node-llama-cpp'

export interface GgufOptions {
  /** What the model may think on top of the cap of a reply; from the table of known models unless given. */
  thinkingTokens?: number
  load?(): Promise<unknown>
}

export async function ggufModel(file: string, options: GgufOptions = {}): Promise<Model> {
  const { load = () => import(PACKAGE), thinkingTokens = thinkingOf(file) } = options
  const id = `gguf:${file}`
  const api = (await orInstall(id, PACKAGE, load)) as NodeLlamaCpp
  const gguf = await openGguf(api, id, file)
  // One context with one sequence: calls take turns.
  const turns = new Limiter(1)
  const one: Model = {
    id,
    async call(request, io) {
      const release = await turns.acquire(io.signal)
      try {
        return await answer(gguf, request, io, thinkingTokens ?? 0)
      } finally {
        release()
      }
    },
    ...defined({ window: gguf.window, thinkingTokens }),
    cost: () => 0,
  }
  return {
    ...one,
    async call(request, io) {
      if (request.schema === undefined) return one.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(one, request, io)
    },
  }
}

interface Gguf {
  readonly api: NodeLlamaCpp
  readonly llama: Llama
  readonly model: LlamaModel
  readonly sequence: Sequence
  readonly window: number | undefined
}

async function openGguf(api: NodeLlamaCpp, id: string, file: string): Promise<Gguf> {
  try {
    const llama = await api.getLlama()
    const model = await llama.loadModel({ modelPath: resolve(file) })
    const context = await model.createContext()
    // A context may be smaller than what the model was trained with, if memory is short.
    const window = context.contextSize ?? model.trainContextSize
    return { api, llama, model, sequence: context.getSequence(), window }
  } catch (cause) {
    const why = errorText(cause)
    throw new ThinkonError('NO_MODEL', `can't open ${id}: ${why}`, { cause, data: { model: id } })
  }
}

async function answer(
  gguf: Gguf,
  request: ModelRequest,
  io: ModelIo,
  thinkingTokens: number,
): Promise<ModelReply> {
  const { temperature, seed, maxOutputTokens: cap } = request.settings ?? {}
  const maxTokens = cap === undefined ? undefined : cap + thinkingTokens
  const { session, last, inputText } = await sessionFor(gguf, request)
  try {
    const { responseText, stopReason } = await session.promptWithMeta(last, {
      signal: io.signal,
      onTextChunk: (text) => io.onDelta(text),
      ...defined({ maxTokens, temperature, seed }),
      ...(await grammarFor(gguf, request)),
    })
    return {
      text: responseText,
      usage: {
        inputTokens: gguf.model.tokenize(inputText).length,
        outputTokens: gguf.model.tokenize(responseText).length,
        costUsd: 0,
      },
      ...(stopReason === 'maxTokens' && { cutOff: true }),
    }
  } finally {
    session.dispose({ disposeSequence: false })
  }
}

async function sessionFor(gguf: Gguf, request: ModelRequest) {
  const { schema, messages } = toolsInWords(request)
  const texts = joinedTexts(schema === undefined ? messages : withSystemText(messages, schemaPrompt(schema)))
  const last = texts.at(-1)?.text ?? ''
  const history = texts.slice(0, -1).map(({ role, text }): ChatItem => {
    if (role === 'assistant') return { type: 'model', response: [text] }
    return { type: role === 'system' ? 'system' : 'user', text }
  })
  await gguf.sequence.clearHistory()
  const session = new gguf.api.LlamaChatSession({ contextSequence: gguf.sequence })
  session.setChatHistory(history)
  return { session, last, inputText: texts.map(({ text }) => text).join('\n') }
}

/** Texts of one role in a row become one: many models' templates want the roles to alternate. */
function joinedTexts(messages: readonly Message[]): { role: Message['role']; text: string }[] {
  const joined: { role: Message['role']; text: string }[] = []
  for (const message of messages) {
    const { role } = message
    const last = joined.at(-1)
    if (last?.role === role) last.text += `\n\n${messageText(message)}`
    else joined.push({ role, text: messageText(message) })
  }
  return joined
}

/**
 * A grammar allows only the fields that a schema lists, so an open schema is left to the prompt and to repair, and so is
 * one that can't be turned into a grammar.
 */
async function grammarFor({ llama }: Gguf, { schema }: ModelRequest): Promise<{ grammar?: unknown }> {
  if (schema === undefined || !isClosed(schema)) return {}
  try {
    return { grammar: await llama.createGrammarForJsonSchema(schema) }
  } catch {
    return {}
  }
}
