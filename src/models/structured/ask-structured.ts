/**
 * One structured model call: asks, reads, and asks again with what was wrong, twice at most.
 *
 * 1. What is returned fits the request's schema, or the model called tools instead.
 * 2. Each ask is a part of the step: paid once, and given again when the step is resumed after a crash. The usage that is
 *    returned is therefore zero: the parts have recorded all of it.
 * 3. What can't be read after the last ask is INVALID_FORMAT, with the raw text kept.
 */
import { askUntilValid } from '../../kernel/ask-until-valid.ts'
import type { ModelIo } from '../../kernel/model.ts'
import {
  defined,
  isObject,
  type Message,
  type ModelReply,
  type ModelRequest,
  parseJson,
  shortenMiddle,
  ThinkonError,
  type ToolCall,
} from '../../protocol/index.ts'
import { type Read, type Reading, type Refused, readReply } from '../../reply/read-reply.ts'
import { checkSchema, type JsonSchema, violationText } from '../../schema/check-schema.ts'

/** Asks the model once, in the best way it has: native JSON schema, a tool call, or `schemaPrompt` and plain text. */
export type Ask = (request: ModelRequest, io: ModelIo) => Promise<ModelReply>

const MAX_ASKS = 3
const MAX_KEPT_BYTES = 64 * 1024
/** Of a reply that is shown to the model again: the whole of any reply that is not a runaway. */
const MAX_SHOWN = 64 * 1024

export async function askStructured(ask: Ask, request: ModelRequest, io: ModelIo): Promise<ModelReply> {
  const { schema = {} } = request
  let said: Said = { text: '' }
  let shortened: ModelReply | undefined
  let messages = request.messages
  return askUntilValid<ModelReply>({
    maxAsks: MAX_ASKS,
    async ask(problems, asks) {
      io.signal.throwIfAborted()
      // Each correction stays in view, and what was sent before stays as it was.
      if (asks > 1) messages = [...messages, ...correction(said, problems)]
      const asking = { ...request, messages }
      said = await io.part(async () => {
        const { usage, ...value } = await ask(asking, io)
        return { value, usage }
      })
      if (said.toolCalls !== undefined && said.toolCalls.length > 0)
        return { ok: true, value: { ...said, usage: NO_TOKENS } }
      const reading = await read(said, schema)
      if ('error' in reading) {
        const call = callInWords(said.text, request, io)
        if (call !== null) return { ok: true, value: { ...said, toolCalls: [call], usage: NO_TOKENS } }
        return { ok: false, problems: problemsOf(reading) }
      }
      const reply = replyOf(said, reading, asks)
      if (said.cutOff !== true || !reading.repairs.includes('cut-off-closed'))
        return { ok: true, value: reply }
      // The provider says that it is not all. A text that breaks off is still better than nothing, a list is not.
      if (reading.repairs.includes('cut-off-text')) shortened = reply
      return { ok: false, problems: ['the reply was cut off because it was too long'] }
    },
    giveUp(problems, asks) {
      if (shortened !== undefined) return { ...shortened, asks }
      throw invalidFormat(request, io, said.text, problems, asks)
    },
  })
}

type Said = Omit<ModelReply, 'usage'>

/** A model without native tool calls asks for a tool in its reply: `{"name":"…","input":{…}}`, where the schema has no form for it. */
function callInWords(text: string, { tools = [] }: ModelRequest, io: ModelIo): ToolCall | null {
  const start = text.indexOf('{')
  const value =
    tools.length === 0 || start === -1 ? null : parseJson(text.slice(start, text.lastIndexOf('}') + 1))
  if (!isObject(value) || !isObject(value.input)) return null
  const { name, input } = value
  return tools.some((tool) => tool.name === name)
    ? { id: `in-words-${io.path}-${io.n}`, name: String(name), input }
    : null
}

async function read(said: Said, schema: JsonSchema): Promise<Reading> {
  const parsed = said.value !== undefined && checkSchema(said.value, schema).length === 0
  return parsed ? { value: said.value, repairs: [] } : readReply(said.text, schema)
}

function replyOf(said: Said, { value, repairs }: Read, asks: number): ModelReply {
  return {
    ...said,
    value,
    usage: NO_TOKENS,
    ...(repairs.length > 0 ? { repairs } : {}),
    ...(asks > 1 ? { asks } : {}),
  }
}

const NO_TOKENS: ModelReply['usage'] = { inputTokens: 0, outputTokens: 0 }

function problemsOf({ violations, error }: Refused): string[] {
  return violations.length > 0 ? violations.map((one) => violationText(one, 'the reply')) : [error]
}

function correction({ text, cutOff, reasoning }: Said, problems: readonly string[]): Message[] {
  const how = cutOff
    ? 'It was cut off because it was too long. Answer again with the whole value, shorter.'
    : 'Answer again with the whole value, corrected, as JSON and nothing else.'
  const shown = shortenMiddle(text, MAX_SHOWN, (leftOut) => `[… ${leftOut} characters …]`)
  const list = problems.map((problem) => `- ${problem}`).join('\n')
  return [
    // Providers refuse an empty message.
    { role: 'assistant', content: shown || '(nothing)', ...defined({ reasoning }) },
    { role: 'user', content: `That reply can't be used:\n${list}\n${how}` },
  ]
}

function invalidFormat(
  request: ModelRequest,
  io: ModelIo,
  text: string,
  problems: readonly string[],
  asks: number,
): ThinkonError {
  const bytes = Buffer.byteLength(text)
  // A cut in the middle of a character leaves its replacement mark behind, which is not the model's.
  const start = Buffer.from(text).subarray(0, MAX_KEPT_BYTES).toString()
  const isCut = bytes > MAX_KEPT_BYTES
  const kept = isCut ? start.replace(/\ufffd$/, '') : text
  return new ThinkonError(
    'INVALID_FORMAT',
    `the model's reply to ${request.kind} at ${io.path} could not be read after ${asks} asks: ${problems[0]}; ` +
      'the raw text is in the error data; a model with structured output, or a stronger one, may do better',
    { data: { text: kept, violations: problems, asks, ...(isCut && { textBytes: bytes }) } },
  )
}
