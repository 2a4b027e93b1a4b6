import { expect, it } from 'vitest'
import type { Model } from '../../kernel/model.ts'
import { DEFAULT_OUTPUT_TOKENS } from '../../kernel/model-effect.ts'
import { type RetryNote, ThinkonError } from '../../protocol/index.ts'
import { manualClock } from '../../testing/index.ts'
import { COOL_DOWN_MS, firstAvailable } from './first-available.ts'

const REQUEST = { kind: 'test', version: 1, role: 'plan' as const, messages: [] }

/** A model that is out while `out` says so. */
function modelOf(id: string, out: Set<string>, more: Partial<Model> = {}) {
  const calls: number[] = []
  const model: Model = {
    id,
    async call() {
      calls.push(calls.length)
      if (out.has(id))
        throw new ThinkonError('MODEL_OUTAGE', `${id}: 401`, { data: { status: 401, model: id } })
      return { text: `from ${id}`, usage: { inputTokens: 10, outputTokens: 1 } }
    },
    ...more,
  }
  return { model, calls }
}

function ioOf(notes: RetryNote[] = []) {
  const { signal } = new AbortController()
  const part = async <T>(run: () => Promise<{ value: T }>) => (await run()).value
  return { path: '1', n: 1, signal, onDelta() {}, onRetry: (note: RetryNote) => void notes.push(note), part }
}

it('answers with the first, and says which it was', async () => {
  const out = new Set<string>()
  const [a, b] = [modelOf('a', out), modelOf('b', out)]
  const model = firstAvailable([a.model, b.model])
  expect(model.id).toBe('a,b')
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ text: 'from a', model: 'a' })
  expect(b.calls).toHaveLength(0)
})

it('answers with the next while the first is out, and comes back to the first after a while', async () => {
  const out = new Set(['a'])
  const clock = manualClock()
  const [a, b] = [modelOf('a', out), modelOf('b', out)]
  const model = firstAvailable([a.model, b.model], clock)
  const notes: RetryNote[] = []
  for (let call = 1; call <= 3; call++)
    expect(await model.call(REQUEST, ioOf(notes))).toMatchObject({ text: 'from b', model: 'b' })
  expect(a.calls).toHaveLength(1)
  expect(notes).toEqual([{ model: 'a', message: 'a: 401', status: 401, attempt: 1, of: 2, waitMs: 0 }])
  await clock.advance(COOL_DOWN_MS)
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ model: 'b' })
  expect(a.calls).toHaveLength(2)
  out.clear()
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ model: 'b' })
  await clock.advance(COOL_DOWN_MS)
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ model: 'a' })
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ model: 'a' })
})

it('is out only if all of them are, with the words of each; one that was out is then asked before its time', async () => {
  const out = new Set(['a'])
  const [a, b] = [modelOf('a', out), modelOf('b', out)]
  const model = firstAvailable([a.model, b.model])
  await model.call(REQUEST, ioOf())
  out.add('b')
  await expect(model.call(REQUEST, ioOf())).rejects.toMatchObject({
    code: 'MODEL_OUTAGE',
    message: 'b: 401 · a: 401',
    data: { model: 'a,b', status: 401 },
  })
  out.delete('a')
  expect(await model.call(REQUEST, ioOf())).toMatchObject({ model: 'a' })
})

it('leaves every other failure to the call', async () => {
  const failing = modelOf('a', new Set(), {
    call: () => Promise.reject(new ThinkonError('MODEL_ERROR', '400')),
  })
  const b = modelOf('b', new Set())
  const model = firstAvailable([failing.model, b.model])
  await expect(model.call(REQUEST, ioOf())).rejects.toMatchObject({ code: 'MODEL_ERROR' })
  expect(b.calls).toHaveLength(0)
})

it('reserves by the dearest, is charged by the one that answers, and fits the smallest window', async () => {
  const out = new Set(['a'])
  const [a, b, c] = [
    modelOf('a', out, { cost: () => 5, window: 200_000 }),
    modelOf('b', out, { cost: () => 2, window: 32_000 }),
    modelOf('c', out),
  ]
  const model = firstAvailable([a.model, b.model, c.model])
  expect(model.cost?.({ inputTokens: 1, outputTokens: 1 })).toBe(5)
  expect(model.window).toBe(32_000)
  expect((await model.call(REQUEST, ioOf())).usage).toMatchObject({ costUsd: 2 })
  out.add('b')
  expect((await model.call(REQUEST, ioOf())).usage).toMatchObject({ costUsd: 0 })
  expect(firstAvailable([c.model, c.model]).window).toBeUndefined()
})

it('reserves the longest reply that any of them may give', () => {
  const [a, b, c] = [
    modelOf('a', new Set(), { maxOutputTokens: 500, thinkingTokens: 8_000 }).model,
    modelOf('b', new Set(), { maxOutputTokens: 300 }).model,
    modelOf('c', new Set()).model,
  ]
  expect(firstAvailable([a, b])).toMatchObject({ maxOutputTokens: 500, thinkingTokens: 8_000 })
  // One that says nothing gets the default.
  expect(firstAvailable([b, c])).toMatchObject({ maxOutputTokens: DEFAULT_OUTPUT_TOKENS })
  expect(Object.keys(firstAvailable([c, c]))).toEqual(['id', 'call', 'alternatives', 'refusal'])
})

it('tells each of them no more than its own cap', async () => {
  const told: (number | undefined)[] = []
  const answering = (id: string, maxOutputTokens: number) =>
    modelOf(id, new Set(), {
      maxOutputTokens,
      async call({ settings }) {
        told.push(settings?.maxOutputTokens)
        if (id === 'a') throw new ThinkonError('MODEL_OUTAGE', 'out')
        return { text: 'b', usage: { inputTokens: 1, outputTokens: 1 } }
      },
    }).model
  const call = (maxOutputTokens: number) =>
    firstAvailable([answering('a', 500), answering('b', 8_000)]).call(
      { ...REQUEST, settings: { maxOutputTokens } },
      ioOf(),
    )
  await call(8_000)
  await call(100)
  // Asked again with twice the room.
  await call(16_000)
  expect(told).toEqual([500, 8_000, 100, 100, 1_000, 16_000])
})
