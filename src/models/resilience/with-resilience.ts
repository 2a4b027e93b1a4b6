/**
 * Makes a model that is called over a network resilient: another attempt if the provider is overloaded or the connection breaks, timeouts
 * (see oneAttempt), and no more calls than the provider can take.
 *
 * 1. The wrapped model makes one request per call and does not use `io.part`: a failed attempt leaves no trace, so a retry
 *    is never counted as a second finished call.
 * 2. `io.signal` ends everything at once: waiting for a slot, waiting to retry, an attempt that ignores it.
 * 3. An attempt's slot is released while its retry waits, so that others get their turn. Where the provider said how long to
 *    wait, they wait as well.
 */
import { type CallLimiter, limitsOf } from '../../kernel/call-limiter.ts'
import { activityOf, type Clock, systemClock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import { modelReserve } from '../../kernel/model-effect.ts'
import { pause } from '../../kernel/pause.ts'
import {
  defined,
  errorText,
  type ModelReply,
  type ModelRequest,
  type ResilienceSettings,
  type RetryNote,
  ThinkonError,
} from '../../protocol/index.ts'
import { decorateModel } from '../decorate-model.ts'
import { bothLimiters, limiterFor } from './limiter.ts'
import { oneAttempt, seconds } from './one-attempt.ts'
import { isRetryable, waitBeforeRetry } from './retry.ts'

export interface ResilienceOptions extends ResilienceSettings {
  /** Whose limits apply. */
  provider: string
  clock?: Clock
  random?: () => number
  /** The process's for this provider, unless given. */
  limiter?: CallLimiter
  /** The provider's beyond this process: a call needs a slot of both. */
  shared?: CallLimiter
}

/** There is no pace unless one is given. */
type Settings = ResilienceSettings &
  Required<Omit<ResilienceSettings, 'requestsPerMinute' | 'tokensPerMinute'>>

export const RESILIENCE_DEFAULTS: Readonly<Settings> = {
  maxAttempts: 5,
  maxTotalMs: 600_000,
  baseMs: 1_000,
  capMs: 30_000,
  firstByteMs: 180_000,
  idleMs: 180_000,
  progressMs: 600_000,
  attemptMs: 1_800_000,
  maxConcurrent: 8,
}

export function withResilience(model: Model, options: ResilienceOptions): Model {
  const settings: Settings = { ...RESILIENCE_DEFAULTS, ...defined(options) }
  const clock = options.clock ?? systemClock
  const activity = activityOf(clock)
  const random = options.random ?? Math.random
  const own =
    options.limiter ?? limiterFor(options.provider, limitsOf(options), limitsOf(RESILIENCE_DEFAULTS), clock)
  const limiter = options.shared === undefined ? own : bothLimiters(own, options.shared)
  const isCounted = settings.tokensPerMinute !== undefined

  async function call(request: ModelRequest, io: ModelIo): Promise<ModelReply> {
    const nextAttempt = dedupeDeltas((delta) => io.onDelta(delta))
    let firstMs: number | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        return await withinLimits(request, io.signal, () => {
          firstMs ??= activity.activeMs()
          return oneAttempt(model, request, io, nextAttempt(), settings, clock)
        })
      } catch (thrown) {
        io.signal.throwIfAborted()
        if (firstMs === undefined || !isRetryable(thrown)) throw thrown
        const waitMs = waitAfter(thrown, attempt, Math.round(activity.activeMs() - firstMs))
        io.onRetry?.(retryNote(thrown, model.id, attempt, settings.maxAttempts, waitMs))
        await pause(waitMs, io.signal, clock)
      }
    }
  }

  async function withinLimits(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: () => Promise<ModelReply>,
  ): Promise<ModelReply> {
    const tokens = isCounted ? modelReserve(request, model, 0).tokens : 0
    const release = await limiter.acquire(signal, tokens)
    try {
      const reply = await attempt()
      release(reply.usage.inputTokens + reply.usage.outputTokens)
      return reply
    } catch (thrown) {
      // What a provider refuses takes no tokens; what broke off may have taken all of them.
      if (dataOf(thrown).status !== undefined) release(0)
      throw thrown
    } finally {
      release()
    }
  }

  /** How long until the next attempt; throws when there is none. */
  function waitAfter(thrown: unknown, attempt: number, spentMs: number): number {
    const askedMs = askedFor(thrown)
    const waitMs = waitBeforeRetry(attempt, askedMs, settings, random)
    const why = whyGiveUp(attempt, spentMs, waitMs, settings)
    if (why !== undefined) throw gaveUp(thrown, model.id, attempt, spentMs, why)
    if (askedMs !== undefined) limiter.pause(askedMs)
    return waitMs
  }

  return decorateModel(model, { call })
}

function whyGiveUp(
  attempt: number,
  spentMs: number,
  waitMs: number,
  { maxAttempts, maxTotalMs }: Settings,
): string | undefined {
  if (attempt >= maxAttempts) return 'no attempt is left'
  if (spentMs + waitMs <= maxTotalMs) return undefined
  return `waiting ${seconds(waitMs)} more would take it past ${seconds(maxTotalMs)}`
}

/** The same request may succeed later: an outage, not the model's answer. */
function gaveUp(
  thrown: unknown,
  model: string,
  attempts: number,
  spentMs: number,
  why: string,
): ThinkonError {
  const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const text = `${errorText(thrown)} (given up after ${tried} in ${seconds(spentMs)}: ${why})`
  return new ThinkonError('MODEL_OUTAGE', text, {
    retryable: true,
    data: { ...dataOf(thrown), model, attempts },
    // No cause: what else a provider's error contains (headers, the request) stays here.
  })
}

function retryNote(thrown: unknown, model: string, attempt: number, of: number, waitMs: number): RetryNote {
  const { status } = dataOf(thrown)
  return {
    model,
    message: errorText(thrown),
    ...(typeof status === 'number' && { status }),
    attempt,
    of,
    waitMs: Math.round(waitMs),
  }
}

function askedFor(thrown: unknown): number | undefined {
  const asked = dataOf(thrown).retryAfterMs
  return typeof asked === 'number' ? asked : undefined
}

function dataOf(thrown: unknown): ThinkonError['data'] {
  return ThinkonError.isInstance(thrown) ? thrown.data : {}
}

/**
 * Passes on the text of several attempts at one stream. While a new attempt repeats what the listener already has, nothing
 * is passed on; once it differs, its text is passed on from the beginning, on a new line.
 */
function dedupeDeltas(onDelta: (text: string) => void): () => (text: string) => void {
  let passedOn = ''
  return () => {
    const before = passedOn
    let received = ''
    let repeating = before !== ''
    return (text) => {
      received += text
      if (!repeating) {
        passedOn += text
        onDelta(text)
      } else if (!before.startsWith(received)) {
        repeating = false
        const fresh = received.startsWith(before) ? received.slice(before.length) : `\n${received}`
        passedOn = received
        onDelta(fresh)
      }
    }
  }
}
