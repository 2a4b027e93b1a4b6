/** What the AI SDK throws, as ThinkonError: what the provider said, without keys, and whether it may go better later. */
import { ThinkonError } from '../../protocol/index.ts'
import { redactError } from '../secrets.ts'
import { isNetworkError, isRetryableStatus, retryAfterMs } from '../trouble/retry.ts'

/**
 * The original is not kept as the cause: it holds headers, the whole request and what the server echoed of them, and a
 * cause's text goes into the journal.
 */
export function providerError(thrown: unknown, id: string, nowMs: number): ThinkonError {
  if (ThinkonError.isInstance(thrown)) return named(thrown, id)
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ProviderFailure
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  const said = messageOf(thrown, error)
  const text = String(`${id}: ${status === undefined ? '' : `${status} `}${said}`)
  const waitMs = retryAfterMs(error.responseHeaders ?? {}, nowMs)
  return new ThinkonError('MODEL_ERROR', text, {
    retryable: mayGoBetter(thrown, error, status, said),
    data: {
      ...(status === undefined ? {} : { status }),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    },
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

function mayGoBetter(
  thrown: unknown,
  error: ProviderFailure,
  status: number | undefined,
  said: string,
): boolean {
  // Out of money is a 429 at some providers, and no wait mends it.
  if (/insufficient_quota|exceeded your current quota|billing|credit balance/i.test(`${said} ${error.code}`))
    return false
  // A 200 that could not be read is the server's fault.
  if (status !== undefined) return isRetryableStatus(status) || (status >= 200 && status < 300)
  if (isNetworkError(thrown)) return true
  if (typeof error.isRetryable === 'boolean') return error.isRetryable
  if (error.name !== undefined && UNREADABLE.test(error.name)) return true
  return SERVER_TROUBLE.test(`${error.type} ${error.code} ${said}`)
}

/** Names of AI SDK errors for replies that are not what the protocol says. */
const UNREADABLE =
  /JSONParseError|TypeValidationError|InvalidResponseDataError|EmptyResponseBodyError|NoContentGeneratedError/
/** What providers call it when an error comes in the middle of a stream. */
const SERVER_TROUBLE = /overloaded|rate_limit|server_error|api_error|internal|unavailable|timeout|capacity/i

const MAX_MESSAGE = 1_000

function messageOf(thrown: unknown, error: ProviderFailure): string {
  const own = typeof error.message === 'string' ? error.message : ''
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : ''
  const body = own === '' ? (error.responseBody ?? '') : ''
  const text = own || body || (typeof thrown === 'string' ? thrown : JSON.stringify(thrown)) || 'failed'
  const whole = cause !== '' && !text.includes(cause) ? `${text}: ${cause}` : text
  return whole.length > MAX_MESSAGE ? `${whole.slice(0, MAX_MESSAGE)}…` : whole
}

function named(error: ThinkonError, id: string): ThinkonError {
  if (error.message.startsWith(`${id}: `)) return error
  const { code, message, retryable, data } = error
  return new ThinkonError(code, `${id}: ${redactError(message)}`, { retryable, data })
}
