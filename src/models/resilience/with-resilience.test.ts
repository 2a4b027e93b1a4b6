import { describe, expect, it } from 'vitest'
import { ask, testIo } from '../../../tests/models/model-io.ts'
import { limitsOf } from '../../kernel/call-limiter.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Model, ModelIo } from '../../kernel/model.ts'
import {
  type ModelReply,
  type ResilienceSettings,
  type RetryNote,
  ThinkonError,
} from '../../protocol/index.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { Limiter } from './limiter.ts'
import type { AttemptIo } from './one-attempt.ts'
import { retryAfterMs, waitBeforeRetry } from './retry.ts'
import { RESILIENCE_DEFAULTS, withResilience } from './with-resilience.ts'

const REPLY: ModelReply = { text: 'fine', usage: { inputTokens: 1, outputTokens: 1 } }

function busy(retryAfterMs?: number): ThinkonError {
  return new ThinkonError('MODEL_ERROR', 'busy', {
    retryable: true,
    data: { status: 429, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  })
}

type Step = ModelReply | Error | ((io: ModelIo) => Promise<ModelReply>)

/** A model that does one thing after the other, with the most jitter there can be. */
function setUp(steps: Step[], settings: ResilienceSettings = {}, clock = manualClock()) {
  const limiter = new Limiter({ maxConcurrent: 8, ...limitsOf(settings) }, clock)
  const begun: number[] = []
  const startMs = clock.nowMs()
  const inner: Model = {
    id: 'inner',
    async call(_, io) {
      begun.push(clock.nowMs() - startMs)
      const step = steps.shift() ?? new Error('called too often')
      if (step instanceof Error) throw step
      return typeof step === 'function' ? step(io) : step
    },
  }
  const model = withResilience(inner, { ...settings, provider: 'test', clock, random: () => 1, limiter })
  return { model, clock, begun, limiter }
}

const forever = () => new Promise<never>(() => {})

describe('retries', () => {
  it('waits longer each time, up to the cap, and at most so many times', async () => {
    const { model, clock, begun } = setUp(
      Array.from({ length: 9 }, () => busy()),
      {
        maxAttempts: 7,
        baseMs: 1_000,
        capMs: 8_000,
      },
    )
    const call = model.call(ask('?'), testIo())
    call.catch(() => {})
    await clock.advance(100_000)
    expect(begun).toEqual([0, 1_000, 3_000, 7_000, 15_000, 23_000, 31_000])
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_OUTAGE',
      retryable: true,
      message: 'busy (given up after 7 attempts in 31 s: no attempt is left)',
      data: { status: 429, attempts: 7 },
    })
  })

  it('is one reply with one usage, whatever it took', async () => {
    const { model, clock } = setUp([busy(), busy(), REPLY])
    const call = model.call(ask('?'), testIo())
    await clock.advance(10_000)
    expect(await call).toEqual(REPLY)
  })

  it('heeds Retry-After, with jitter on top', async () => {
    const { model, clock, begun } = setUp([busy(20_000), REPLY])
    const call = model.call(ask('?'), testIo())
    await clock.advance(20_999)
    expect(begun).toEqual([0])
    await clock.advance(1)
    expect(begun).toEqual([0, 21_000])
    await call
  })

  it('gives up at once when the provider asks for more time than there is', async () => {
    const { model } = setUp([busy(3_600_000)])
    await expect(model.call(ask('?'), testIo())).rejects.toThrow(
      'busy (given up after 1 attempt in 0 s: waiting 3601 s more would take it past 600 s)',
    )
  })

  it('begins no attempt past the total time', async () => {
    const { model, clock, begun } = setUp(
      Array.from({ length: 9 }, () => busy()),
      { maxAttempts: 99, maxTotalMs: 10_000 },
    )
    const call = model.call(ask('?'), testIo())
    call.catch(() => {})
    await clock.advance(60_000)
    await expect(call).rejects.toThrow('would take it past 10 s')
    expect(begun).toEqual([0, 1_000, 3_000, 7_000])
  })

  it('tries again after errors of the network, also wrapped ones, but not after others', async () => {
    const reset = new TypeError('fetch failed', {
      cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }),
    })
    const { model, clock } = setUp([
      reset,
      Object.assign(new Error('bad gateway'), { statusCode: 502 }),
      REPLY,
    ])
    const call = model.call(ask('?'), testIo())
    await clock.advance(10_000)
    expect(await call).toEqual(REPLY)
    const bad = setUp([Object.assign(new Error('bad request'), { statusCode: 400 })])
    await expect(bad.model.call(ask('?'), testIo())).rejects.toThrow('bad request')
    expect(bad.begun).toHaveLength(1)
  })

  it('does not tell text twice that is told again, and begins a new line where it differs', async () => {
    const says =
      (pieces: string[], end: ModelReply | Error): Step =>
      async (io) => {
        for (const piece of pieces) io.onDelta(piece)
        if (end instanceof Error) throw end
        return end
      }
    const { model, clock } = setUp([
      says(['one ', 'two '], busy()),
      says(['one', ' two', ' three '], busy()),
      says(['one ', 'too'], REPLY),
    ])
    const io = testIo()
    const call = model.call(ask('?'), io)
    await clock.advance(10_000)
    await call
    expect(io.deltas.join('')).toBe('one two three \none too')
  })
})

