/** What a client has answered to `sampling/createMessage`: it comes from outside, and may be anything. */
import { isObject, type ModelReply, shorten, ThinkonError, type ToolCall } from '../../protocol/index.ts'

type Sampled = Omit<ModelReply, 'usage'>

export function readSampled(result: unknown): Sampled {
  const { content, stopReason, model, refused } = isObject(result) ? result : {}
  // It may be willing later: the run waits.
  if (typeof refused === 'string')
    throw new ThinkonError(
      'MODEL_OUTAGE',
      `the MCP client did not let its model answer: ${shorten(refused, 300)}`,
    )
  const blocks = [content].flat().filter(isObject)
  if (blocks.length === 0) throw unreadable('it has no content')
  const texts: string[] = []
  const toolCalls: ToolCall[] = []
  for (const block of blocks) {
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block.type === 'tool_use' && typeof block.name === 'string')
      toolCalls.push(callOf(block, toolCalls))
    else throw unreadable(`it has content of type "${shorten(String(block.type), 40)}", which is not text`)
  }
  return {
    text: texts.join(''),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(typeof model === 'string' && model !== '' && { model: `mcp:${shorten(model, 100)}` }),
    ...(stopReason === 'maxTokens' && { cutOff: true }),
  }
}

function callOf({ id, name, input }: Record<string, unknown>, before: readonly ToolCall[]): ToolCall {
  const given = typeof id === 'string' && id !== '' ? id : `call-${before.length + 1}`
  return { id: given, name: name as string, input: input ?? {} }
}

function unreadable(why: string): ThinkonError {
  return new ThinkonError('MODEL_ERROR', `the MCP client's answer can't be used: ${why}`)
}
