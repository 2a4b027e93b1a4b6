/**
 * Delivers what is recorded for one receiver. Each receiver has its own: one that is down or slow costs the others nothing.
 *
 * 1. At most so many attempts at once, each with a time limit.
 * 2. What is not taken is tried again after pauses that grow, and is given up after the last. 410 means: never again, as long as this process
 *    lives.
 * 3. Neither secrets nor what may be a key in the address are in what people are told.
 */
import type { WebhookSettings } from '../../config/index.ts'
import { errorText } from '../../protocol/index.ts'
import { VERSION } from '../../version.ts'
import { originOf, type Posted, postOnce } from '../post-once.ts'
import type { Attempted, DeliveryRecord, PendingDelivery } from './delivery-record.ts'
import { signatureHeaders } from './sign.ts'

export interface DeliverOptions {
  /** Which of the record are its own. */
  readonly key: string
  readonly receiver: WebhookSettings
  readonly record: DeliveryRecord
  /** Before the second attempt, the third …; each a little more or less. */
  readonly pausesMs: readonly number[]
  readonly timeoutMs: number
  readonly concurrency: number
  onProblem(message: string): void
}

export interface Delivering {
  /** Something may be due. */
  wake(): void
  /** Begins nothing any more; what is under way may end within `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** A claim outlives its attempt by this much. */
const CLAIM_MS = 5_000
/** So often it is looked whether another process has left something. */
const LOOK_MS = 10_000
const LEAST_PAUSE_MS = 10
/** A receiver can't postpone it for longer. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000
const GONE = 410

export function deliverTo(options: DeliverOptions): Delivering {
  const { key, receiver, record, pausesMs, timeoutMs, concurrency, onProblem } = options
  const address = originOf(receiver.url)
  const attempts = new Set<Promise<void>>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let isAsked = false
  let isClosed = false
  let isGone = false
  let isDown = false

  function wake(): void {
    isAsked = true
    if (isClosed || looking !== null) return
    clearTimeout(timer)
    looking = lookWhileAsked().finally(() => {
      looking = null
    })
  }

  async function lookWhileAsked(): Promise<void> {
    let waitMs = LOOK_MS
    while (isAsked && !isClosed) {
      isAsked = false
      waitMs = await look().catch((thrown) => {
        onProblem(`webhooks: the record of deliveries can't be used: ${errorText(thrown)}`)
        return LOOK_MS
      })
    }
    if (!isClosed) timer = setTimeout(wake, Math.max(LEAST_PAUSE_MS, Math.min(LOOK_MS, waitMs))).unref()
  }

  /** Begins what is due. Returns in how many milliseconds the next one is. */
  async function look(): Promise<number> {
    if (isGone) await record.giveUp(key, gone(), Date.now())
    for (const delivery of await record.next(key, concurrency + 1)) {
      const waitMs = delivery.nextMs - Date.now()
      if (waitMs > 0) return waitMs
      // An attempt that ends looks again.
      if (attempts.size >= concurrency || isClosed) return LOOK_MS
      if (await record.claim(key, delivery, Date.now() + timeoutMs + CLAIM_MS)) begin(delivery)
    }
    return LOOK_MS
  }

  function begin(delivery: PendingDelivery): void {
    const attempt = attemptTo(delivery)
      .catch((thrown) => onProblem(`webhooks: a delivery can't be recorded: ${errorText(thrown)}`))
      .finally(() => {
        attempts.delete(attempt)
        wake()
      })
    attempts.add(attempt)
  }

  async function attemptTo(delivery: PendingDelivery): Promise<void> {
    const { id, body } = delivery
    const posted = await postOnce({
      url: receiver.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': `thinkon/${VERSION}`,
        ...signatureHeaders({ id, body, secrets: receiver.secrets }, Date.now()),
      },
      body,
      timeoutMs,
      signal: stopping.signal,
    })
    await record.settle(key, id, attemptedOf(delivery, posted), Date.now())
  }

  function attemptedOf({ attempts: before, type, run }: PendingDelivery, posted: Posted): Attempted {
    const { status, why, retryAfterMs = 0 } = posted
    if (why === null) {
      isDown = false
      return { state: 'delivered', status }
    }
    // Not its fault: the next process begins with it.
    if (status === undefined && stopping.signal.aborted)
      return { state: 'pending', nextMs: Date.now(), error: 'the service was stopped' }
    if (status === GONE) {
      if (!isGone) onProblem(`webhooks: ${gone()}`)
      isGone = true
      return { state: 'failed', status, error: why }
    }
    const pauseMs = pausesMs[before]
    if (pauseMs === undefined) {
      onProblem(
        `webhooks: ${address} was not told of ${type} of run ${run}: ${why}; given up after ${before + 1} attempts`,
      )
      return { state: 'failed', status, error: why }
    }
    if (!isDown) onProblem(`webhooks: ${address} does not take what it is told: ${why}; it is tried again`)
    isDown = true
    const waitMs = Math.max(withJitter(pauseMs), Math.min(MAX_RETRY_AFTER_MS, retryAfterMs))
    return { state: 'pending', nextMs: Math.ceil(Date.now() + waitMs), status, error: why }
  }

  function gone(): string {
    return `${address} answers 410: it is told nothing any more, until thinkon is started again`
  }

  return {
    wake,
    async close(graceMs) {
      isClosed = true
      clearTimeout(timer)
      await looking
      const late = setTimeout(() => stopping.abort(), graceMs)
      await Promise.all(attempts)
      clearTimeout(late)
    },
  }
}

/** So that what failed together does not come back together. */
function withJitter(ms: number): number {
  return ms * (0.8 + Math.random() * 0.4)
}
