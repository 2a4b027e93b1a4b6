/**
 * A local model file, through node-llama-cpp: an optional peer dependency, loaded on use.
 *
 * 1. A request is sent whole or not at all: one that is longer than the context fails with CONTEXT_OVERFLOW, and a reply ends
 *    where the context does. Nothing is dropped to make room.
 * 2. If a request has a schema, a grammar holds the reply to it.
 * 3. Closing stops the calls that are running, waits for them, and then frees the memory.
 */

import type { GgufSettings } from '../../kernel/gguf-settings.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import {
  defined,
  errorText,
  type Message,
  type ModelReply,
  type ModelRequest,
  messageText,
  ThinkonError,
  type ToolSpec,
} from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { orInstall } from '../ai-sdk/providers.ts'
import { schemaPrompt } from '../structured/schema-prompt.ts'
import { thinkingOf } from '../thinking.ts'
import { toolsInWords, withSystemText } from '../tools-in-words.ts'
import { grammarSchema } from './grammar-schema.ts'
import type { ChatItem, Grammar, NodeLlamaCpp } from './llama-api.ts'
import { type Gguf, openGguf } from './open-gguf.ts'

const PACKAGE = 'node-llama-cpp'

export interface GgufOptions {
  /** What the model may think on top of the cap of a reply; from the table of known models unless given. */
  thinkingTokens?: number
  settings?: GgufSettings
}

export interface GgufModel extends Model {
  close(): Promise<void>
}

export async function ggufModel(file: string, options: GgufOptions = {}): Promise<GgufModel> {
  const { thinkingTokens = thinkingOf(file), settings = {} } = options
  const id = `gguf:${file}`
  const api = (await orInstall(id, PACKAGE)) as NodeLlamaCpp
  const { gguf, close } = await openGguf(api, file, settings)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const once: Model = {
    id,
    call(request, io) {
      const signal = AbortSignal.any([io.signal, closing.signal])
      const answered = answer(gguf, request, { io, signal, thinkingTokens: thinkingTokens ?? 0 })
      const settled: Promise<unknown> = answered.catch(() => {}).then(() => running.delete(settled))
      running.add(settled)
      // llama.cpp reads a prompt to its end before it stops: its sequence is free then, and the caller at once.
      return unlessAborted(answered, signal)
    },
    window: gguf.contextSize,
    ...defined({ thinkingTokens }),
    cost: () => 0,
  }
  return {
    ...once,
    async call(request, io) {
      if (request.schema === undefined) return once.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(once, request, io)
    },
    async close() {
      closing.abort(new ThinkonError('MODEL_ERROR', `${id} was closed`))
      await Promise.all(running)
      await close()
    },
  }
}

interface Answering {
  readonly io: ModelIo
  /** Also of closing. */
  readonly signal: AbortSignal
  readonly thinkingTokens: number
}

async function answer(
  gguf: Gguf,
  request: ModelRequest,
  { io, signal, thinkingTokens }: Answering,
): Promise<ModelReply> {
  const { temperature, seed, maxOutputTokens: cap } = request.settings ?? {}
  signal.throwIfAborted()
  const history = historyOf(request)
  const prompt = promptTokens(gguf, history)
  const room = gguf.contextSize - prompt.length - RESERVED
  if (room < 1) throw tooLong(gguf, prompt.length)
  const wanted = cap === undefined ? room : cap + thinkingTokens
  const maxTokens = Math.min(wanted, room)
  const grammar = await grammarFor(gguf, request)
  const { slot, release } = await gguf.take(prompt, signal)
  try {
    const before = slot.sequence.tokenMeter.usedOutputTokens
    const { response, metadata } = await slot.chat.generateResponse(history, {
      signal,
      onResponseChunk({ type, text }) {
        if (signal.aborted) return
        if (type === 'segment') io.onHidden?.(text)
        else io.onDelta(text)
      },
      maxTokens,
      ...defined({ temperature, seed, grammar }),
    })
    return {
      text: response,
      usage: {
        inputTokens: prompt.length,
        outputTokens: slot.sequence.tokenMeter.usedOutputTokens - before,
        costUsd: 0,
      },
      ...(metadata.stopReason === 'maxTokens' && { cutOff: true, ...(room < wanted && { cutAt: room }) }),
    }
  } catch (thrown) {
    signal.throwIfAborted()
    throw new ThinkonError('MODEL_ERROR', `llama.cpp: ${errorText(thrown)}`, { cause: thrown })
  } finally {
    release()
  }
}

/** node-llama-cpp begins to drop the oldest messages when fewer tokens than this are left. */
const RESERVED = 2

/** What the template makes of a conversation, up to where the reply begins. */
function promptTokens({ model, template }: Gguf, history: readonly ChatItem[]): readonly unknown[] {
  const chatHistory: ChatItem[] = [...history, { type: 'model', response: [] }]
  return template.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer)
}

function tooLong({ contextSize }: Gguf, tokens: number): ThinkonError {
  return new ThinkonError(
    'CONTEXT_OVERFLOW',
    `the request has ${tokens} tokens, and the context of the model ${contextSize}; gguf.contextSize makes it larger`,
    { data: { window: contextSize } },
  )
}

function historyOf(request: ModelRequest): ChatItem[] {
  const { schema, messages } = toolsInWords(request)
  const told = schema === undefined ? messages : withSystemText(messages, schemaPrompt(schema))
  return joinedTexts(told).map(({ role, text }): ChatItem => {
    if (role === 'assistant') return { type: 'model', response: [text] }
    return { type: role === 'system' ? 'system' : 'user', text }
  })
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

/** Undefined if llama.cpp can't hold the model to the schema: then it is told, and the reply checked, as always. */
async function grammarFor(
  { llama }: Gguf,
  { schema, tools = [] }: ModelRequest,
): Promise<Grammar | undefined> {
  if (schema === undefined) return undefined
  try {
    return await llama.createGrammarForJsonSchema(grammarSchema(orCall(schema, tools)) as never)
  } catch {
    return undefined
  }
}

/** A model that is told of tools in words may ask for one in place of the value. */
function orCall(schema: JsonSchema, tools: readonly ToolSpec[]): JsonSchema {
  if (tools.length === 0) return schema
  const { $defs, ...value } = schema
  const call = {
    type: 'object',
    properties: { name: { enum: tools.map(({ name }) => name) }, input: { type: 'object' } },
    required: ['name', 'input'],
    additionalProperties: false,
  }
  return { anyOf: [value, call], ...defined({ $defs }) }
}
