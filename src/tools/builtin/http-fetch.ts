import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ToolIo } from '../../kernel/tool.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { aborted, defineTool, type GuardedTool, throwIfAborted, toolError } from '../define-tool.ts'
import { flag, objectSchema, oneOf, optional, text } from '../object-schema.ts'
import { type AllowedHosts, allowedHosts, hostOf } from './hosts.ts'

const FETCH_TIMEOUT_MS = 20_000
const MAX_FETCH_BYTES = 1_000_000
const MAX_REDIRECTS = 5

export interface HttpFetchOptions {
  /** Hosts that may be reached; if empty, the tool refuses every request. */
  readonly allow: readonly string[]
  /** For the whole answer. Default: 20 seconds. */
  readonly timeoutMs?: number
  /** What is beyond is cut off. Default: 1,000,000. */
  readonly maxBytes?: number
}

export function httpFetchTool(options: HttpFetchOptions): GuardedTool {
  const { allow, timeoutMs = FETCH_TIMEOUT_MS, maxBytes = MAX_FETCH_BYTES } = options
  const hosts = allowedHosts(allow)
  return defineTool({
    name: 'http_fetch',
    description: `Gets a text from the web. Hosts that may be reached: ${allow.join(', ') || 'none'}.`,
    access: 'network',
    input: objectSchema({
      url: text('An http or https address', { minLength: 1, maxLength: 4_000 }),
      method: optional(oneOf('GET unless given', ['GET', 'HEAD'])),
      headers: optional(
        flag('Also the headers of the answer, and of https the protocol and the certificate'),
      ),
    }),
    deeds: ({ url }) => (URL.canParse(url) ? [{ does: 'network', host: hostOf(new URL(url)) }] : []),
    async run({ url, method = 'GET', headers = false }, { signal, permits }) {
      throwIfAborted(signal)
      const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      try {
        const fetching = { hosts, permits, maxBytes, headers, signal: stop }
        return await follow(checkedUrl(url, hosts), method, fetching)
      } catch (error) {
        if (signal.aborted) throw aborted(signal)
        if (stop.aborted) throw toolError(`${url} did not answer within ${timeoutMs} ms`)
        throw error
      }
    },
  })
}

const NOT_FOLLOWED =
  "The redirect was not followed: its host needs a person's permission. Call http_fetch with that address to ask for it."

interface Fetching {
  readonly hosts: AllowedHosts
  /** Whether a host that a redirect leads to may be reached, too. */
  readonly permits: ToolIo['permits']
  readonly maxBytes: number
  /** They are part of the answer. */
  readonly headers: boolean
  readonly signal: AbortSignal
}

async function follow(start: URL, method: string, fetching: Fetching): Promise<unknown> {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(url, method, fetching)
    const status = response.statusCode ?? 0
    const { location } = response.headers
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      const seen = fetching.headers ? headersOf(response) : {}
      const budget = new DecodingBudget('the answer', { limit: fetching.maxBytes })
      return { url: url.href, status, ...seen, ...(await read(response, method, budget)) }
    }
    response.destroy()
    const next = redirected(url, location, fetching)
    if (fetching.permits({ does: 'network', host: hostOf(next) }) === 'ask')
      return { url: url.href, status, redirect: next.href, note: NOT_FOLLOWED }
    url = next
  }
  throw toolError(`${start.href} was redirected more than ${MAX_REDIRECTS} times`)
}

/** Where a redirect leads, if that may be reached at all. */
function redirected(from: URL, location: string, { hosts, permits }: Fetching): URL {
  if (!URL.canParse(location, from.href))
    throw toolError(`${from.href} redirects to an invalid address: ${location}`)
  const to = checkedUrl(new URL(location, from.href).href, hosts)
  const host = hostOf(to)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw toolError(`${from.href} redirects from https to http (${to.href}): refused`)
  if (permits({ does: 'network', host }) === 'deny')
    throw toolError(
      `${from.href} redirects to ${to.href}: ${host} is not allowed here by the rules of the policy`,
      { host },
    )
  return to
}

