import { expect, it } from 'vitest'
import { ask, testIo } from '../../../tests/models/model-io.ts'
import type { ReleaseSlot } from '../../kernel/call-limiter.ts'
import type { Model } from '../../kernel/model.ts'
import { type CallLimits, type ResilienceSettings, ThinkonError } from '../../protocol/index.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { Limiter } from './limiter.ts'
import { withResilience } from './with-resilience.ts'

function setUp(limits: CallLimits) {
  const clock = manualClock()
  const startMs = clock.nowMs()
  const limiter = new Limiter(limits, clock)
  /** When each call began, in the order of asking. */
  const begun: number[] = []
  const releases: ReleaseSlot[] = []
  const call = (tokens = 0, signal = new AbortController().signal) =>
    limiter.acquire(signal, tokens).then((release) => {
      begun.push(clock.nowMs() - startMs)
      releases.push(release)
    })
  return { clock, limiter, begun, releases, call }
}

it('begins no more requests than allowed within any minute', async () => {
  const { clock, begun, call } = setUp({ requestsPerMinute: 2 })
  void call()
  await clock.advance(20_000)
  for (let i = 0; i < 4; i++) void call()
  await clock.advance(200_000)
  expect(begun).toEqual([0, 20_000, 60_000, 80_000, 120_000])
  expect(clock.timers).toBe(0)
})

it('counts tokens by what was reserved, and by what was taken from then on', async () => {
  const { clock, begun, releases, call } = setUp({ tokensPerMinute: 1_000 })
  void call(800)
  void call(800)
  await clock.advance(1_000)
  expect(begun).toEqual([0])
  releases[0]?.(150)
  await clock.advance(0)
  expect(begun).toEqual([0, 1_000])
  // Nothing is known of a call that broke off: what was reserved for it counts.
  releases[1]?.()
  void call(800)
  await clock.advance(60_000)
  expect(begun).toEqual([0, 1_000, 61_000])
})

it('lets a request begin alone that is larger than the tokens of a minute', async () => {
  const { clock, begun, call } = setUp({ tokensPerMinute: 1_000 })
  void call(10)
  void call(5_000)
  void call(10)
  await clock.advance(200_000)
  expect(begun).toEqual([0, 60_000, 120_000])
})

it('gives nobody a slot before a pause has passed; a shorter pause does not end a longer one', async () => {
  const { clock, limiter, begun, call } = setUp({ maxConcurrent: 2 })
  limiter.pause(30_000)
  limiter.pause(1_000)
  void call()
  void call()
  void call()
  await clock.advance(29_999)
  expect(begun).toEqual([])
  await clock.advance(1)
  expect(begun).toEqual([30_000, 30_000])
  expect(limiter.load).toEqual({ active: 2, waiting: 1 })
})

it('leaves no timer and no turn behind when whoever waits for its pace leaves', async () => {
  const { clock, limiter, begun, call } = setUp({ requestsPerMinute: 1 })
  await call()
  const leaving = new AbortController()
  const left = call(0, leaving.signal)
  void call()
  leaving.abort(new Error('stop'))
  await expect(left).rejects.toThrow('stop')
  await clock.advance(60_000)
  expect(begun).toEqual([0, 60_000])
  expect(clock.timers).toBe(0)
  expect(limiter.load).toEqual({ active: 2, waiting: 0 })
})

it('goes on when the limits are raised', async () => {
  const { clock, limiter, begun, call } = setUp({ requestsPerMinute: 1, maxConcurrent: 1 })
  void call()
  void call()
  await clock.advance(10)
  limiter.set({ maxConcurrent: 2, requestsPerMinute: 2 })
  await clock.advance(0)
  expect(begun).toEqual([0, 10])
})

function asking(steps: (Error | number)[], settings: ResilienceSettings) {
  const clock = manualClock()
  const limiter = new Limiter(settings, clock)
  const startMs = clock.nowMs()
  const begun: number[] = []
  const inner: Model = {
    id: 'inner',
    maxOutputTokens: 500,
    async call() {
      begun.push(clock.nowMs() - startMs)
      const step = steps.shift() ?? 0
      if (typeof step !== 'number') throw step
      return { text: '', usage: { inputTokens: step, outputTokens: 0 } }
    },
  }
  const model = withResilience(inner, { ...settings, provider: 'test', clock, random: () => 0, limiter })
  return { model, clock, begun }
}

function refused(status: number, retryAfterMs?: number) {
  const data = retryAfterMs === undefined ? { status } : { status, retryAfterMs }
  return new ThinkonError('MODEL_ERROR', 'busy', { retryable: true, data })
}

it('makes everyone wait where a provider asks one of them to', async () => {
  const { model, clock, begun } = asking([refused(429, 20_000)], {})
  const calls = [model.call(ask('?'), testIo())]
  await clock.advance(5_000)
  calls.push(model.call(ask('?'), testIo()))
  await clock.advance(20_000)
  await Promise.all(calls)
  expect(begun).toEqual([0, 20_000, 20_000])
})

it('reserves what a request may take, and gives back what it has not', async () => {
  const { model, clock, begun } = asking([refused(500), 40, 40], { tokensPerMinute: 600 })
  const calls = [1, 2].map(() => model.call(ask('?'), testIo()))
  await clock.advance(0)
  await Promise.all(calls)
  // The refused one took nothing, the next 40 of more than 500: neither waits for the other's minute.
  expect(begun).toEqual([0, 0, 0])
})
