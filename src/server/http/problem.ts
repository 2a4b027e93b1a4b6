/** Errors as problem JSON (RFC 9457), with our codes. */
import { type ErrorCode, ThinkonError } from '../../protocol/index.ts'

export const PROBLEM_TYPE = 'application/problem+json'

export const PROBLEM = {
  title: 'Problem',
  type: 'object',
  description: 'What went wrong, as RFC 9457 has it.',
  properties: {
    type: { type: 'string', description: 'urn:thinkon:problem:<code>' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, where, and what to do.' },
    code: { type: 'string', description: 'What programs branch on: BAD_INPUT, UNKNOWN_RUN, …' },
    instance: { type: 'string', description: 'The path of the request.' },
    retryable: { type: 'boolean', description: 'The same request may succeed later.' },
    data: { type: 'object', description: 'What helps to recover.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
} as const

/** An error of the protocol itself: it has a status of its own. */
export class HttpError extends ThinkonError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(CODES[status] ?? 'BAD_INPUT', message)
    this.status = status
    this.headers = headers
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'DENIED',
  403: 'DENIED',
  408: 'TIMEOUT',
  429: 'LIMIT',
}

const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  BAD_INPUT: 400,
  INVALID_ANSWER: 400,
  NO_MODEL: 400,
  NO_SUCH_STRATEGY: 400,
  NO_SUCH_TOOL: 400,
  UNTRUSTED: 403,
  DENIED: 403,
  UNKNOWN_RUN: 404,
  TIMEOUT: 408,
  QUESTION_NOT_OPEN: 409,
  RUN_LOCKED: 409,
  OWNERSHIP_LOST: 409,
  VERSION_MISMATCH: 409,
  NON_DETERMINISM: 409,
  REPLAY_DIFFERS: 409,
  CANCELLED: 409,
  LIMIT: 429,
  INTERRUPTED: 503,
  MODEL_OUTAGE: 503,
  STORE_BUSY: 503,
  STORE_IO: 503,
  STORE_READ_ONLY: 503,
  STORE_FULL: 507,
  TOO_LARGE: 413,
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is wrong',
  401: 'A token is needed',
  403: 'This is not allowed',
  404: 'Not found',
  405: 'The method is not allowed',
  408: 'It took too long',
  409: 'The state of the run does not allow it',
  413: 'The data is too large',
  415: 'The type of the body is not supported',
  429: 'Too many',
  503: 'Not available now',
  507: 'The disk is full',
}

/** `onError` is told of what is nobody's fault but ours: the answer does not say what it is. */
export function problemResponse(thrown: unknown, path: string, onError: (thrown: unknown) => void): Response {
  const error = ThinkonError.isInstance(thrown)
    ? thrown
    : new ThinkonError('INTERNAL', 'something went wrong in the service; its log says what')
  const status = statusOf(error)
  if (status === 500) onError(thrown)
  const headers = error instanceof HttpError ? error.headers : {}
  const problem = {
    type: `urn:thinkon:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title: TITLES[status] ?? 'Something went wrong in the service',
    status,
    detail: error.message,
    code: error.code,
    instance: path,
    ...(error.retryable && { retryable: true }),
    ...(Object.keys(error.data).length > 0 && { data: error.toJSON().data }),
  }
  return Response.json(problem, {
    status,
    headers: {
      'content-type': PROBLEM_TYPE,
      ...(status === 429 || status === 503 ? { 'retry-after': '5' } : {}),
      ...headers,
    },
  })
}

export function statusOf(error: ThinkonError): number {
  if (error instanceof HttpError) return error.status
  if (error.code === 'BAD_INPUT' && error.data.conflict === true) return 409
  return STATUSES[error.code] ?? 500
}
