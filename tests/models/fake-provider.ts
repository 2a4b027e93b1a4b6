/**
 * A local HTTP server that speaks four protocols as the real AI SDK packages expect them (OpenAI chat completions, OpenAI
 * responses, Anthropic messages, Gemini), streamed and, but for Gemini, whole, with trouble on demand.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseJson } from '../../src/protocol/index.ts'

export interface Said {
  text?: string
  /** Calls of tools, with their arguments as JSON text; `signature` is Gemini's. */
  calls?: { name: string; input: string; signature?: string }[]
  /** Reasoning before the text (OpenAI chat), with a signature (Anthropic) or encrypted (OpenAI responses). */
  thinking?: { text: string; signature: string }
  usage?: { input: number; output: number; cached?: number; written?: number } | null
  /** The usage as the provider words it, instead. */
  rawUsage?: Record<string, unknown>
  finish?: 'stop' | 'length'
}

export interface Trouble {
  /** An HTTP error with this body (an object is sent as JSON). */
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** Closes the connection after so many pieces of the stream. */
  cutAfter?: number
  /** Ends the stream politely but too early after so many pieces. */
  endAfter?: number
  /** Sends nothing more after so many pieces, and keeps the connection open. */
  stallAfter?: number
  /** Waits so long before each piece. */
  slowMs?: number
  /** Puts a piece that is no JSON into the stream. */
  malformed?: boolean
  /** Reports an error in the middle of the stream. */
  streamError?: { type: string; message: string }
  /** Never answers at all. */
  hang?: boolean
}

export type Answer = Said & Trouble
export type Answering = (request: ProviderRequest) => Answer

export interface ProviderRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
}

export interface FakeProvider {
  readonly url: string
  readonly requests: ProviderRequest[]
  /** Connections that are open for a request now, and the most there were at once. */
  readonly open: { now: number; most: number }
  close(): Promise<void>
}

/** Answers in the order given, or as the function says. */
export async function startFakeProvider(script: readonly Answer[] | Answering): Promise<FakeProvider> {
  const requests: ProviderRequest[] = []
  const open = { now: 0, most: 0 }
  const left = typeof script === 'function' ? [] : [...script]
  const server = createServer((incoming, response) => {
    // What a model's server is asked of itself is not part of the script.
    if (incoming.method === 'GET' || incoming.url?.startsWith('/api/')) return sendJson(response, 404, {})
    open.now++
    open.most = Math.max(open.most, open.now)
    response.on('close', () => {
      open.now--
    })
    void readBody(incoming).then((body) => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body }
      requests.push(request)
      const answer = typeof script === 'function' ? script(request) : left.shift()
      if (answer === undefined) return sendJson(response, 500, { error: { message: 'the script has ended' } })
      return respond(request, response, answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(request: ProviderRequest, response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.hang) return
  if (answer.status !== undefined) return sendJson(response, answer.status, answer.body, answer.headers)
  const protocol = protocolOf(request.path)
  if (!request.body.stream && protocol !== gemini)
    return sendJson(response, 200, answer.body ?? protocol.whole(answer))
  response.writeHead(200, { 'content-type': 'text/event-stream', ...answer.headers })
  response.flushHeaders()
  const pieces = protocol.pieces(answer)
  if (answer.malformed) pieces.splice(1, 0, 'data: {"choices":[{"delta":{"conte\n\n')
  if (answer.streamError) pieces.splice(3, Infinity, protocol.error(answer.streamError))
  for (const [index, piece] of pieces.entries()) {
    if (answer.cutAfter === index) return void response.destroy()
    if (answer.endAfter === index) return void response.end()
    if (answer.stallAfter === index) return
    if (answer.slowMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.slowMs))
    if (response.destroyed) return
    response.write(piece)
  }
  response.end()
}

interface Protocol {
  pieces(said: Said): string[]
  whole(said: Said): unknown
  error(error: { type: string; message: string }): string
}

function protocolOf(path: string): Protocol {
  if (path.endsWith('/chat/completions')) return chat
  if (path.endsWith('/responses')) return responses
  if (path.endsWith('/messages')) return messages
  if (path.includes(':streamGenerateContent')) return gemini
  throw new Error(`no protocol at ${path}`)
}

const USAGE: NonNullable<Said['usage']> = { input: 10, output: 5 }

/** `null` says nothing of usage, nothing said means some. */
function usageOf({ usage }: Said): NonNullable<Said['usage']> | undefined {
  return usage === null ? undefined : (usage ?? USAGE)
}

function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** A text in three pieces, as tokens come. */
function inPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3))
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
}

