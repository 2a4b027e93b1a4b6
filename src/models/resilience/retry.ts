/** Which failures are worth another attempt, and when to make it. */
import { ThinkonError } from '../../protocol/index.ts'

/** How long to wait before attempt `attempt + 1`: full jitter, but never less than the provider asks for. */
export function waitBeforeRetry(
  attempt: number,
  asked: number | undefined,
  { baseMs, capMs }: { baseMs: number; capMs: number },
  random: () => number,
): number {
  const jitter = random() * Math.min(capMs, baseMs * 2 ** (attempt - 1))
  // Added to what was asked for: callers that were refused together must not come back together.
  return asked === undefined ? jitter : asked + random() * Math.min(baseMs, asked)
}

/** Retry-After in milliseconds from now, given as seconds or as an HTTP date; `retry-after-ms` overrides it. */
export function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const said = headers['retry-after']?.trim()
  if (said === undefined || said === '') return undefined
  const seconds = Number(said)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(said)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}

/** 408, 409, 425, 429 and all 5xx: the same request may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
}

export function isRetryable(thrown: unknown): boolean {
  if (ThinkonError.isInstance(thrown)) return thrown.retryable
  const status = statusOf(thrown)
  return status === undefined ? isNetworkError(thrown) : isRetryableStatus(status)
}

/** A connection that failed or broke. `fetch` wraps the cause, sometimes more than once. */
export function isNetworkError(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const { code } = error as { code?: unknown }
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true
    if (NETWORK_MESSAGES.test(error.message)) return true
  }
  return false
}

function statusOf(thrown: unknown): number | undefined {
  const { status, statusCode } = (thrown ?? {}) as { status?: unknown; statusCode?: unknown }
  if (typeof statusCode === 'number') return statusCode
  return typeof status === 'number' ? status : undefined
}

const NETWORK_CODES = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENETDOWN ENETUNREACH EHOSTDOWN EHOSTUNREACH EAI_AGAIN ' +
    'ENOTFOUND UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET'
  ).split(' '),
)
const NETWORK_MESSAGES = /^(?:fetch failed|terminated|network error|socket hang up|other side closed)$/i
