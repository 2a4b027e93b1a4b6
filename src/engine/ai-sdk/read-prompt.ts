/** The AI SDK's prompt as turns of a conversation. What Thinkon can't read, such as an image, is refused. */
import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { ThinkonError } from '../../protocol/index.ts'
import type { SaidCall, SaidTurn } from '../dialogue/conversation.ts'

export function readPrompt(prompt: readonly LanguageModelV4Message[]): SaidTurn[] {
  return prompt.flatMap(turnsOf)
}

type Part = Exclude<LanguageModelV4Message['content'], string>[number]

function turnsOf(message: LanguageModelV4Message): SaidTurn[] {
  const { role } = message
  if (role === 'system') return [{ role, text: message.content }]
  if (role === 'user') return [{ role, text: message.content.flatMap(textOf).join('\n') }]
  const parts: readonly Part[] = message.content
  const results = parts.flatMap((part): SaidTurn[] =>
    part.type === 'tool-result'
      ? [{ role: 'tool', call: part.toolCallId, output: outputOf(part.output) }]
      : [],
  )
  if (role === 'tool') return results
  const calls = parts.flatMap((part): SaidCall[] =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  )
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
  const said: SaidTurn = { role, text, ...(calls.length > 0 && { calls }) }
  // Of tools that the run executed itself. The turn of the model must stay the last one.
  return results.length === 0 ? [said] : [{ ...said, text: '' }, ...results, { role, text }]
}

function textOf(part: Part): string | string[] {
  if (part.type === 'text') return part.text
  if (part.type === 'file' && part.mediaType.startsWith('text/') && part.data.type === 'text') {
    const { filename, data } = part
    return filename === undefined ? data.text : `${filename}:\n${data.text}`
  }
  const kind =
    part.type === 'file' ? `a file of the type ${part.mediaType}` : `a part of the type ${part.type}`
  throw new ThinkonError('BAD_INPUT', `thinkon: a goal is a text, and a message of the user has ${kind}`)
}

/** What the model is told of it; that it failed is part of it. */
function outputOf(output: LanguageModelV4ToolResultOutput): unknown {
  switch (output.type) {
    case 'text':
    case 'json':
      return output.value
    case 'error-text':
    case 'error-json':
      return { error: output.value }
    case 'execution-denied':
      return { error: output.reason ?? 'a person said no', denied: true }
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
  }
}