describe('time-outs', () => {
  it('ends an attempt that says nothing, and tries again', async () => {
    const seen: ModelIo[] = []
    const silent: Step = (io) => {
      seen.push(io)
      return forever()
    }
    const { model, clock, begun } = setUp([silent, REPLY], { firstByteMs: 5_000 })
    const call = model.call(ask('?'), testIo())
    await clock.advance(10_000)
    expect(await call).toEqual(REPLY)
    expect(begun).toEqual([0, 6_000])
    expect(seen[0]?.signal.aborted).toBe(true)
  })

  it('ends a stream that stands still, but not one that lives', async () => {
    const lives: Step = async (io) => {
      for (let i = 0; i < 5; i++) {
        await new Promise<void>((resolve) => void clock.after(900, resolve))
        if (i % 2 === 0) io.onDelta('.')
        else (io as AttemptIo).alive()
      }
      return forever()
    }
    const { model, clock } = setUp([lives], { maxAttempts: 1, firstByteMs: 1_000, idleMs: 1_000 })
    const call = model.call(ask('?'), testIo())
    call.catch(() => {})
    await clock.advance(5_499)
    await clock.advance(1)
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_OUTAGE',
      message: 'inner: the reply stood still for 1 s (given up after 1 attempt in 5.5 s: no attempt is left)',
    })
    expect(clock.timers).toBe(0)
  })
})

describe('a reply that is alive', () => {
  const every = (clock: Clock, ms: number, tick: (io: AttemptIo) => void): Step => {
    return async (io) => {
      for (;;) {
        await new Promise<void>((resolve) => void clock.after(ms, resolve))
        tick(io as AttemptIo)
      }
    }
  }

  it.each<[string, (io: AttemptIo) => void]>([
    ['signs of life', (io) => io.alive()],
    ['empty pieces', (io) => io.onDelta('')],
    ['parts that do not count', (io) => io.onHidden?.('{"type":"text-start"}')],
  ])('is given up if it consists of %s only', async (_, tick) => {
    const clock = manualClock()
    const { model } = setUp([every(clock, 900, tick), REPLY], { progressMs: 10_000, idleMs: 1_000 }, clock)
    const notes: RetryNote[] = []
    const call = model.call(ask('?'), { ...testIo(), onRetry: (note) => notes.push(note) })
    // The limit begins with the first sign of life.
    await clock.advance(10_899)
    expect(notes).toEqual([])
    await clock.advance(2_000)
    expect(notes).toMatchObject([{ message: expect.stringContaining('did not grow for 10 s') }])
    expect(await call).toEqual(REPLY)
    expect(clock.timers).toBe(1) // of the model that was given up
  })

  it.each<[string, (io: AttemptIo) => void]>([
    ['shown', (io) => io.onDelta('.')],
    ['hidden', (io) => io.progress()],
  ])('may take longer than that while it grows, %s, up to the limit of an attempt', async (_, tick) => {
    const clock = manualClock()
    const settings = { progressMs: 1_000, idleMs: 1_000, attemptMs: 30_000, maxTotalMs: 20_000 }
    const { model } = setUp([every(clock, 900, tick)], settings, clock)
    const call = model.call(ask('?'), testIo())
    call.catch(() => {})
    await clock.advance(29_999)
    expect(clock.timers).toBeGreaterThan(1)
    await clock.advance(1)
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_OUTAGE',
      message: expect.stringContaining('was not complete after 30 s (attemptMs) (given up after 1 attempt'),
    })
  })
})

