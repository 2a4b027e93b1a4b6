import { expect, it } from 'vitest'
import type { Event, ModelRetry } from '../protocol/index.ts'
import { createRetries, retryText } from './retries.ts'

function retryOf(more: Partial<ModelRetry> = {}): ModelRetry {
  const failed = { model: 'm', message: 'm: slow\ndown', status: 429, attempt: 2, of: 5, waitMs: 4_000 }
  return { type: 'model-retry', run: 'r', path: '1', n: 1, ...failed, ...more }
}

it('says what failed, which attempt it was, and when the next one comes', () => {
  const { status: _, ...unreachable } = retryOf({ waitMs: 1_240 })
  const { waitMs: __, ...out } = retryOf()
  expect(retryText(retryOf(), 'en')).toBe('429, attempt 2 of 5, again in 4 s')
  expect(retryText(retryOf({ waitMs: 31_200 }), 'en')).toBe('429, attempt 2 of 5, again in 31 s')
  expect(retryText(unreachable, 'en')).toBe('m: slow down, attempt 2 of 5, again in 1.2 s')
  expect(retryText(retryOf(), 'zh')).toBe('429，第 2/5 次，4 秒后重试')
  expect(retryText(out, 'en')).toBe('waits for the model: slow down')
})

it('shows the last of a block until its call or its block has ended, or the run is resumed', () => {
  const retries = createRetries('en')
  const event = (body: object) => ({ seq: 1, ts: '', run: 'r', path: '1', ...body }) as Event
  retries.add(retryOf())
  retries.add(retryOf({ n: 2, status: 503 }))
  retries.add(retryOf({ path: '1-1', status: 500 }))
  expect(retries.of('1')).toMatch(/^503/)
  retries.follow(event({ type: 'model-end', n: 2 }))
  expect(retries.of('1')).toMatch(/^429/)
  retries.follow(event({ type: 'block-end' }))
  expect(retries.of('1')).toBe('')
  expect(retries.of('1-1')).toMatch(/^500/)
  retries.follow(event({ type: 'run-resume' }))
  expect(retries.of('1-1')).toBe('')
})
