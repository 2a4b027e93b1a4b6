/** Sends OTLP in JSON over HTTP. The address is the operator's: it may be of this machine; redirects are not followed. */
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { OtlpTarget } from '../../config/index.ts'
import { originOf, type Post, postOnce } from '../post-once.ts'

const gzipped = promisify(gzip)

/** The receiver asks for another attempt with these. */
const AGAIN: readonly number[] = [429, 502, 503, 504]
const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
const HURRIED_PAUSE_MS = 100

export interface SendOptions {
  /** Ends it, whatever it is at. */
  readonly signal?: AbortSignal
  /** Aborted when the process wants to end: the pauses between attempts are short then. */
  readonly hurry?: AbortSignal
}

/** Resolves when the receiver has taken it. Throws otherwise, in words without keys. */
export async function sendOtlp(target: OtlpTarget, body: object, options: SendOptions = {}): Promise<void> {
  const text = JSON.stringify(body)
  const { gzip: isSmall, headers } = target
  const request = {
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(isSmall && { 'content-encoding': 'gzip' }),
    },
    body: isSmall ? new Uint8Array(await gzipped(text)) : text,
  }
  for (let attempt = 1; ; attempt++) {
    const failure = await tryOnce(target, request, options.signal)
    if (failure === null) return
    const isLast = attempt === MAX_ATTEMPTS || options.signal?.aborted
    if (isLast || !failure.again) throw new Error(`${originOf(target.url)}: ${failure.why}`)
    const waitMs = failure.waitMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
    await waiting(Math.min(MAX_PAUSE_MS, waitMs), options)
  }
}

interface Failure {
  readonly why: string
  readonly again: boolean
  readonly waitMs?: number
}

async function tryOnce(
  { url, timeoutMs }: OtlpTarget,
  { headers, body }: Pick<Post, 'headers' | 'body'>,
  signal?: AbortSignal,
): Promise<Failure | null> {
  const { status, why, retryAfterMs } = await postOnce({ url, headers, body, timeoutMs, signal })
  if (why === null) return null
  return {
    why,
    again: status === undefined || AGAIN.includes(status),
    ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }),
  }
}

async function waiting(ms: number, { signal, hurry }: SendOptions): Promise<void> {
  const signals = [signal, hurry?.aborted ? undefined : hurry].filter((one) => one !== undefined)
  const waitMs = hurry?.aborted ? Math.min(ms, HURRIED_PAUSE_MS) : ms
  // Unreferenced: a process that has nothing else to do need not wait for it.
  await pause(waitMs, undefined, { signal: AbortSignal.any(signals), ref: false }).catch(() => {})
}
