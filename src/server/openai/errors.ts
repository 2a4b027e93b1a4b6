/** Errors in OpenAI's form. What a client's own retries can't mend is marked as such: a run costs too much to be tried three times. */
import { type ErrorCode, type Outcome, ThinkonError } from '../../protocol/index.ts'
import { HttpError, statusOf } from '../http/problem.ts'

export interface OpenAiError {
  readonly message: string
  readonly type: string
  /** The field of the request that is wrong. */
  readonly param: string | null
  readonly code: string | null
}

/** A request that is wrong in a field of this name. */
export function badRequest(message: string, param?: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, param === undefined ? {} : { data: { param } })
}

/** What a run has come to that has no answer. */
export function endingError(run: string, { status, code, reason }: Outcome): ThinkonError {
  const otherwise = status === 'failed' ? 'STRATEGY_ERROR' : 'CANCELLED'
  const message = `run ${run} ${status === 'failed' ? 'failed' : 'was cancelled'}${reason === undefined ? '' : `: ${reason}`}`
  return new ThinkonError(code ?? otherwise, message, { data: { run } })
}

export function openAiError(thrown: unknown): OpenAiError {
  const error = ThinkonError.isInstance(thrown) ? thrown : unexpected()
  const { param } = error.data
  const status = statusFor(error)
  return {
    message: error.message,
    type: typeOf(status),
    param: typeof param === 'string' ? param : null,
    code: status === 401 ? 'invalid_api_key' : (OWN_CODES[error.code] ?? error.code.toLowerCase()),
  }
}

/** `onError` is told of what is nobody's fault but ours. */
export function errorResponse(thrown: unknown, onError: (thrown: unknown) => void = () => {}): Response {
  const error = ThinkonError.isInstance(thrown) ? thrown : unexpected()
  if (error !== thrown) onError(thrown)
  const status = statusFor(error)
  const mayRetry = status === 429 || error.code === 'INTERRUPTED' || error.code === 'STORE_BUSY'
  return Response.json(
    { error: openAiError(error) },
    {
      status,
      headers: {
        'x-should-retry': String(mayRetry),
        ...(mayRetry && { 'retry-after': '5' }),
        ...(error instanceof HttpError && error.headers),
      },
    },
  )
}

const OWN_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  NO_SUCH_STRATEGY: 'model_not_found',
  BAD_INPUT: 'invalid_request',
  UNKNOWN_RUN: 'not_found',
  TIMEOUT: 'tool_call_expired',
}

function statusFor(error: ThinkonError): number {
  if (error instanceof HttpError) return error.status
  if (error.code === 'NO_SUCH_STRATEGY') return 404
  // One that the service offers, and can't be loaded: the operator's to mend, not the client's.
  if (error.code === 'NO_MODEL') return 503
  if (error.code === 'TIMEOUT') return 400
  return statusOf(error)
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function unexpected(): ThinkonError {
  return new ThinkonError('INTERNAL', 'something went wrong in the service; its log says what')
}
