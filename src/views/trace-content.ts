/** What was said, in the shapes of the GenAI conventions. Only for those who have asked for it. */
import type { Message, ModelReply, ModelRequest, ToolCall } from '../protocol/model.ts'
import { messageText } from '../protocol/model.ts'
import type { Attributes } from './trace-span.ts'

/** Of what is longer, only the beginning is given. */
export const MOST_CONTENT_CHARS = 32_768

export function requestContent({ messages }: Pick<ModelRequest, 'messages'>, most: number): Attributes {
  return { 'gen_ai.input.messages': contentJson(messages.map(messagePart), most) }
}

export function replyContent({ text, toolCalls = [], cutOff }: ModelReply, most: number): Attributes {
  const parts = [...(text === '' ? [] : [textPart(text)]), ...toolCalls.map(callPart)]
  const finish_reason = cutOff ? 'length' : toolCalls.length > 0 ? 'tool_call' : 'stop'
  return { 'gen_ai.output.messages': contentJson([{ role: 'assistant', parts, finish_reason }], most) }
}

/** A value as text: as it is if it is one, otherwise as JSON. */
export function contentJson(value: unknown, most: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > most ? text.slice(0, most) : text
}

function messagePart(message: Message) {
  const { role, toolCalls = [], answers } = message
  const text = messageText(message)
  if (answers !== undefined)
    return { role, parts: [{ type: 'tool_call_response', id: answers.id, response: text }] }
  return { role, parts: [...(text === '' ? [] : [textPart(text)]), ...toolCalls.map(callPart)] }
}

const textPart = (content: string) => ({ type: 'text', content })

const callPart = ({ id, name, input }: ToolCall) => ({ type: 'tool_call', id, name, arguments: input })
