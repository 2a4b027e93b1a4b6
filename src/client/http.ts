/** Requests to one service. Whatever goes wrong is an error of ours: problem.ts. */
import { boundedBody } from '../protocol/bounded-body.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { defined, ThinkonError } from '../protocol/index.ts'
import type { ClientOptions } from './api.ts'
import { noService, refusal, unreachable } from './problem.ts'

export interface Http {
  /** Whether the service has ever answered: then it is worth waiting for. */
  readonly hasAnswered: boolean
  /** The answer, if it is good and of this type, or has no body. */
  send(request: HttpRequest, type: string): Promise<Response>
  /** The value that a good answer has. */
  json<T>(request: HttpRequest): Promise<T>
}

export interface HttpRequest {
  /** GET, unless given. */
  readonly method?: 'POST' | 'DELETE'
  /** Below `/api`. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  /** Sent as JSON, unless it is a file. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

const JSON_TYPE = 'application/json'
/** Exports: a stream of any length. */
export const LINES = 'application/x-ndjson'

export function httpOf(options: Pick<ClientOptions, 'url' | 'token' | 'fetch'>): Http {
  const base = addressOf(options)
  const { token, fetch: ask = (input, init) => globalThis.fetch(input, init) } = options
  let hasAnswered = false

  async function send(request: HttpRequest, type: string): Promise<Response> {
    const { method = 'GET', path, query = {}, body, signal = null } = request
    const address = `${base}${path}`
    const where = `${method} ${address}`
    const isFile = body instanceof Blob
    const headers = {
      accept: type,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': isFile ? body.type : JSON_TYPE }),
      ...request.headers,
    }
    const response = await ask(address + queryText(query), {
      method,
      headers,
      signal,
      cache: 'no-store',
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    }).catch((thrown: unknown) => {
      throw signal?.aborted ? thrown : unreachable(where, thrown)
    })
    if (!response.ok) {
      const refused = await refusal(where, response)
      hasAnswered ||= !refused.retryable
      throw refused
    }
    if (response.status !== 204 && !isOfType(response, type)) {
      await response.body?.cancel()
      throw noService(where, response)
    }
    hasAnswered = true
    return type === LINES ? response : boundedBody(response, new DecodingBudget(`the answer to ${where}`))
  }

  return {
    get hasAnswered() {
      return hasAnswered
    },
    send,
    async json<T>(request: HttpRequest) {
      const response = await send(request, JSON_TYPE)
      // Cut off, or no JSON: what it was about may have happened.
      return response.json().catch((thrown: unknown) => {
        if (ThinkonError.isInstance(thrown)) throw thrown
        throw unreachable(`${request.method ?? 'GET'} ${base}${request.path}`, thrown)
      }) as Promise<T>
    },
  }
}

/** Where the API is. */
function addressOf({ url: given }: Pick<ClientOptions, 'url'>): string {
  // A page may give a path: it is one of its own service.
  const page = (globalThis as { location?: { href: string } }).location?.href
  if (!URL.canParse(String(given), page))
    throw new ThinkonError('BAD_INPUT', `createClient: url must be an address, not "${given}"`)
  const url = new URL(given, page)
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}/api`
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(defined(query)).map(([name, value]) => [name, String(value)])
  const text = String(new URLSearchParams(Object.fromEntries(given)))
  return text === '' ? '' : `?${text}`
}

function isOfType({ headers }: Response, type: string): boolean {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() === type
}
