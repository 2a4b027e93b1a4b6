/** A request in the words of `sampling/createMessage`: text and tool calls of two speakers, and a system prompt. */
import type { CreateMessageRequestParams, SamplingMessage } from '@modelcontextprotocol/server'
import { defined, isObject, type Message, type ModelRequest, messageText } from '../../protocol/index.ts'
import { pairCalls } from '../pair-calls.ts'
import { schemaPrompt } from '../structured/schema-prompt.ts'
import { toolsInWords, withSystemText } from '../tools-in-words.ts'

export type SamplingParams = CreateMessageRequestParams
type Block = Extract<SamplingMessage['content'], readonly unknown[]>[number]

/** The protocol wants a cap. The kernel gives one; this is for whoever calls the model by hand. */
const MAX_TOKENS = 4_096

export function samplingParams(given: ModelRequest, callsTools: boolean): SamplingParams {
  const { tools = [] } = given
  const isNative = callsTools && tools.length > 0
  const request = isNative ? given : toolsInWords(given)
  const told =
    request.schema === undefined
      ? request.messages
      : withSystemText(request.messages, schemaPrompt(request.schema, { orCallTools: isNative }))
  const begin = told.findIndex(({ role }) => role !== 'system')
  // Somebody has to speak: if there are only system messages, the last becomes the question.
  const systems = Math.max(0, begin === -1 ? told.length - 1 : begin)
  const systemPrompt = told.slice(0, systems).map(messageText).join('\n\n')
  const turns = told.slice(systems)
  const { temperature, maxOutputTokens = MAX_TOKENS } = request.settings ?? {}
  return {
    messages: joined((callsTools ? pairCalls(turns) : turns).map(turnOf)),
    ...(systemPrompt !== '' && { systemPrompt }),
    ...(isNative && {
      tools: tools.map(({ name, description, schema }) => ({
        name,
        description,
        inputSchema: { ...schema, type: 'object' as const },
      })),
    }),
    includeContext: 'none',
    maxTokens: Math.max(1, Math.floor(maxOutputTokens)),
    ...defined({ temperature }),
  }
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: Block[]
}

function turnOf(message: Message): Turn {
  const text = messageText(message)
  const { role, toolCalls = [], answers } = message
  if (role === 'tool' && answers !== undefined) {
    const content = [{ type: 'text' as const, text }]
    return { role: 'user', blocks: [{ type: 'tool_result', toolUseId: answers.id, content }] }
  }
  const blocks: Block[] = text === '' && toolCalls.length > 0 ? [] : [{ type: 'text', text }]
  for (const { id, name, input } of toolCalls)
    blocks.push({ type: 'tool_use', id, name, input: isObject(input) ? input : { arguments: input } })
  return { role: role === 'assistant' ? 'assistant' : 'user', blocks }
}

/** The roles alternate. Results of tools stand alone in their message, as the protocol demands: all those of one turn together. */
function joined(turns: readonly Turn[]): SamplingMessage[] {
  const messages: Turn[] = []
  for (const { role, blocks } of turns) {
    const last = messages.at(-1)
    if (last?.role === role && isResults(last) === isResults({ role, blocks })) last.blocks.push(...blocks)
    else messages.push({ role, blocks: [...blocks] })
  }
  return messages.map(({ role, blocks }) => {
    const [only] = blocks
    // Clients from before 2025-11-25 know a single block only.
    return { role, content: blocks.length === 1 && only !== undefined ? only : textsJoined(blocks) }
  })
}

function isResults({ blocks }: Turn): boolean {
  return blocks.some(({ type }) => type === 'tool_result')
}

function textsJoined(blocks: readonly Block[]): SamplingMessage['content'] {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.length === blocks.length ? { type: 'text', text: texts.join('\n\n') } : [...blocks]
}