function checkedUrl(given: string, hosts: AllowedHosts): URL {
  if (!URL.canParse(given)) throw toolError(`${given} is not an address`)
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw toolError(`${url.protocol} is not http or https`)
  if (url.username !== '' || url.password !== '')
    throw toolError('an address must not contain a user name or password')
  const host = hostOf(url)
  if (!hosts.allowsUrl(url)) {
    const { entries: allow } = hosts
    const known = allow.length > 0 ? `allowed: ${allow.join(', ')}` : 'none is allowed in the configuration'
    throw toolError(`${url.host} may not be reached; ${known}`, { host: url.host, allow })
  }
  if (isIP(host) && !hosts.allowsAddress(host, host)) throw isPrivateError(host, host)
  url.hash = ''
  return url
}

function send(url: URL, method: string, { hosts, signal }: Fetching): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      signal,
      agent: false,
      lookup: checkedLookup(hostOf(url), hosts),
      headers: {
        'user-agent': 'thinkon',
        accept: 'text/*, application/json, */*;q=0.1',
        'accept-encoding': 'identity',
      },
    })
    request.on('response', resolve)
    request.on('error', (error) => {
      const { code } = error as NodeJS.ErrnoException
      if (!code?.startsWith('E')) reject(error)
      else reject(toolError(`${url.host} can't be reached: ${code}`, { errno: code }))
    })
    request.end()
  })
}

/** Connects to the very address that was checked: a name that resolves differently in between gains nothing. */
function checkedLookup(host: string, hosts: AllowedHosts): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0)
      const bad = addresses.find(({ address }) => !hosts.allowsAddress(host, address))
      const [first] = addresses
      if (bad !== undefined || first === undefined)
        return callback(isPrivateError(host, bad?.address ?? ''), '', 0)
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** The text of the answer up to the budget, which counts decompressed bytes. */
async function read(response: IncomingMessage, method: string, budget: DecodingBudget): Promise<object> {
  const type = response.headers['content-type'] ?? ''
  if (method === 'HEAD') {
    response.destroy()
    return { contentType: type, contentLength: response.headers['content-length'] ?? null }
  }
  if (!isText(type)) {
    response.destroy()
    throw toolError(`the answer is not text (${type})`, { contentType: type })
  }
  const chunks: Buffer[] = []
  let isCut = false
  for await (const chunk of decoded(response, budget)) {
    isCut = chunk.length > budget.left
    const part = chunk.subarray(0, budget.left)
    budget.take(part.length)
    chunks.push(part)
    if (isCut) break
  }
  response.destroy()
  const cut = isCut ? { cut: `only the first ${budget.limit} bytes` } : {}
  return { contentType: type, text: decodeAs(type, Buffer.concat(chunks)), ...cut }
}

/** Cookie values are private; their attributes are not. */
function headersOf({ headers, socket }: IncomingMessage): object {
  const { 'set-cookie': cookies, ...rest } = headers
  const shown = cookies && { 'set-cookie': cookies.map((cookie) => cookie.replace(/=[^;]*/, '=…')) }
  return { headers: { ...rest, ...shown }, ...(socket instanceof TLSSocket && { tls: tlsOf(socket) }) }
}

function tlsOf(socket: TLSSocket): object {
  const { subject, issuer, valid_from, valid_to, subjectaltname } = socket.getPeerCertificate()
  return {
    protocol: socket.getProtocol(),
    subject: subject.CN ?? null,
    names: subjectaltname ?? null,
    issuer: issuer.O ?? issuer.CN ?? null,
    from: valid_from,
    until: valid_to,
  }
}

const MAX_CHUNK_BYTES = 16 * 1024

/** Some servers compress even when asked not to. */
function decoded(response: IncomingMessage, budget: DecodingBudget): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response
  const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }
  // A chunk is decompressed whole before it is read.
  const chunkSize = Math.max(64, Math.min(MAX_CHUNK_BYTES, budget.left))
  const decoder = Object.hasOwn(decoders, encoding)
    ? decoders[encoding as keyof typeof decoders]({ chunkSize })
    : null
  if (decoder === null) throw toolError(`the answer is encoded as ${encoding}`)
  response.on('error', (error) => decoder.destroy(error))
  return response.pipe(decoder)
}

function isText(type: string): boolean {
  return (
    type === '' || /^text\/|[/+](json|xml|javascript|yaml|x-yaml|x-ndjson|ndjson|markdown|toml)\b/i.test(type)
  )
}

function decodeAs(type: string, bytes: Uint8Array): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function isPrivateError(host: string, address: string): Error {
  const message = `${host} resolves to ${address}, which is not public: list that address to allow it`
  return toolError(message, { host, address })
}
