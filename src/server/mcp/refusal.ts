import { ThinkonError } from '../../protocol/index.ts'
import { HttpError, statusOf } from '../http/problem.ts'

/** Of JSON-RPC. */
const PARSE_ERROR = -32_700
const INTERNAL_ERROR = -32_603
/** For what implementations define. */
const SERVER_ERROR = -32_000

/** A request that gets no further, in the form of the protocol. `onError` is told of what is nobody's fault but ours. */
export function refusal(thrown: unknown, onError: (thrown: unknown) => void = () => {}): Response {
  const error = ThinkonError.isInstance(thrown)
    ? thrown
    : new ThinkonError('INTERNAL', 'something went wrong in the service; its log says what')
  if (error !== thrown) onError(thrown)
  const status = statusOf(error)
  const code = status === 400 ? PARSE_ERROR : status < 500 ? SERVER_ERROR : INTERNAL_ERROR
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code, message: error.message } },
    { status, headers: error instanceof HttpError ? error.headers : {} },
  )
}
