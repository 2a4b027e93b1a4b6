/**
 * A person's answer as the reply of a model. It is the text of the reply, in which a call of a tool is `{"name":"…","input":{…}}` or a list
 * of these; or `{ text?, toolCalls }`, as forms give it. Any other value is the reply's value.
 */
import type { ModelIo } from '../../kernel/model.ts'
import {
  isObject,
  type ModelReply,
  type ModelRequest,
  parseJson,
  type ToolCall,
} from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'

export function replyOf(answer: unknown, request: ModelRequest, io: ModelIo): ModelReply {
  if (typeof answer === 'string') return { ...saidIn(answer, request, io), usage: NO_TOKENS }
  if (isObject(answer) && Array.isArray(answer.toolCalls) && request.tools !== undefined) {
    const calls = callsIn(answer.toolCalls, request)
    const text = typeof answer.text === 'string' ? answer.text : ''
    if (calls !== null) return { text, toolCalls: withIds(calls, io), usage: NO_TOKENS }
  }
  return { text: JSON.stringify(answer), value: answer, usage: NO_TOKENS }
}

/** Whoever writes what fits the schema means that, and no call. */
function saidIn(text: string, request: ModelRequest, io: ModelIo): Pick<ModelReply, 'text' | 'toolCalls'> {
  const { schema, tools } = request
  const value = tools === undefined ? undefined : parseJson(text)
  const calls = value === undefined ? null : callsIn([value].flat(), request)
  if (calls === null || (schema !== undefined && checkSchema(value, schema).length === 0)) return { text }
  return { text: '', toolCalls: withIds(calls, io) }
}

/** Null if one of them calls none of the request's tools. */
function callsIn(
  given: readonly unknown[],
  { tools = [] }: ModelRequest,
): Pick<ToolCall, 'name' | 'input'>[] | null {
  const calls: Pick<ToolCall, 'name' | 'input'>[] = []
  for (const call of given) {
    if (!isObject(call) || !tools.some(({ name }) => name === call.name)) return null
    calls.push({ name: String(call.name), input: call.input ?? {} })
  }
  return calls.length === 0 ? null : calls
}

function withIds(calls: readonly Pick<ToolCall, 'name' | 'input'>[], { path, n }: ModelIo): ToolCall[] {
  return calls.map((call, i) => ({ id: `person-${path}-${n}-${i + 1}`, ...call }))
}

const NO_TOKENS: ModelReply['usage'] = { inputTokens: 0, outputTokens: 0 }
