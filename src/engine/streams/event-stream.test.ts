import { describe, expect, it } from 'vitest'
import { turns } from '../../../tests/conformance/async.ts'
import { byHand } from '../../../tests/streaming/by-hand.ts'
import { all, orderProblems } from '../../../tests/streaming/order.ts'
import { createEngine } from '../../engine.ts'
import type { ModelIo } from '../../kernel/model.ts'
import type { Strategy } from '../../kernel/strategy.ts'
import type { Ephemeral, Event, ModelRequest } from '../../protocol/index.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'

const CHILDREN = 12

/** Calls many children at once; they write at different speeds: at once, after some turns, or also when they have ended. */
function manyAtOnce() {
  return new ScriptedModel(async (request: ModelRequest, io: ModelIo) => {
    const { goal, done } = request.input as { goal: string; done: readonly string[] }
    if (goal === 'many' && done.length === 0)
      return reply(
        { do: 'call', goals: Array.from({ length: CHILDREN }, (_, i) => `child ${i}`) },
        { deltas: ['{"do"', ':"call"'] },
      )
    const slow = Number(goal.split(' ')[1] ?? 0) % 3
    io.onDelta('{"do":')
    await turns(slow * 3)
    io.onDelta(`"return","result":"${goal}`)
    await turns(slow)
    io.onDelta(' is done"}')
    if (slow === 1) setImmediate(() => io.onDelta(' too late'))
    return { do: 'return', result: `${goal} is done` }
  })
}

const deltasOf = (told: readonly (Event | Ephemeral)[], path: string) =>
  told.flatMap((event) => (event.type === 'text-delta' && event.path === path ? event.text : [])).join('')

describe.each([':memory:', 'file'])('in a store %s', (kind) => {
  const storeOf = async () => {
    if (kind === ':memory:') return kind
    const { mkdtempSync } = await import('node:fs')
    return `${mkdtempSync('/tmp/thinkon-stream-')}/runs.db`
  }

  it('onEvent is told everything in order, text between the start and the end of its step', async () => {
    const engine = createEngine({ model: manyAtOnce(), store: await storeOf() })
    const told: (Event | Ephemeral)[] = []
    const run = await engine.start('many', { strategy: 'minimal', onEvent: (event) => void told.push(event) })
    expect((await run.outcome).status).toBe('completed')
    await turns(3)
    expect(orderProblems(told)).toEqual([])
    expect(deltasOf(told, '1-5')).toBe('{"do":"return","result":"child 4 is done"}')
    await engine.close()
  })

  it('readers of events with deltas get them in the same order, whenever they begin', async () => {
    const engine = createEngine({ model: manyAtOnce(), store: await storeOf() })
    const run = await engine.start('many', { strategy: 'minimal' })
    const readers: Promise<(Event | Ephemeral)[]>[] = []
    for (let i = 0; i < 8; i++) {
      readers.push(all(run.events.with({ deltas: true })))
      await turns(1)
    }
    await run.outcome
    const early = (await readers[0]) ?? []
    expect(deltasOf(early, '1-5')).toBe('{"do":"return","result":"child 4 is done"}')
    const events = await all(run.events)
    for (const reader of readers) {
      const got = await reader
      expect(orderProblems(got)).toEqual([])
      expect(got.filter((event) => 'seq' in event)).toEqual(events)
    }
    await engine.close()
  })
})

it('what a model without types writes that is no text is not heard', async () => {
  const model = new ScriptedModel((_request: ModelRequest, io: ModelIo) => {
    for (const piece of [undefined, 42, null, {}, '']) io.onDelta(piece as string)
    io.onDelta('{"do":"return"')
    return { do: 'return', result: 'x' }
  })
  const engine = createEngine({ model })
  const run = await engine.start('x', { strategy: 'minimal' })
  expect(deltasOf(await all(run.events.with({ deltas: true })), '1')).toBe('{"do":"return"')
  expect((await all(run.text)).join('')).toBe('x')
  await engine.close()
})

it('run.events has no deltas, unless they are asked for', async () => {
  const engine = createEngine({ model: manyAtOnce() })
  const run = await engine.start('many', { strategy: 'minimal' })
  const [plain, also] = await Promise.all([all(run.events), all(run.events.with({}))])
  expect(plain.some(({ type }) => (type as string) === 'text-delta')).toBe(false)
  expect(also).toEqual(plain)
  await engine.close()
})