const chat: Protocol = {
  error: (error) => event({ error: { ...error, code: error.type, param: null } }),
  pieces(said) {
    const chunk = (choices: unknown[], more = {}) =>
      event({ id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'fake', choices, ...more })
    const delta = (delta: unknown, finish_reason: string | null = null) => [
      { index: 0, delta, finish_reason },
    ]
    const usage = usageOf(said)
    return [
      ...(said.thinking ? [chunk(delta({ role: 'assistant', reasoning_content: said.thinking.text }))] : []),
      ...inPieces(said.text ?? '').map((content) => chunk(delta({ role: 'assistant', content }))),
      ...(said.calls ?? []).flatMap(({ name, input }, index) => [
        chunk(
          delta({
            tool_calls: [{ index, id: `call-${index}`, type: 'function', function: { name, arguments: '' } }],
          }),
        ),
        ...inPieces(input).map((piece) =>
          chunk(delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
        ),
      ]),
      chunk(delta({}, said.finish ?? (said.calls ? 'tool_calls' : 'stop'))),
      ...(usage === undefined ? [] : [chunk([], { usage: said.rawUsage ?? chatUsage(usage) })]),
      event('[DONE]'),
    ]
  },
  whole(said) {
    const usage = usageOf(said)
    const tool_calls = said.calls?.map(({ name, input }, index) => ({
      id: `call-${index}`,
      type: 'function',
      function: { name, arguments: input },
    }))
    return {
      id: 'chat-1',
      object: 'chat.completion',
      created: 1,
      model: 'fake',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: said.text ?? null, tool_calls },
          finish_reason: said.finish ?? 'stop',
        },
      ],
      ...(usage === undefined ? {} : { usage: chatUsage(usage) }),
    }
  },
}

function chatUsage({ input, output, cached }: { input: number; output: number; cached?: number }) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  }
}