describe('aborting', () => {
  it.each([
    ['an attempt that does not listen', [forever], 0],
    ['the wait for a retry', [busy(), REPLY], 500],
  ] as [string, Step[], number][])('ends %s at once', async (_, steps, afterMs) => {
    const { model, clock, limiter } = setUp(steps)
    const controller = new AbortController()
    const call = model.call(ask('?'), testIo(controller.signal))
    call.catch(() => {})
    await clock.advance(afterMs)
    controller.abort(new Error('stop'))
    await expect(call).rejects.toThrow('stop')
    expect(clock.timers).toBe(0)
    expect(limiter.load).toEqual({ active: 0, waiting: 0 })
  })

  it('ends the wait for a place at once, and keeps the order of the others', async () => {
    const limiter = new Limiter({ maxConcurrent: 1 })
    const release = await limiter.acquire(new AbortController().signal)
    const order: string[] = []
    const wait = (name: string, signal: AbortSignal) =>
      limiter.acquire(signal).then((free) => {
        order.push(name)
        free()
      })
    const leaving = new AbortController()
    const staying = new AbortController().signal
    const [first, second, third] = [wait('a', staying), wait('b', leaving.signal), wait('c', staying)]
    leaving.abort(new Error('stop'))
    await expect(second).rejects.toThrow('stop')
    release()
    await Promise.all([first, third])
    expect(order).toEqual(['a', 'c'])
    expect(limiter.load).toEqual({ active: 0, waiting: 0 })
  })
})

it('lets others have the place while a retry waits', async () => {
  const { model, clock } = setUp([busy(), REPLY, REPLY], { maxConcurrent: 1 })
  const retried = model.call(ask('?'), testIo())
  const other = model.call(ask('?'), testIo())
  await clock.advance(0)
  expect(await other).toEqual(REPLY)
  await clock.advance(1_000)
  expect(await retried).toEqual(REPLY)
})

it('reads Retry-After as seconds, as a date, and in milliseconds', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(retryAfterMs({ 'retry-after': '7' }, now)).toBe(7_000)
  expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, now)).toBe(60_000)
  expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2025 00:01:00 GMT' }, now)).toBe(0)
  expect(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '7' }, now)).toBe(250)
  expect(retryAfterMs({ 'retry-after': 'soon' }, now)).toBeUndefined()
  expect(retryAfterMs({}, now)).toBeUndefined()
})

it('spreads waits over the whole range', () => {
  const { baseMs, capMs } = RESILIENCE_DEFAULTS
  expect(waitBeforeRetry(1, undefined, { baseMs, capMs }, () => 0)).toBe(0)
  expect(waitBeforeRetry(3, undefined, { baseMs, capMs }, () => 0.5)).toBe(2_000)
  expect(waitBeforeRetry(20, undefined, { baseMs, capMs }, () => 1)).toBe(30_000)
})
