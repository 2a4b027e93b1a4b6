/** Bodies of requests: only so large, and only as slow as is allowed. */
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { bytesText, isTooDeep, MAX_DEPTH } from '../../protocol/index.ts'
import { HttpError } from './problem.ts'

/** A body that is not taken must not keep the connection. */
const CLOSE = { connection: 'close' }

/** For one body. Beyond it, the request is refused with 413. */
export function bodyBudget(maxBytes: number): DecodingBudget {
  const error = () => new HttpError(413, `the body is larger than ${bytesText(maxBytes)}`, CLOSE)
  return new DecodingBudget('the body', { limit: maxBytes, error })
}

/** The chunks of a body. Throws 408 if they take too long. */
export async function* bodyChunks(
  request: Request,
  budget: DecodingBudget,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > budget.left) throw budget.exceeded()
  const reader = request.body?.getReader()
  if (reader === undefined) return
  const { promise: late, resolve: isLate } = Promise.withResolvers<null>()
  const timer = setTimeout(() => isLate(null), timeoutMs)
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late])
      if (next === null)
        throw new HttpError(408, `the body did not arrive within ${timeoutMs / 1000} s`, CLOSE)
      if (next.done) return
      budget.take(next.value.byteLength)
      yield next.value
    }
  } finally {
    clearTimeout(timer)
    // Nobody waits for a client that does not send.
    reader.cancel().catch(() => {})
  }
}

export async function readJson(
  request: Request,
  budget: DecodingBudget,
  timeoutMs: number,
): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bodyChunks(request, budget, timeoutMs)) chunks.push(chunk)
  const text = Buffer.concat(chunks)
  if (text.length === 0) return undefined
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new HttpError(
      415,
      `the body must be application/json, not ${type === '' ? 'of no type' : type.slice(0, 100)}`,
    )
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch (error) {
    throw new HttpError(400, `the body is not JSON: ${(error as Error).message}`)
  }
  if (isTooDeep(value)) throw new HttpError(400, `the body is nested deeper than ${MAX_DEPTH} levels`)
  return value
}
