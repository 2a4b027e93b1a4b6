/**
 * The fetch that providers are opened with. A reply that was asked for as a stream may be something else: the whole reply as
 * JSON, an error with status 200, a login page, nothing at all. The AI SDK would see a stream without events; here it is
 * read, and told in the server's own words.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { fetchWithin } from '../../kernel/fetch-within.ts'
import { boundedBody } from '../../protocol/bounded-body.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { bytesText, defined, isObject, parseJson, ThinkonError } from '../../protocol/index.ts'

/** What the current call of the AI SDK is for; it makes one request. */
type Purpose =
  /** `received` is called for all bytes, also of events that the AI SDK does not pass on, such as a heartbeat. May throw. */
  | { readonly stream: true; received(bytes: number): void }
  /** The whole reply is here already. */
  | { readonly whole: string }

const purpose = new AsyncLocalStorage<Purpose>()

/** Calls `doStream`. Throws WholeReply if the server sends the whole reply at once. */
export function askingForStream<T>(
  received: (bytes: number) => void,
  call: () => PromiseLike<T>,
): Promise<T> {
  return purpose.run({ stream: true, received }, async () => call())
}

/** Calls `doGenerate` on a reply that has arrived: nothing is sent. */
export function readingWhole<T>({ body }: WholeReply, call: () => PromiseLike<T>): Promise<T> {
  return purpose.run({ whole: body }, async () => call())
}

/** A whole reply where a stream was asked for. */
export class WholeReply extends Error {
  readonly body: string

  constructor(body: string) {
    super('the server does not stream')
    this.body = body
  }
}

/** A response with status 200 that is no reply. Has what the AI SDK's own errors have. */
export class NoReply extends Error {
  override readonly name: string = 'NoReplyError'
  readonly statusCode: number
  readonly responseBody: string

  constructor(message: string, statusCode: number, responseBody: string) {
    super(message)
    this.statusCode = statusCode
    this.responseBody = responseBody
  }
}

/** A page for people, mostly one to sign in on. */
export class WebPage extends NoReply {
  override readonly name = 'WebPageError'
}

export const replyFetch: typeof fetch = async (input, init) => {
  const asked = purpose.getStore()
  if (asked === undefined) return boundedBody(await fetchWithin(input, init), replyBudget())
  if ('whole' in asked) {
    return new Response(asked.whole, { headers: { 'content-type': 'application/json' } })
  }
  const response = boundedBody(await fetchWithin(input, init), replyBudget(), replyBudget(MAX_STREAM_BYTES))
  asked.received(0)
  if (!response.ok || response.body === null) return response
  const { first, stream } = await peek(response.body, asked.received)
  const { status, statusText, headers } = response
  const whole = new Response(stream, { status, statusText, headers })
  if (first === '') throw new NoReply('the server sent an empty reply', status, '')
  if (first !== '{' && first !== '[' && first !== '<') return whole
  throw notStreamed(await whole.text(), status)
}

/** About 400,000 events of one token each. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024

/** Events repeat the text, and JSON escapes it: a reply within `maxReplyBytes` may take several times that. */
function replyBudget(limit?: number): DecodingBudget {
  return new DecodingBudget('the reply', { error: (most) => bodyTooLong(most), ...defined({ limit }) })
}

export function bodyTooLong(maxBytes: number, what = 'more than'): ThinkonError {
  const message = `the server sent ${what} ${bytesText(maxBytes)} as its reply`
  return new ThinkonError('REPLY_TOO_LONG', message, { data: { setting: 'maxReplyBytes', maxBytes } })
}

function notStreamed(body: string, status: number): Error {
  const said = parseJson(body)
  if (said === undefined)
    return body.trimStart().startsWith('<')
      ? new WebPage('the server sent a web page instead of a reply', status, body)
      : new NoReply('the server sent something that is no reply', status, body)
  if (isObject(said) && REPLIES.some((key) => key in said) && !said.error) return new WholeReply(body)
  const { error } = (isObject(said) ? said : {}) as { error?: { code?: unknown } }
  const code = Number(error?.code)
  return new NoReply('the server reported an error', code >= 400 && code < 600 ? code : status, body)
}

/** What a whole reply has: chat completions, OpenAI's responses, Anthropic's messages, Gemini. */
const REPLIES = ['choices', 'output', 'content', 'candidates']

const MAX_PEEKED = 64 * 1024

/** The first character that is not white space, empty if there is nothing else; and the stream from its beginning. */
async function peek(
  body: ReadableStream<Uint8Array>,
  received: (bytes: number) => void,
): Promise<{ first: string; stream: ReadableStream<Uint8Array> }> {
  const reader = body.getReader()
  const read: Uint8Array[] = []
  let first = ''
  for (let bytes = 0; first === ''; ) {
    const { done, value } = await reader.read()
    if (done) break
    read.push(value)
    bytes += value.length
    first = Buffer.from(value).toString('latin1').trimStart().slice(0, 1)
    if (first === '' && bytes > MAX_PEEKED) first = ' '
  }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = read.shift() ?? (await reader.read()).value
      received(next?.length ?? 0)
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { first, stream }
}
