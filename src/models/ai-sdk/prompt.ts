/** Our messages as the AI SDK's prompt. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type ModelRequest, messageText } from '../../protocol/index.ts'

/**
 * System messages at the beginning become one; one that comes later is said by the user, because not every provider
 * takes it there. What tools returned is text of the user's too: the call it answers is not part of our messages.
 */
export function promptOf(request: ModelRequest, clean: (text: string) => string): LanguageModelV4Prompt {
  const texts = request.messages.map((message) => ({ role: message.role, text: clean(messageText(message)) }))
  const begin = texts.findIndex(({ role }) => role !== 'system')
  // Providers want something to answer: without any other message the last system message is it.
  const systems = begin === -1 ? texts.length - 1 : begin
  const prompt: LanguageModelV4Prompt = []
  const system = texts.slice(0, Math.max(0, systems))
  if (system.length > 0) prompt.push({ role: 'system', content: system.map(({ text }) => text).join('\n\n') })
  for (const { role, text } of texts.slice(system.length)) prompt.push(said(role === 'assistant', text))
  return prompt
}

function said(byModel: boolean, text: string): LanguageModelV4Message {
  return { role: byModel ? 'assistant' : 'user', content: [{ type: 'text', text }] }
}