const responses: Protocol = {
  error: (error) =>
    event({ type: 'error', sequence_number: 9, error: { ...error, code: error.type, param: null } }, 'error'),
  pieces(said) {
    const send = (type: string, more: object) => event({ type, ...more }, type)
    const base = { id: 'resp-1', created_at: 1, model: 'fake' }
    const message = { type: 'message', id: 'msg-1', role: 'assistant', status: 'in_progress', content: [] }
    const usage = usageOf(said) ?? USAGE
    return [
      send('response.created', { response: { ...base, status: 'in_progress' } }),
      ...(said.thinking === undefined
        ? []
        : ['added', 'done'].map((when) =>
            send(`response.output_item.${when}`, {
              output_index: 0,
              item: {
                type: 'reasoning',
                id: 'rs-1',
                summary: [],
                encrypted_content: when === 'done' ? said.thinking?.signature : null,
              },
            }),
          )),
      ...(said.text === undefined
        ? []
        : [
            send('response.output_item.added', { output_index: 0, item: message }),
            ...inPieces(said.text).map((delta) =>
              send('response.output_text.delta', {
                item_id: 'msg-1',
                output_index: 0,
                content_index: 0,
                delta,
              }),
            ),
            send('response.output_item.done', {
              output_index: 0,
              item: {
                ...message,
                status: 'completed',
                content: [{ type: 'output_text', text: said.text, annotations: [] }],
              },
            }),
          ]),
      ...(said.calls ?? []).flatMap(({ name, input }, index) => {
        const item = { type: 'function_call', id: `fc-${index}`, call_id: `call-${index}`, name }
        return [
          send('response.output_item.added', { output_index: index, item: { ...item, arguments: '' } }),
          ...inPieces(input).map((delta) =>
            send('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta }),
          ),
          send('response.output_item.done', {
            output_index: index,
            item: {
              ...item,
              arguments: input,
              status: said.finish === 'length' ? 'incomplete' : 'completed',
            },
          }),
        ]
      }),
      said.finish === 'length'
        ? send('response.incomplete', {
            response: {
              ...base,
              incomplete_details: { reason: 'max_output_tokens' },
              usage: said.rawUsage ?? responsesUsage(usage),
            },
          })
        : send('response.completed', {
            response: { ...base, usage: said.rawUsage ?? responsesUsage(usage) },
          }),
    ]
  },
  whole(said) {
    return {
      id: 'resp-1',
      created_at: 1,
      model: 'fake',
      output: [
        {
          type: 'message',
          id: 'msg-1',
          role: 'assistant',
          content: [{ type: 'output_text', text: said.text ?? '', annotations: [] }],
        },
      ],
      usage: responsesUsage(usageOf(said) ?? USAGE),
    }
  },
}

function responsesUsage({ input, output, cached }: { input: number; output: number; cached?: number }) {
  return { input_tokens: input, output_tokens: output, input_tokens_details: { cached_tokens: cached ?? 0 } }
}

const messages: Protocol = {
  error: (error) => event({ type: 'error', error }, 'error'),
  pieces(said) {
    const send = (type: string, more: object = {}) => event({ type, ...more }, type)
    const { input, output, cached = 0, written = 0 } = usageOf(said) ?? USAGE
    const blocks: { start: object; deltas: object[] }[] = []
    if (said.thinking !== undefined) {
      const { text: thinking, signature } = said.thinking
      blocks.push({
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ],
      })
    }
    if (said.text !== undefined) {
      blocks.push({
        start: { type: 'text', text: '' },
        deltas: inPieces(said.text).map((text) => ({ type: 'text_delta', text })),
      })
    }
    for (const [index, call] of (said.calls ?? []).entries()) {
      blocks.push({
        start: { type: 'tool_use', id: `call-${index}`, name: call.name, input: {} },
        deltas: inPieces(call.input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      })
    }
    const stop = said.finish === 'length' ? 'max_tokens' : said.calls ? 'tool_use' : 'end_turn'
    return [
      send('message_start', {
        message: {
          id: 'msg-1',
          type: 'message',
          role: 'assistant',
          model: 'fake',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: input,
            output_tokens: 1,
            cache_read_input_tokens: cached,
            cache_creation_input_tokens: written,
          },
        },
      }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        send('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => send('content_block_delta', { index, delta })),
        send('content_block_stop', { index }),
      ]),
      send('message_delta', {
        delta: { stop_reason: stop, stop_sequence: null },
        usage: said.rawUsage ?? { output_tokens: output },
      }),
      send('message_stop'),
    ]
  },
  whole(said) {
    const { input, output } = usageOf(said) ?? USAGE
    return {
      id: 'msg-1',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: [{ type: 'text', text: said.text ?? '' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    }
  },
}

const gemini: Protocol = {
  error: ({ type, message }) => event({ error: { code: 503, status: type, message } }),
  pieces(said) {
    const { input, output } = usageOf(said) ?? USAGE
    const part = (parts: unknown[], more = {}) =>
      event({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] })
    return [
      ...inPieces(said.text ?? '').map((text) => part([{ text }])),
      ...(said.calls ?? []).map(({ name, input, signature: thoughtSignature }) =>
        part([{ functionCall: { name, args: parseJson(input) ?? {} }, thoughtSignature }]),
      ),
      event({
        candidates: [
          {
            content: { role: 'model', parts: [{ text: '' }] },
            finishReason: said.finish === 'length' ? 'MAX_TOKENS' : 'STOP',
            index: 0,
          },
        ],
        usageMetadata: said.rawUsage ?? {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
        },
      }),
    ]
  },
  whole: () => {
    throw new Error('Gemini is only streamed here')
  },
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(
    typeof body === 'string' ? body : JSON.stringify(body ?? { error: { message: `status ${status}` } }),
  )
}
