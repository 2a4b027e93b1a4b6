/**
 * `person`: somebody who is asked what a model would be asked. The kernel puts each request as a question (kernel/person-calls.ts); here
 * the answers are read as the replies of any model are.
 *
 * An answer is the text of the reply, in which a call of a tool is `{"name":"…","input":{…}}` or a list of these; or `{ text?, toolCalls }`,
 * as forms give it. Any other value is the reply's value.
 */
import type { Model, ModelIo } from '../../kernel/model.ts'
import { PERSON } from '../../kernel/model-spec.ts'
import { needsAnswer } from '../../kernel/person-calls.ts'
import {
  defined,
  isObject,
  type Message,
  type ModelReply,
  type ModelRequest,
  messageText,
  parseJson,
  type ToolCall,
} from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'

export function personModel(): Model {
  return {
    id: PERSON,
    asksPerson: true,
    async call(request, io) {
      const answers = io.answers ?? []
      let taken = 0
      const one: Model = {
        id: PERSON,
        async call(asked) {
          if (taken === answers.length) throw unanswered(request, asked)
          return replyOf(answers[taken++], request, io)
        },
      }
      if (request.schema === undefined) return one.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(one, request, unpaid(io))
    },
  }
}

/** All answers so far are read again with each further one, so none of them is a part that is paid. */
function unpaid(io: ModelIo): ModelIo {
  const { run, path, n, signal } = io
  return {
    ...defined({ run }),
    path,
    n,
    signal,
    onDelta() {},
    part: async (ask) => (await ask()).value,
  }
}

function unanswered({ kind, messages }: ModelRequest, asked: ModelRequest): Error {
  const more = asked.messages.slice(messages.length)
  const why = more.at(-1)
  const message =
    why === undefined
      ? `a person has not answered ${kind} yet, and is asked`
      : `a person's reply to ${kind} could not be read, and they are asked again: ${problemsIn(why)}`
  return needsAnswer(message, more)
}

function problemsIn(correction: Message): string {
  const lines = messageText(correction).split('\n')
  return lines.filter((line) => line.startsWith('- ')).join(' ')
}

function replyOf(answer: unknown, request: ModelRequest, io: ModelIo): ModelReply {
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
