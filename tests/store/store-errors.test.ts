// An error of the store, whichever call it comes from, settles the outcome: no promise hangs, nothing is thrown at the process, and
// the run can be resumed when the store works again.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, solve } from '../../src/engine.ts'
import type { Model } from '../../src/kernel/model.ts'
import type { AnyStore, Store } from '../../src/kernel/store.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import { answerAt } from '../answers.ts'
import { inTime, turns } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { strategyOf } from '../conformance/kernel/lab.ts'
import { later } from '../conformance/later.ts'
import { memoryPlace, type Place, sqlitePlace } from '../conformance/places.ts'
import { type Failure, failingStore, METHODS } from './failing-store.ts'

const CALLS = [1, 2, 3, 5, 8]

describe('a store that fails', () => {
  const thrown: unknown[] = []
  const places: Place[] = []
  let others: { event: 'uncaughtException' | 'unhandledRejection'; listeners: never[] }[] = []

  beforeEach(() => {
    thrown.length = 0
    others = (['uncaughtException', 'unhandledRejection'] as const).map((event) => {
      const listeners = process.listeners(event as never) as never[]
      process.removeAllListeners(event)
      process.on(event, (error: unknown) => void thrown.push(error))
      return { event, listeners }
    })
  })

  afterEach(() => {
    for (const { event, listeners } of others) {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event, listener)
    }
    for (const place of places.splice(0)) place.remove()
  })

  for (const [where, open, answers] of [
    ['memory', memoryPlace, (store: Store) => store],
    ['SQLite', sqlitePlace, (store: Store) => store],
    ['SQLite, answering later', sqlitePlace, later],
  ] as const) {
    for (const method of METHODS) {
      it(`settles every outcome (${method}, ${where})`, async () => {
        for (const call of CALLS)
          for (const forGood of [true, false]) {
            const place = open()
            places.push(place)
            await live(place, { method, call, forGood }, answers)
          }
      })
    }
  }

  /** A run with all there is, first on the failing store, then on one that works. */
  async function live(place: Place, failure: Failure, answers: (store: Store) => AnyStore): Promise<void> {
    const what = JSON.stringify(failure)
    const store = failingStore(place.open(), failure)
    const done: string[] = []
    const engine = createEngine({ model: modelThatNotes(done), store: answers(store), strategies: [busy] })
    const settled = (promise: Promise<unknown>, part: string) =>
      inTime(Promise.allSettled([promise]), `${part} ${what}`)
    const aborted = new AbortController()
    const other = engine.start('is aborted', { id: 'other', strategy: 'busy', signal: aborted.signal })
    await settled(other, 'the start of the other run')
    aborted.abort()
    await settled(
      other.then((run) => run.outcome),
      'the aborted run',
    )
    const starting = engine.start('a goal', { id: 'run', strategy: 'busy', onEvent: () => {} })
    await settled(starting, 'the start')
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'fulfilled') {
      const run = started.value
      await settled(seen(run.events), 'its events')
      await settled(run.signal('1', 'message', 'a word'), 'a message')
      await settled(answerAt(run, '1', 'yes'), 'an answer')
      await settled(run.cancel('enough'), 'a cancel')
      await settled(run.outcome, 'the outcome')
    }
    await settled(
      engine.resume('run').then((run) => run.outcome),
      'a resume',
    )
    await settled(engine.fork('run', 2), 'a fork')
    await settled(engine.redo('run', '1', ''), 'a redo')
    await settled(engine.list(), 'a list')
    await settled(engine.state('run'), 'a state')
    await settled(
      engine.export('run').then((file) => engine.import(file, { as: 'imported' })),
      'an export and its import',
    )
    await settled(engine.delete('other'), 'a delete')
    await settled(engine.close(), 'the close')
    await turns(3)
    expect(thrown, what).toEqual([])
    store.mend()
    await goesOn(place, done)
    store.close()
  }

  /** What is in the store is whole, and what was done is not done again (K2). */
  async function goesOn(place: Place, done: string[]): Promise<void> {
    const store = place.open()
    const engine = createEngine({ model: modelThatNotes(done), store, strategies: [busy] })
    if (store.has('run')) {
      const finished = [...store.read('run')].filter((event) => event.type === 'model-end').length
      const before = done.length
      const run = await inTime(engine.resume('run'), 'the run is resumed')
      await run.cancel('at last')
      await inTime(run.outcome, 'the resumed run ends')
      expect(violations([...store.read('run')])).toEqual([])
      expect(done.length - before).toBeLessThanOrEqual(4 - Math.min(4, finished))
    }
    await engine.close()
    store.close()
  }

  it('completes a run though its outline can not be kept', async () => {
    const place = sqlitePlace()
    places.push(place)
    const store = failingStore(place.open(), { method: 'keepOutline', call: 1, forGood: true })
    const notes = strategyOf('notes', async (context: Context<never>) => {
      // More events than come between two outlines, in several commits.
      for (let i = 0; i < 5; i++) {
        for (let note = 0; note < 1_000; note++) context.emit('note' as never, {} as never)
        await context.one(context.model(ask('root')))
      }
      return 'done'
    })
    const engine = createEngine({ model: modelThatNotes([]), store, strategies: [notes] })
    const run = await engine.start('a goal', { strategy: 'notes' })
    expect((await inTime(run.outcome, 'the outcome')).result).toBe('done')
    expect(store.calls('keepOutline')).toBeGreaterThan(0)
    await engine.close()
    store.close()
    expect(thrown).toEqual([])
  })

  it('gives the outcome of solve though the store can not be closed', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    const place = memoryPlace()
    const tools = async () => ({ tools: [], close: async () => Promise.reject(new Error('tools stay open')) })
    const outcome = await solve('1 + 2', { store: place.open(), tools })
    await turns(1)
    process.off('warning', warned)
    expect(outcome.status).toBe('completed')
    expect(warnings.map(String).join()).toContain('tools stay open')
  })
})

async function seen(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of events) if (++count === 5) break
  return count
}

/** Children, model calls, a question: an operation of each kind. */
const busy = strategyOf('busy', async (context: Context<never>) => {
  if (context.level > 0) return String(await context.one(context.model(ask('child'))))
  await context.one(context.model(ask('root')))
  await context.all([context.call('one'), context.call('two')])
  context.emit('asked' as never, {} as never)
  const answer = context.ask({ text: 'well?', fallback: 'no' }, { timeoutMs: 5 })
  await context.one(answer)
  await context.one(context.model(ask('closing')))
  return 'done'
})

function ask(kind: string) {
  return { kind, version: 1, role: 'plan' as const, messages: [{ role: 'user' as const, content: kind }] }
}

function modelThatNotes(done: string[]): Model {
  return {
    id: 'notes',
    async call({ kind }, { path, n }) {
      done.push(`${path}/${n} ${kind}`)
      return { text: 'ok', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
}
