/** A body of `/v1/responses`. */
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

export interface ResponseRequest extends AskedRequest {
  readonly background: boolean
  readonly previous: string | null
  /** What the response says again. */
  readonly echo: Readonly<Record<string, unknown>>
}

const ITEM = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    role: { enum: ['system', 'developer', 'user', 'assistant'] },
    call_id: { type: 'string' },
    name: { type: 'string' },
    content: CONTENT,
    output: CONTENT,
  },
} as const satisfies JsonSchema

const RESPONSE_REQUEST = {
  type: 'object',
  properties: {
    ...COMMON,
    input: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: ITEM }] },
    instructions: { type: ['string', 'null'] },
    previous_response_id: { type: ['string', 'null'] },
    background: { type: ['boolean', 'null'] },
    text: { type: ['object', 'null'] },
    metadata: { type: ['object', 'null'] },
  },
  required: ['model', 'input'],
} as const satisfies JsonSchema

const REFUSED: Refusals = {
  conversation: { when: isGiven, why: 'give previous_response_id, or the earlier messages' },
  prompt: { when: isGiven, why: 'there are no stored prompts: give instructions and input' },
}

interface Item {
  readonly type?: string
  readonly role?: 'system' | 'developer' | 'user' | 'assistant'
  readonly content?: unknown
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: unknown
  readonly output?: unknown
}

export function readResponseRequest(body: unknown, toolTimeoutMs: number): ResponseRequest {
  requireFits(body, RESPONSE_REQUEST, 'the body')
  const given = body as Readonly<Record<string, unknown>>
  refuse(given, REFUSED)
  const { instructions, input, background = false, metadata } = given
  const format = isObject(given.text) ? given.text.format : undefined
  const ofSchema = isObject(format) ? format.schema : undefined
  const isInBackground = background === true
  if (isInBackground && given.stream === true)
    throw badRequest(
      'stream: a response in the background is not streamed: GET it until it has ended',
      'stream',
    )
  const tools = toolsOf((given.tools ?? []) as readonly (GivenFunction & { type: string })[], toolTimeoutMs)
  const items: readonly Item[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Item[])
  const said = items.flatMap(turnsOf)
  return {
    model: given.model as string,
    turns: typeof instructions === 'string' ? [{ role: 'system', text: instructions }, ...said] : said,
    tools: mayCallTools(given.tool_choice) ? tools : [],
    start: startOf(given, outputOf(format, ofSchema, 'text.format')),
    stream: given.stream === true,
    parallelCalls: given.parallel_tool_calls !== false,
    background: isInBackground,
    previous: typeof given.previous_response_id === 'string' ? given.previous_response_id : null,
    echo: {
      instructions: instructions ?? null,
      previous_response_id: given.previous_response_id ?? null,
      metadata: metadata ?? {},
      parallel_tool_calls: given.parallel_tool_calls !== false,
      text: { format: format ?? { type: 'text' } },
      tool_choice: given.tool_choice ?? 'auto',
      tools: given.tools ?? [],
    },
  }
}

function toolsOf(tools: readonly (GivenFunction & { type: string })[], timeoutMs: number) {
  return tools.map((tool, i) => {
    const param = `tools[${i}]`
    if (tool.type !== 'function')
      throw badRequest(`${param}: there is no "${tool.type}" here; give functions that you execute`, param)
    requireFits(tool, { type: 'object', properties: FUNCTION, required: ['name'] }, param)
    return callerTool(tool, timeoutMs)
  })
}

function turnsOf(item: Item, i: number): SaidTurn[] {
  const param = `input[${i}]`
  const { type = 'message', role, call_id: call } = item
  if (type === 'message' && role !== undefined)
    return [messageTurn(role, contentText(item.content, `${param}.content`))]
  // Given back by clients that keep the conversation; the run knows what it has thought.
  if (type === 'reasoning') return []
  if (call === undefined || (type !== 'function_call' && type !== 'function_call_output'))
    throw badRequest(`${param} must be a message, a function_call or a function_call_output`, param)
  if (type === 'function_call_output')
    return [{ role: 'tool', call, output: contentText(item.output, `${param}.output`) }]
  const input = argumentsOf(item.arguments)
  return [{ role: 'assistant', text: '', calls: [{ id: call, name: item.name ?? '', input }] }]
}

function messageTurn(role: NonNullable<Item['role']>, text: string): SaidTurn {
  return { role: role === 'developer' ? 'system' : role, text }
}
