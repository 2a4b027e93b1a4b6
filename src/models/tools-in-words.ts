/**
 * A request for a model without native tool calls: the tools are listed at the end of the system message, with the rule by
 * which the strategy recognizes a call in a reply; earlier calls and their results become text. What does not change between
 * requests stays byte-equal.
 */
import { isObject } from '../protocol/json.ts'
import {
  type Message,
  type ModelRequest,
  messageText,
  type ToolCall,
  type ToolSpec,
} from '../protocol/model.ts'
import { schemaShape } from '../schema/schema-shape.ts'

export function toolsInWords({ tools = [], toolRule, ...request }: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => inWords(message, toolRule))
  // A strategy without a rule could not read a call in a reply.
  if (tools.length === 0 || toolRule === undefined) return { ...request, messages }
  return { ...request, messages: withSystemText(messages, `${toolList(tools)}\n\n${toolRule}`) }
}

/** The messages with one more system message, after those at the beginning: what follows them may change. */
export function withSystemText(messages: readonly Message[], text: string): Message[] {
  const at = messages.findIndex(({ role }) => role !== 'system')
  const begin = at === -1 ? messages.length : at
  return [...messages.slice(0, begin), { role: 'system', content: text }, ...messages.slice(begin)]
}

/** A message without native parts. */
export function inWords(message: Message, toolRule?: string): Message {
  const text = messageText(message)
  if (message.role === 'tool') {
    const { name, id } = message.answers ?? { name: 'a tool', id: '' }
    return { role: 'user', content: `Result of ${name}${id === '' ? '' : ` (${id})`}:\n${text}` }
  }
  const { role, toolCalls = [], content } = message
  if (toolCalls.length === 0) return { role, content }
  const calls = toolCalls.map((call) => callInWords(call, toolRule))
  return { role, content: [...(text === '' ? [] : [text]), ...calls].join('\n') }
}

function toolList(tools: readonly ToolSpec[]): string {
  const lines = tools.map(({ name, description, schema }) => {
    const input = Object.keys(schema).length === 0 ? '{…}' : schemaShape(schema, '  ')
    return `- ${name}: ${description}\n  input: ${input}`
  })
  return `Tools:\n${lines.join('\n')}`
}

/** The rule begins with its form. */
const MAX_RULE = 4_000

/** In the form that the rule shows, so that the model keeps to it: `{"type":"TOOL","name":"…","input":{…}}`. */
function callInWords({ name, input }: ToolCall, rule = ''): string {
  const start = rule.slice(0, MAX_RULE).search(/\{[^{}\n]*"…"|\{[^\n]*\{[^{}\n]*"…"/)
  const filled = (start === -1 ? '' : rule.slice(start))
    .replace('"…"', () => JSON.stringify(name))
    .replace(/\{…?\}/, () => JSON.stringify(input))
  return firstObject(filled) ?? JSON.stringify({ name, input })
}

function firstObject(text: string): string | undefined {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    const found = text.slice(0, end + 1)
    try {
      if (isObject(JSON.parse(found))) return found
    } catch {
      // It ends at a later brace.
    }
  }
  return undefined
}
