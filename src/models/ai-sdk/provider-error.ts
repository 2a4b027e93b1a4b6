/** Turns what the AI SDK throws into a ThinkonError: the provider's message, without keys, and whether a retry may help. */
import { defined, shorten, ThinkonError } from '../../protocol/index.ts'
import { isNetworkError, isRetryableStatus, retryAfterMs } from '../resilience/retry.ts'
import { redactError } from '../secrets.ts'

/**
 * The original is not kept as the cause: it contains headers, the whole request and what the server echoed of them, and
 * the text of a cause goes into the journal.
 */
export function providerError(thrown: unknown, id: string, nowMs: number): ThinkonError {
  if (ThinkonError.isInstance(thrown)) return named(thrown, id)
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ProviderFailure
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  const said = messageOf(thrown, error)
  const text = redactError(`${id}: ${status === undefined ? '' : `${status} `}${said}`)
  const waitMs = retryAfterMs(error.responseHeaders ?? {}, nowMs)
  return new ThinkonError('MODEL_ERROR', text, {
    retryable: mayRecover(thrown, error, status, said),
    data: defined({ status, retryAfterMs: waitMs }),
  })
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

function mayRecover(
  thrown: unknown,
  error: ProviderFailure,
  status: number | undefined,
  said: string,
): boolean {
  // Some providers answer 429 when the account is out of credit, and waiting does not help.
  if (/insufficient_quota|exceeded your current quota|billing|credit balance/i.test(`${said} ${error.code}`))
    return false
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
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.slice(0, MAX_DETAIL)
}

function named(error: ThinkonError, id: string): ThinkonError {
  if (error.message.startsWith(`${id}: `)) return error
  const { code, message, retryable, data } = error
  return new ThinkonError(code, `${id}: ${redactError(message)}`, { retryable, data })
}
