/**
 * Requests that a seed makes of what the routes take, broken in many ways, by fetch and as bytes on sockets. None may be answered with 500,
 * none may be left without an answer, and the service must still work afterwards.
 */
import { seededRandom } from '../../src/kernel/random.ts'
import { ROUTES } from '../../src/server/http/routes/index.ts'
import { raw } from './raw.ts'
import { type Served, TOKEN } from './serve-here.ts'

export interface FuzzedRequests {
  readonly findings: readonly string[]
  /** How many answers had each status; 0: the connection was closed. */
  readonly statuses: Readonly<Record<number, number>>
}

const AT_ONCE = 8
const PATIENCE_MS = 60_000
/** The runs are made again after so many requests. */
const PREPARED = 50

export interface FuzzOptions {
  readonly count: number
  readonly seed: string
  /** Makes the runs that requests are about, also those that a request has ended or deleted. */
  prepare(): Promise<unknown>
}

export async function fuzzRequests(
  served: Served,
  { count, seed, prepare }: FuzzOptions,
): Promise<FuzzedRequests> {
  const findings: string[] = []
  const statuses: Record<number, number> = {}
  let next = 0
  const work = async () => {
    while (next < count && findings.length < 20) {
      const index = next++
      if (index % PREPARED === 0) await prepare()
      const made = madeRequest(seed, index)
      try {
        const { status, text } = await (made.isRaw ? sendRaw(served, made) : sendFetch(served, made))
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status === 500) findings.push(`${seed}/${index}: ${JSON.stringify(made)}: ${text.slice(-500)}`)
      } catch (thrown) {
        findings.push(`${seed}/${index}: ${JSON.stringify(made)}: ${(thrown as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { findings, statuses }
}

interface Made {
  readonly isRaw: boolean
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const WORDS = [
  '',
  '0',
  '-1',
  '1',
  '1e99',
  'NaN',
  '..',
  '%00',
  '%ff',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  '\u{1f600}',
  "';--",
  'a'.repeat(300),
  '[]',
  '{}',
  'null',
  'true',
  '1-1',
  '1-2',
  '9007199254740993',
  '\u202e',
  'run-1',
  'run-2',
  'none',
] as const
const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'] as const
const ODD_METHODS = ['TRACE', 'CONNECT', 'PURGE', 'get', 'G@T', ''] as const
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-ndjson',
  '',
] as const
const HEADERS = [
  'accept',
  'last-event-id',
  'origin',
  'cookie',
  'content-encoding',
  'range',
  'x-forwarded-proto',
  'if-none-match',
  'expect',
  'upgrade',
  'sec-fetch-site',
] as const

function madeRequest(seed: string, index: number): Made {
  const random = seededRandom(`${seed}/${index}`)
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(of: readonly T[]): T => of[below(of.length)] as T
  const route = pick(ROUTES)
  const isRaw = below(4) === 0
  const run = below(3) === 0 ? encodeURIComponent(pick(WORDS)) : pick(['run-1', 'run-2'])
  const path = below(8) === 0 ? `/${pick(WORDS)}/${pick(WORDS)}` : `/api${route.path.replace('{run}', run)}`
  const names = [...Object.keys(route.query ?? {}), pick(WORDS)]
  const query = Array.from({ length: below(3) }, () => `${pick(names)}=${encodeURIComponent(pick(WORDS))}`)
  const headers: Record<string, string> = below(10) === 0 ? {} : { authorization: `Bearer ${TOKEN}` }
  if (below(3) === 0) headers[pick(HEADERS)] = latin1(pick([...WORDS, 'text/event-stream', 'null']))
  const method =
    below(4) === 0 ? pick(isRaw ? [...METHODS, ...ODD_METHODS] : METHODS) : route.method.toUpperCase()
  const takesBody = method !== 'GET' && method !== 'HEAD'
  const body = takesBody && below(6) > 0 ? bodyFor(route.body, pick, below) : null
  if (body !== null) headers['content-type'] = below(8) === 0 ? pick(TYPES) : 'application/json'
  return { isRaw, method, path: `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`, headers, body }
}

type Pick = <T>(of: readonly T[]) => T

function bodyFor(schema: unknown, pick: Pick, below: (n: number) => number): string {
  const properties = (schema as { properties?: object } | undefined)?.properties ?? {}
  const value = (depth: number): unknown => {
    const kind = below(depth > 3 ? 6 : 9)
    if (kind < 3) return pick(WORDS)
    if (kind === 3) return below(2) === 0 ? -1.5 : below(1_000)
    if (kind === 4) return null
    if (kind === 5) return pick(['a goal', 'cancel', 'message', 'minimal', 'fast', 'tot'])
    if (kind === 6) return Array.from({ length: below(4) }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: below(4) }, () => [pick(WORDS), value(depth + 1)]))
  }
  if ('goal' in properties && below(4) === 0) return '{"goal":"a goal"}'
  const given = Object.fromEntries(
    Object.keys(properties).flatMap((name) =>
      below(3) === 0 ? [] : [[name, name === 'goal' && below(2) === 0 ? 'a goal' : value(0)]],
    ),
  )
  if (below(12) === 0) Object.assign(given, { [pick(WORDS)]: value(0) })
  const text = JSON.stringify(below(12) === 0 ? value(0) : given)
  const at = below(text.length)
  // Some are cut off, and some have a character changed.
  if (below(8) === 0) return text.slice(0, at)
  return below(8) === 0 ? text.slice(0, at) + pick(WORDS) + text.slice(at + 1) : text
}

async function sendFetch({ url }: Served, { method, path, headers, body }: Made) {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const { expect: _, upgrade: __, ...sendable } = headers
  const response = await fetch(url + path, {
    method,
    headers: sendable,
    redirect: 'manual',
    signal,
    ...(body !== null && { body }),
  })
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  if (isStream) await response.body?.cancel()
  return { status: response.status, text: isStream ? '' : await response.text() }
}

function sendRaw({ port }: Served, { method, path, headers, body }: Made) {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, connection: 'close', ...headers })
  const text = body ?? ''
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
  ]
  return raw(port, Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`, 'utf8'), { patienceMs: PATIENCE_MS })
}

function latin1(text: string): string {
  return [...text].filter((one) => one >= ' ' && one <= '~').join('')
}
