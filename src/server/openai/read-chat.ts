/** A body of `/v1/chat/completions`. */
import type { SaidTurn } from '../../engine/dialogue/conversation.ts'
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { requireFits } from '../start-request.ts'
import {
  type AskedRequest,
  argumentsOf,
  COMMON,
  CONTENT,
  callerTool,
  contentText,
  FUNCTION,
  type GivenFunction,
  isGiven,
  mayCallTools,
  outputOf,
  type Refusals,
  refuse,
  startOf,
} from './asked-request.ts'
import { badRequest } from './errors.ts'

export interface ChatRequest extends AskedRequest {
  readonly includeUsage: boolean
}

const CHAT_REQUEST = {
  type: 'object',
  properties: {
    ...COMMON,
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
          content: CONTENT,
          tool_call_id: { type: 'string' },
          tool_calls: {
            type: ['array', 'null'],
            items: {
              type: 'object',
              properties: {
                id: { type: 'string' },
                function: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
              },
              required: ['id', 'function'],
            },
          },
        },
        required: ['role'],
      },
    },
    stream_options: { type: ['object', 'null'] },
    response_format: { type: ['object', 'null'] },
  },
  required: ['model', 'messages'],
} as const satisfies JsonSchema

const TOOL = {
  type: 'object',
  properties: { function: { type: 'object', properties: FUNCTION, required: ['name'] } },
  required: ['function'],
} as const satisfies JsonSchema

const REFUSED: Refusals = {
  n: { when: (n) => isGiven(n) && n !== 1, why: 'a run gives one answer: ask several times' },
  stop: { when: (stop) => isGiven(stop) && stop !== '', why: 'an answer is not cut off at a text' },
  logprobs: { when: isGiven, why: 'an answer has no probabilities' },
  audio: { when: isGiven, why: 'an answer is a text' },
  functions: { when: isGiven, why: 'give tools instead' },
  web_search_options: { when: isGiven, why: 'give the service a tool that searches, or bring your own' },
}

interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments?: unknown } }[] | null
}

export function readChat(body: unknown, toolTimeoutMs: number): ChatRequest {
  requireFits(body, CHAT_REQUEST, 'the body')
  const given = body as Readonly<Record<string, unknown>>
  refuse(given, REFUSED)
  const format = given.response_format
  const ofSchema = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined
  const mayCall = mayCallTools(given.tool_choice)
  const tools = ((given.tools ?? []) as readonly { type: string; function: GivenFunction }[]).map(
    (tool, i) => {
      const param = `tools[${i}]`
      if (tool.type !== 'function') throw badRequest(`${param}.type must be "function"`, param)
      requireFits(tool, TOOL, param)
      return callerTool(tool.function, toolTimeoutMs)
    },
  )
  const options = given.stream_options
  return {
    model: given.model as string,
    turns: (given.messages as readonly ChatMessage[]).map(turnOf),
    tools: mayCall ? tools : [],
    start: startOf(given, outputOf(format, ofSchema, 'response_format')),
    stream: given.stream === true,
    parallelCalls: given.parallel_tool_calls !== false,
    includeUsage: isObject(options) && options.include_usage === true,
  }
}

function turnOf({ role, content, tool_call_id: call, tool_calls: calls }: ChatMessage, i: number): SaidTurn {
  const param = `messages[${i}]`
  const text = contentText(content, `${param}.content`)
  if (role === 'user') return { role, text }
  if (role === 'system' || role === 'developer') return { role: 'system', text }
  if (role === 'assistant') {
    const made = (calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input: argumentsOf(input),
    }))
    return { role, text, ...(made.length > 0 && { calls: made }) }
  }
  if (call === undefined) throw badRequest(`${param}.tool_call_id is missing`, param)
  return { role, call, output: text }
}
