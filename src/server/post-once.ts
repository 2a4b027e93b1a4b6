/** One POST to an address that the operator has named: it may be of this machine; redirects are not followed. */
import { errorText } from '../protocol/index.ts'

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** `status` is absent if there was no answer. */
export interface Posted {
  readonly status?: number
  /** What went wrong, in words without keys; null if the receiver has taken it. */
  readonly why: string | null
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs?: number
}

/** Does not throw. */
export async function postOnce({ url, headers, body, timeoutMs, signal }: Post): Promise<Posted> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body,
      signal: AbortSignal.any(signal === undefined ? [timeout] : [timeout, signal]),
    })
    await response.body?.cancel()
    const { status, ok } = response
    const retryAfterMs = waitOf(response.headers.get('retry-after'))
    return { status, why: ok ? null : `it answers ${status}`, ...(retryAfterMs !== null && { retryAfterMs }) }
  } catch (thrown) {
    if (timeout.aborted) return { why: `no answer within ${timeoutMs} ms` }
    const { cause } = thrown as Error
    return { why: errorText(cause ?? thrown) }
  }
}

/** Seconds, or a date. */
function waitOf(given: string | null): number | null {
  if (given === null) return null
  const waitMs = /^\d+$/.test(given.trim()) ? Number(given) * 1_000 : Date.parse(given) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null
}

/** Without what may be a key: a path, a query. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'the receiver'
}
