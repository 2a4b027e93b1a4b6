/** Our messages as an AI SDK prompt. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type ModelRequest, messageText } from '../../protocol/index.ts'

/**
 * System messages at the beginning become one; a later one becomes a user message, because not every provider accepts it
 * there. Tool results are user text, too: the call they answer is not part of our messages.
 */
export function promptOf(request: ModelRequest, clean: (text: string) => string): LanguageModelV4Prompt {
  const texts = request.messages.map((message) => ({ role: message.role, text: clean(messageText(message)) }))
  const begin = texts.findIndex(({ role }) => role !== 'system')
  // Providers want something to answer: if there is no other message, the last system message becomes it.
  const systems = begin === -1 ? texts.length - 1 : begin
  const prompt: LanguageModelV4Prompt = []
  const system = texts.slice(0, Math.max(0, systems))
  if (system.length > 0) prompt.push({ role: 'system', content: system.map(({ text }) => text).join('\n\n') })
  for (const { role, text } of texts.slice(system.length)) prompt.push(message(role === 'assistant', text))
  return prompt
}

function message(byModel: boolean, text: string): LanguageModelV4Message {
  return { role: byModel ? 'assistant' : 'user', content: [{ type: 'text', text }] }
}
