/**
 * One structured model call: asks, reads, and asks again with what was wrong, twice at most.
 *
 * 1. What is returned fits the request's schema, or the model called tools instead.
 * 2. Each ask is a part of the step: paid once, and given again when the step is resumed after a crash. The usage that is
 *    returned is therefore zero: the parts have recorded all of it.
 * 3. A reply that reached its cap is completed first (kernel/whole-reply.ts): it is never closed and taken for the value.
 * 4. What can't be read after the last ask is INVALID_FORMAT, with the raw text kept.
 */
import { askUntilValid } from '../../kernel/ask-until-valid.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import { partReserve } from '../../kernel/model-effect.ts'
import { type Said, wholeReply } from '../../kernel/whole-reply.ts'
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
import { doubtAbout } from '../../reply/doubts.ts'
import { type Reading, type Refused, readReply } from '../../reply/read-reply.ts'
import { checkSchema, type JsonSchema, violationText } from '../../schema/check-schema.ts'

const MAX_ASKS = 3
const MAX_KEPT_BYTES = 64 * 1024
/** Of a reply that is shown to the model again: the whole of any reply that is not a runaway. */
const MAX_SHOWN = 64 * 1024

/** `model` asks once per call, in the best way it has: native JSON schema, a tool call, or `schemaPrompt` and plain text. */
export async function askStructured(model: Model, request: ModelRequest, io: ModelIo): Promise<ModelReply> {
  const { schema = {} } = request
  let said: Said = { text: '' }
  let messages = request.messages
  let completions = 0
  const ask = (asked: ModelRequest): Promise<Said> =>
    io.part(
      async () => {
        const { usage, ...value } = await model.call(asked, io)
        return { value, usage }
      },
      partReserve(asked, model),
    )
  return askUntilValid<ModelReply>({
    maxAsks: MAX_ASKS,
    async ask(problems, asks) {
      io.signal.throwIfAborted()
      // Each correction stays in view, and what was sent before stays as it was.
      if (asks > 1) messages = [...messages, ...correction(said, problems)]
      const asking = { ...request, messages }
      said = await ask(asking)
      if (said.cutOff === true && !(await isWhole(said, schema))) {
        const whole = await wholeReply(said, asking, io, ask)
        said = whole.said
        completions += whole.more
      }
      if (said.toolCalls !== undefined && said.toolCalls.length > 0)
        return { ok: true, value: replyOf(said, [], asks + completions) }
      const reading = await read(said, schema)
      if (!('error' in reading))
        return {
          ok: true,
          value: replyOf({ ...said, value: reading.value }, reading.repairs, asks + completions),
        }
      const call = callInWords(said.text, request, io)
      if (call === null) return { ok: false, problems: problemsOf(reading) }
      return { ok: true, value: replyOf({ ...said, toolCalls: [call] }, [], asks + completions) }
    },
    giveUp(problems, asks) {
      throw invalidFormat(request, io, said.text, problems, asks)
    },
  })
}

/** Whether what was cut off came after the value, such as a remark about it. */
async function isWhole(said: Said, schema: JsonSchema): Promise<boolean> {
  if (said.toolCalls !== undefined && said.toolCalls.length > 0) return false
  const reading = await read(said, schema)
  return !('error' in reading) && !reading.repairs.includes('cut-off-closed')
}

/** A model without native tool calls asks for a tool in its reply: `{"name":"…","input":{…}}`, where the schema has no form for it. */
function callInWords(text: string, { tools = [] }: ModelRequest, io: ModelIo): ToolCall | null {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}') + 1]
  const value = tools.length === 0 || start === -1 ? null : parseJson(text.slice(start, end))
  if (!isObject(value) || !isObject(value.input)) return null
  // A call that is only talked about is not made.
  if (doubtAbout(value, text.slice(0, start), text.slice(end), {}) !== null) return null
  const { name, input } = value
  return tools.some((tool) => tool.name === name)
    ? { id: `in-words-${io.path}-${io.n}`, name: String(name), input }
    : null
}

async function read(said: Said, schema: JsonSchema): Promise<Reading> {
  const parsed = said.value !== undefined && checkSchema(said.value, schema).length === 0
  return parsed ? { value: said.value, repairs: [] } : readReply(said.text, schema)
}

function replyOf(said: Said, repairs: readonly string[], asks: number): ModelReply {
  const all = [...(said.repairs ?? []), ...repairs]
  const { cutOff: _, cutAt: __, repairs: ___, ...rest } = said
  return {
    ...rest,
    usage: NO_TOKENS,
    ...(all.length > 0 ? { repairs: all } : {}),
    ...(asks > 1 ? { asks } : {}),
  }
}

const NO_TOKENS: ModelReply['usage'] = { inputTokens: 0, outputTokens: 0 }

function problemsOf({ violations, error }: Refused): string[] {
  return violations.length > 0 ? violations.map((one) => violationText(one, 'the reply')) : [error]
}

function correction({ text, reasoning }: Said, problems: readonly string[]): Message[] {
  const how = 'Answer again with the whole value, corrected, as JSON and nothing else.'
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
