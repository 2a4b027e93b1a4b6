/**
 * A request as the AI SDK takes it: native tool calls and their results, reasoning for the provider that it came from, cache
 * breakpoints. From one request to the next all but the last message of a conversation stays byte-equal.
 */
import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import {
  isObject,
  type Message,
  messageText,
  type ReasoningPart,
  type ToolCall,
} from '../../protocol/index.ts'
import { pairCalls } from '../pair-calls.ts'

export interface PromptOptions {
  /** Whose reasoning and signatures are sent back. */
  readonly provider: string
  /** The provider caches only up to where it is told to, as Anthropic does. */
  readonly breakpoints: boolean
  /** False if the model has refused reasoning in its input. */
  readonly reasoning: boolean
  /** Removes secrets. */
  clean<T>(value: T): T
}

export function promptOf(messages: readonly Message[], options: PromptOptions): LanguageModelV4Prompt {
  const begin = messages.findIndex(({ role }) => role !== 'system')
  // Providers want something to answer: if there is no other message, the last system message becomes it.
  const systems = Math.max(0, begin === -1 ? messages.length - 1 : begin)
  const text = messages.slice(0, systems).map(messageText).join('\n\n')
  const turns = pairCalls(messages.slice(systems)).map((message) => turnOf(message, options))
  const prompt: LanguageModelV4Prompt =
    systems === 0 ? [] : [{ role: 'system', content: options.clean(text) }]
  prompt.push(...turns)
  return options.breakpoints ? withBreakpoints(prompt) : joinUsers(prompt)
}

function turnOf(message: Message, options: PromptOptions): LanguageModelV4Message {
  const text = options.clean(messageText(message))
  if (message.role === 'assistant')
    return { role: 'assistant', content: assistantParts(message, text, options) }
  if (message.role === 'tool' && message.answers !== undefined) {
    const { id, name } = message.answers
    const output = { type: 'text' as const, value: text }
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }] }
  }
  // Not every provider accepts a system message after the first of another role.
  return { role: 'user', content: [{ type: 'text', text }] }
}

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** Text, calls and reasoning in the order in which they came: some providers check it. */
function assistantParts(message: Message, text: string, options: PromptOptions): AssistantParts {
  const { toolCalls = [], reasoning = [] } = message
  const parts: AssistantParts = []
  let texts = 0
  let calls = 0
  const upTo = (textEnd: number, callEnd: number) => {
    if (textEnd > texts) parts.push({ type: 'text', text: text.slice(texts, textEnd) })
    parts.push(...toolCalls.slice(calls, callEnd).map((call) => callPart(call, options)))
    texts = Math.max(texts, textEnd)
    calls = Math.max(calls, callEnd)
  }
  for (const part of reasoning) {
    const own = options.reasoning ? ownData(part, options) : undefined
    // Signed reasoning that had a secret in it can't be sent: not whole, and not changed.
    if (own === undefined || options.clean(part.text) !== part.text) continue
    upTo(Math.min(own.afterText ?? 0, text.length), own.afterCalls ?? 0)
    parts.push({ type: 'reasoning', text: part.text, ...(own.options && { providerOptions: own.options }) })
  }
  upTo(text.length, toolCalls.length)
  // Providers refuse an empty message.
  return parts.length === 0 ? [{ type: 'text', text: '(nothing)' }] : parts
}

function callPart(call: ToolCall, options: PromptOptions): AssistantParts[number] {
  const own = ownData(call, options)
  const input = options.clean(call.input)
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    // Arguments that were not JSON are kept as text; providers want an object.
    input: isObject(input) ? input : { arguments: input },
    ...(own?.options && { providerOptions: own.options }),
  }
}

/** What a reply keeps with a reasoning part or a tool call, for the provider that it came from. */
export type ProviderData = {
  /** The provider's. */
  readonly name: string
  /** The AI SDK's provider metadata. */
  readonly options?: SharedV4ProviderOptions
  /** How many characters of text and how many calls came before, if any. */
  readonly afterText?: number
  readonly afterCalls?: number
}

function ownData({ provider }: ReasoningPart | ToolCall, options: PromptOptions): ProviderData | undefined {
  const data = provider as ProviderData | undefined
  return data?.name === options.provider ? data : undefined
}

/** Many models' templates want the roles to alternate. */
function joinUsers(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const joined: LanguageModelV4Prompt = []
  for (const message of prompt) {
    const last = joined.at(-1)
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = {
        role: 'user',
        content: [{ type: 'text', text: `${textOf(last)}\n\n${textOf(message)}` }],
      }
    else joined.push(message)
  }
  return joined
}

function textOf({ content }: Extract<LanguageModelV4Message, { role: 'user' }>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

const EPHEMERAL: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/**
 * Four at most: the end of the system message, of the first user message, of what the previous request ended with, and of
 * what comes before the last message, which changes each time.
 */
function withBreakpoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  const last = prompt.length - 2
  const marks = new Set(prompt[0]?.role === 'system' ? [0] : [])
  if (last >= first) {
    const reply = prompt.slice(0, last + 1).findLastIndex(({ role }) => role === 'assistant')
    for (const mark of [first, reply - 1, last]) if (mark >= first) marks.add(mark)
  }
  return prompt.map((message, i) => (marks.has(i) ? { ...message, providerOptions: EPHEMERAL } : message))
}