describe('a reader of deltas', () => {
  it('that comes in the middle of a reply gets its text so far first', async () => {
    const { model, write } = byHand()
    const engine = createEngine({ model })
    const run = await engine.start('x', { strategy: 'minimal' })
    await write('{"do":"return",')
    await write('"result":')
    const late = all(run.events.with({ deltas: true }))
    await turns(2)
    await write('"done"}')
    await write(null)
    const got = await late
    expect(orderProblems(got)).toEqual([])
    expect(got.flatMap((event) => (event.type === 'text-delta' ? event.text : []))).toEqual([
      '{"do":"return","result":',
      '"done"}',
    ])
    await engine.close()
  })

  it('that is slow gets the text that came meanwhile as one', async () => {
    const { model, write } = byHand()
    const engine = createEngine({ model })
    const run = await engine.start('x', { strategy: 'minimal' })
    const reader = run.events.with({ deltas: true })[Symbol.asyncIterator]()
    await reader.next()
    for (const piece of '{"do":"return","result":"done"}') await write(piece)
    await write(null)
    await run.outcome
    const texts: string[] = []
    for (let item = await reader.next(); !item.done; item = await reader.next())
      if (item.value.type === 'text-delta') texts.push(item.value.text)
    expect(texts).toEqual(['{"do":"return","result":"done"}'])
    await engine.close()
  })

  it('that goes away while it waits is let go at once', async () => {
    const { model, write } = byHand()
    const engine = createEngine({ model })
    const run = await engine.start('x', { strategy: 'minimal' })
    await write('{"do":')
    const reader = run.events.with({ deltas: true })[Symbol.asyncIterator]()
    for (let i = 0; i < 4; i++) await reader.next()
    const waiting = reader.next()
    await reader.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    await write('"return","result":""}')
    await write(null)
    await run.outcome
    await engine.close()
  })

  it('is told nothing of a step that has ended, whatever its model still writes', async () => {
    const { model, write, io } = byHand()
    const engine = createEngine({ model })
    const told: (Event | Ephemeral)[] = []
    const run = await engine.start('x', { strategy: 'minimal', onEvent: (event) => void told.push(event) })
    await write('{"do":')
    await run.cancel('enough')
    io()?.onDelta('late')
    io()?.onRetry?.({ model: 'm', message: 'late', attempt: 1, of: 2 })
    await run.outcome
    await turns(3)
    expect(orderProblems(told)).toEqual([])
    expect(deltasOf(told, '1')).toBe('{"do":')
    await engine.close()
  })
})

it('a run that is resumed writes in order, too', async () => {
  const { mkdtempSync } = await import('node:fs')
  const store = `${mkdtempSync('/tmp/thinkon-stream-')}/runs.db`
  const first = byHand()
  const engine = createEngine({ model: first.model, store })
  const { id } = await engine.start('x', { strategy: 'minimal' })
  await first.write('{"do":"return","result":"lo')
  await engine.close()
  const second = byHand()
  const again = createEngine({ model: second.model, store })
  const told: (Event | Ephemeral)[] = []
  const run = await again.resume(id, { onEvent: (event) => void told.push(event) })
  const reading = all(run.events.with({ deltas: true }))
  await second.write('{"do":"return","result":"found"}')
  await second.write(null)
  expect((await run.outcome).result).toBe('found')
  const got = await reading
  expect(orderProblems(got)).toEqual([])
  expect(deltasOf(got, '1')).toBe('{"do":"return","result":"found"}')
  expect(deltasOf(told, '1')).toBe('{"do":"return","result":"found"}')
  await again.close()
})

it('a reader that falls far behind gets every event once, and the rest of the text that is being written', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const model = new ScriptedModel(async (_request: ModelRequest, io: ModelIo) => {
    io.onDelta('first, ')
    await promise
    io.onDelta('then')
    return 'first, then'
  })
  const noisy: Strategy = {
    name: 'noisy',
    version: 1,
    options: (given) => given,
    async solve(context) {
      const reply = context.model({ kind: 'noisy/say', version: 1, role: 'act', input: {}, messages: [] })
      for (let i = 0; i < 60; i++) {
        for (let j = 0; j < 50; j++) context.emit('noise', j)
        await context.ask({ text: 'go on?' }, { timeoutMs: 0 })
        await turns(1)
      }
      resolve()
      return (await context.one(reply)).text
    },
  }
  const engine = createEngine({ model, strategies: [noisy] })
  const run = await engine.start('many', { strategy: 'noisy' })
  const reader = run.events.with({ deltas: true })[Symbol.asyncIterator]()
  const got: (Event | Ephemeral)[] = []
  const take = async (upTo: number) => {
    while (got.length < upTo) {
      const { done, value } = await reader.next()
      if (done) return
      got.push(value)
    }
  }
  await take(3)
  await promise
  await take(1_200)
  await run.outcome
  await take(Number.POSITIVE_INFINITY)
  const events = await all(run.events)
  expect(got.filter((event) => 'seq' in event)).toEqual(events)
  expect(events.length).toBeGreaterThan(3_000)
  expect(orderProblems(got)).toEqual([])
  const text = deltasOf(got, '1')
  expect('first, then'.startsWith(text) && text.startsWith('first, ')).toBe(true)
  await engine.close()
})

it('begins where it is told to, also before that has happened', async () => {
  const engine = createEngine({ model: new ScriptedModel(() => ({ do: 'return', result: 'x' })) })
  const run = await engine.start('x', { strategy: 'minimal' })
  const early = all(run.events.with({ from: 3 }))
  await run.outcome
  const events = await all(run.events)
  expect(await early).toEqual(events.slice(2))
  expect(await all(run.events.with({ from: 3 }))).toEqual(events.slice(2))
  await engine.close()
})
