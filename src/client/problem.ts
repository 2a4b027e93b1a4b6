/**
 * What can go wrong between a client and its service, as errors of ours.
 *
 * - What the service refuses has its code, its message and its data, with the answer's status in `data.status`.
 * - What did not come through is INTERRUPTED and retryable: it may or may not have happened.
 * - What is no answer of a service is BAD_INPUT: the address is wrong.
 */
import { boundedBody } from '../protocol/bounded-body.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { type ErrorCode, errorText, isObject, parseJson, shorten, ThinkonError } from '../protocol/index.ts'

/** `where` names the request without what is secret: `POST http://127.0.0.1:8080/api/runs`. */
export function unreachable(where: string, cause: unknown): ThinkonError {
  const why = errorText(cause)
  // Node says "fetch failed", and why in the cause.
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${errorText(cause.cause)}` : ''
  const message = `${where} did not come through: ${why}${inner}`
  return new ThinkonError('INTERRUPTED', message, { retryable: true, cause, data: { request: where } })
}

const MAX_REFUSAL_BYTES = 1024 * 1024

/** The error of an answer that is not good. */
export async function refusal(where: string, response: Response): Promise<ThinkonError> {
  const { status } = response
  const bounded = boundedBody(response, new DecodingBudget('the refusal', { limit: MAX_REFUSAL_BYTES }))
  const text = await bounded.text().catch((thrown: unknown) => errorText(thrown))
  const problem = parseJson(text)
  const retryable = RETRYABLE.has(status)
  const data = { ...waitOf(response), status }
  if (isObject(problem) && typeof problem.code === 'string' && typeof problem.detail === 'string')
    return new ThinkonError(problem.code as ErrorCode, problem.detail, {
      retryable: retryable || problem.retryable === true,
      data: { ...(isObject(problem.data) && problem.data), ...data },
    })
  // Not from the service: from what stands before it, or from something else that listens there.
  const said = shorten(text.trim(), 200)
  const message = `${where} was answered with ${status} ${response.statusText}, and not by a Thinkon service`
  const code = retryable ? 'INTERRUPTED' : (CODES[status] ?? 'BAD_INPUT')
  return new ThinkonError(code, `${message}: is the url right?`, { retryable, data: { ...data, said } })
}

/** An answer that is good, and of another type than asked for. */
export function noService(where: string, { status, headers }: Response): ThinkonError {
  const type = headers.get('content-type') ?? 'no type'
  return new ThinkonError(
    'BAD_INPUT',
    `${where} was answered, but not by a Thinkon service (it sent ${type}): is the url right?`,
    { data: { status, type } },
  )
}

const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504])
const CODES: Readonly<Record<number, ErrorCode>> = { 401: 'DENIED', 403: 'DENIED', 500: 'INTERNAL' }

function waitOf(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}
}
