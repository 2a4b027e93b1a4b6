/**
 * Turns what the AI SDK throws into a ThinkonError: the provider's message, without keys, whether a retry may help, and
 * whether it is an outage (no key, no quota), which somebody has to end before the same request can succeed.
 */
import { defined, shorten, ThinkonError } from '../../protocol/index.ts'
import { isNetworkError, isRetryableStatus, retryAfterMs } from '../resilience/retry.ts'
import { redactError } from '../secrets.ts'
import { overflowOf } from './context-overflow.ts'
import { unreadableUsage } from './unreadable-usage.ts'

/**
 * The original is not kept as the cause: it contains headers, the whole request and what the server echoed of them, and
 * the text of a cause goes into the journal.
 */
export function providerError(thrown: unknown, id: string, nowMs: number): ThinkonError {
  const own = ownError(thrown)
  if (own !== undefined) return named(own, id)
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ProviderFailure
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  const wrongUsage = unreadableUsage(thrown)
  const said = wrongUsage ?? messageOf(thrown, error)
  const text = redactError(`${id}: ${status === undefined ? '' : `${status} `}${said}`)
  const waitMs = retryAfterMs(error.responseHeaders ?? {}, nowMs)
  const overflow = overflowOf(
    status,
    `${error.type} ${error.code} ${said} ${error.responseBody?.slice(0, MAX_MESSAGE)}`,
  )
  if (overflow !== undefined)
    return new ThinkonError('CONTEXT_OVERFLOW', text, { data: { ...defined({ status }), ...overflow } })
  const refused = refusesAccess(error, status, said)
  return new ThinkonError(refused ? 'MODEL_OUTAGE' : 'MODEL_ERROR', text, {
    retryable: !refused && wrongUsage === undefined && mayRecover(thrown, error, status, said),
    data: defined({ status, retryAfterMs: waitMs }),
  })
}

/** The AI SDK wraps what was thrown while it read a response. */
function ownError(thrown: unknown): ThinkonError | undefined {
  if (ThinkonError.isInstance(thrown)) return thrown
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return ThinkonError.isInstance(cause) ? cause : undefined
}

interface ProviderFailure {
  name?: string
  message?: unknown
  statusCode?: unknown
  responseHeaders?: Record<string, string>
  responseBody?: string
  isRetryable?: unknown
  type?: unknown
  code?: unknown
}

/**
 * The key is missing or wrong, or the account has no credit: some providers answer these with 400 or 429. A web page instead
 * of a reply is one to sign in on.
 */
function refusesAccess(
  { name, type, code }: ProviderFailure,
  status: number | undefined,
  said: string,
): boolean {
  if (status !== undefined && NO_ACCESS.has(status)) return true
  if (name !== undefined && /LoadAPIKeyError|WebPageError/.test(name)) return true
  if (status !== undefined && status >= 500) return false
  return NO_ACCESS_WORDS.test(`${type} ${code} ${said}`)
}

/** Unauthorized, payment required, forbidden, proxy authentication required. */
const NO_ACCESS: ReadonlySet<number> = new Set([401, 402, 403, 407])
const NO_ACCESS_WORDS =
  /insufficient_quota|exceeded your current quota|billing_(?:hard_limit|not_active)|billing (?:details|hard limit|account)|enable billing|credit balance|authentication_error|permission_error|invalid_api_key|api_key_invalid|api key (?:is )?(?:not valid|invalid|expired|missing)/i

function mayRecover(
  thrown: unknown,
  error: ProviderFailure,
  status: number | undefined,
  said: string,
): boolean {
  // A 200 that can't be read is the server's fault.
  if (status !== undefined) return isRetryableStatus(status) || (status >= 200 && status < 300)
  if (isNetworkError(thrown)) return true
  if (typeof error.isRetryable === 'boolean') return error.isRetryable
  if (error.name !== undefined && UNREADABLE.test(error.name)) return true
  return SERVER_ERRORS.test(`${error.type} ${error.code} ${said}`)
}

/** Names of the AI SDK's errors for replies that violate the protocol. */
const UNREADABLE =
  /JSONParseError|TypeValidationError|InvalidResponseDataError|EmptyResponseBodyError|NoContentGeneratedError/
/** What providers call errors in the middle of a stream. */
const SERVER_ERRORS = /overloaded|rate_limit|server_error|api_error|internal|unavailable|timeout|capacity/i

const MAX_MESSAGE = 1_000
const MAX_DETAIL = 300

function messageOf(thrown: unknown, error: ProviderFailure): string {
  const own = typeof error.message === 'string' ? error.message : ''
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ''
  const parts = [own, detailOf(error.responseBody), cause]
  if (own === '') parts.push(typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? ''))
  const distinct: string[] = []
  for (const part of parts)
    if (part !== '' && !distinct.some((text) => text.includes(part))) distinct.push(part)
  return shorten(distinct.join(': ') || 'failed', MAX_MESSAGE)
}

/** Of an error page, which is read as text: markup is removed with expressions. */
const MAX_PAGE = 5_000

/** The error message in a body, in the shapes that servers use and the AI SDK's package may not know. */
function detailOf(body: string | undefined): string {
  if (body === undefined || body.trim() === '') return ''
  try {
    const said = JSON.parse(body)
    const found = said?.error?.message ?? said?.message ?? said?.detail ?? said?.error
    if (typeof found === 'string') return found.slice(0, MAX_DETAIL)
  } catch {
    // Not JSON: a proxy's error page.
  }
  const text = body
    .slice(0, MAX_PAGE)
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.slice(0, MAX_DETAIL)
}

function named(error: ThinkonError, id: string): ThinkonError {
  if (error.message.startsWith(`${id}: `)) return error
  const { code, message, retryable, data } = error
  return new ThinkonError(code, `${id}: ${redactError(message)}`, { retryable, data })
}
