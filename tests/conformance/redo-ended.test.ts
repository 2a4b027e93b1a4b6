// Redoing a block of a run that has ended costs that block and what depended on it; the new run's journal is as good as any.

import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import type { Answer, Context } from '../../src/kernel/strategy.ts'
import { type Event, foldEvents } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { never, until } from './async.ts'
import { violations } from './invariants.ts'
import { request, strategyOf } from './kernel/lab.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

type Solve = (context: Context<never>) => Promise<Answer>

/** An engine whose model says `<block> <what it knows that a person said>`, and counts what it was asked for. */
function world(solve: Solve, place: Place = sqlitePlace()) {
  const asked: string[] = []
  /** Kinds that are not answered. */
  const hold = new Set<string>()
  const model = new ScriptedModel(({ kind }) => {
    asked.push(kind)
    return hold.has(kind) ? never() : `said ${kind}`
  })
  const store = place.open()
  const engine = createEngine({ model, store, strategies: [strategyOf('own', solve)] })
  cleanUps.push(() => place.remove())
  cleanUps.push(() => engine.close())
  const events = (id: string) => [...store.read(id)]
  const run = async () => {
    const started = await engine.start('a goal', { strategy: 'own' })
    return { id: started.id, outcome: await started.outcome }
  }
  return { engine, asked, events, run, hold }
}

async function redone(engine: Engine, id: string, path: string, message = 'better') {
  const fork = await engine.redo(id, path, message)
  const outcome = await (await engine.resume(fork)).outcome
  return { fork, outcome }
}

async function expectValid(engine: Engine, events: readonly Event[]): Promise<void> {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1))
  expect(violations(events)).toEqual([])
  expect(foldEvents(events)).toEqual(foldEvents(events))
  expect((await engine.replay(events[0]!.run)).differences).toEqual([])
}

const said = (context: Context<never>) => (context.timeline(2_000).includes('better') ? ' better' : '')
const ask = (context: Context<never>, kind: string) => context.one(context.model(request(kind)))

const paths = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'block-start' ? event.path : []))

describe.each([
  ['in memory', memoryPlace],
  ['in SQLite', sqlitePlace],
])('a redo in a run that has ended, %s', (_, place) => {
  it('does not count what was charged for a step that a kill has lost and that is not kept', async () => {
    const solve: Solve = async (context) => {
      if (context.level > 0) return (await ask(context, 'own/child')).text
      await context.all([context.call('part')])
      return (await ask(context, 'own/after')).text
    }
    const here = place()
    const killed = world(solve, here)
    killed.hold.add('own/after')
    const { id } = await killed.engine.start('a goal', { strategy: 'own' })
    await until(() => killed.asked.includes('own/after'), 'the step is under way')
    await killed.engine.close()
    const { engine, events } = world(solve, here)
    const whole = await (await engine.resume(id)).outcome
    expect(whole.usage.lostTokens).toBeGreaterThan(0)
    const { fork, outcome } = await redone(engine, id, '1-1')
    expect(outcome.usage.lostTokens).toBeUndefined()
    const state = foldEvents(events(fork))
    expect(state.usage).toEqual(outcome.usage)
    expect(Object.keys(state.roles)).toEqual(['plan'])
    await expectValid(engine, events(fork))
  })

  it('of one of 20 parallel branches costs that branch and what depended on it', async () => {
    const { engine, asked, events, run } = world(async (context) => {
      if (context.level > 0) {
        await ask(context, `own/${context.path}`)
        return `${context.path}${said(context)}`
      }
      await ask(context, 'own/before')
      const ends = await context.all(Array.from({ length: 20 }, (_, i) => context.call(`part ${i}`)))
      await ask(context, 'own/after')
      return ends.map((end) => end.ok && end.value.result).join(', ')
    }, place())
    const { id } = await run()
    const before = events(id)
    expect(asked.splice(0)).toHaveLength(22)
    const { fork, outcome } = await redone(engine, id, '1-7')
    expect(asked).toEqual(['own/1-7#2', 'own/after'])
    expect(outcome.status).toBe('completed')
    expect(outcome.result).toBe(
      Array.from({ length: 20 }, (_, i) => (i === 6 ? '1-7#2 better' : `1-${i + 1}`)).join(', '),
    )
    await expectValid(engine, events(fork))
    expect(events(id)).toEqual(before)
    expect(events(fork).find(({ type }) => type === 'run-fork')).toMatchObject({
      from: id,
      redo: { path: '1-7', message: 'better' },
    })
  })

  it('of another branch keeps the latest message for a branch that was redone twice', async () => {
    const { engine, events, run } = world(async (context) => {
      if (context.level > 0) return /shorter|nicer/.exec(context.timeline(2_000))?.[0] ?? 'plain'
      const ends = await context.all([context.call('a'), context.call('b')])
      return ends.map((end) => (end.ok ? end.value.result : '')).join(' ')
    }, place())
    const { id } = await run()
    const once = await redone(engine, id, '1-1', 'nicer')
    const twice = await redone(engine, once.fork, '1-1#2', 'shorter')
    const { fork } = await redone(engine, twice.fork, '1-2', 'other')
    const end = events(fork).find((event) => event.type === 'block-end' && event.path === '1-1')
    expect(end).toMatchObject({ redo: { message: 'shorter' } })
    await expectValid(engine, events(fork))
  })

  it('keeps siblings that ended after it where the parent waits for the first, and can be redone again', async () => {
    const { engine, asked, events, run } = world(async (context) => {
      if (context.level > 0) {
        await ask(context, `own/${context.path}`)
        return `${context.path}${said(context)}`
      }
      const open = Array.from({ length: 6 }, (_, i) => context.call(`part ${i}`))
      const results: string[] = []
      while (open.length > 0) {
        const [op] = open.splice(await context.first(open), 1)
        const outcome = await context.one(op!)
        results.push(outcome.result)
        await ask(context, `own/judge-${outcome.result}`)
      }
      return results.sort().join(', ')
    }, place())
    const { id } = await run()
    asked.splice(0)
    const { fork, outcome } = await redone(engine, id, '1-1')
    expect(outcome.result).toBe('1-1#2 better, 1-2, 1-3, 1-4, 1-5, 1-6')
    expect(asked.filter((kind) => !kind.includes('judge'))).toEqual(['own/1-1#2'])
    await expectValid(engine, events(fork))
    asked.splice(0)
    const again = await redone(engine, fork, '1-6', 'even better')
    expect(again.outcome.result).toContain('1-6#2 better')
    expect(asked.filter((kind) => !kind.includes('judge'))).toEqual(['own/1-6#2'])
    await expectValid(engine, events(again.fork))
  })

  it('of a block deep down keeps what ran beside its ancestors', async () => {
    const { engine, asked, events, run } = world(async (context) => {
      await ask(context, `own/${context.path}`)
      if (context.level === 3) return `${context.path}${said(context)}`
      const ends = await context.all([context.call('a'), context.call('b')])
      await ask(context, `own/close-${context.path}`)
      return ends.map((end) => end.ok && end.value.result).join(' ')
    }, place())
    const { id } = await run()
    asked.splice(0)
    const { fork, outcome } = await redone(engine, id, '1-2-1-2')
    expect(asked).toEqual(['own/1-2-1-2#2', 'own/close-1-2-1', 'own/close-1-2', 'own/close-1'])
    expect(outcome.result).toContain('1-2-1-2#2 better')
    expect(paths(events(fork))).toHaveLength(16)
    await expectValid(engine, events(fork))
  })

  it('lets siblings continue that its parent stopped because of it', async () => {
    const { engine, asked, events, run, hold } = world(async (context) => {
      if (context.level > 0) {
        await ask(context, `own/${context.path}`)
        if (context.path === '1-2') await ask(context, 'own/slow')
        return `${context.path}${said(context)}`
      }
      const ops = [context.call('fast'), context.call('slow')]
      const outcome = await context.one(ops[await context.first(ops)]!)
      if (outcome.result === '1-1') return 'the first is good enough'
      const ends = await context.all(ops)
      return ends.map((end) => end.ok && end.value.result).join(', ')
    }, place())
    hold.add('own/slow')
    const { id, outcome } = await run()
    expect(outcome.result).toBe('the first is good enough')
    hold.clear()
    asked.splice(0)
    const again = await redone(engine, id, '1-1')
    expect(asked.sort()).toEqual(['own/1-1#2', 'own/slow'])
    expect(again.outcome.result).toBe('1-1#2 better, 1-2')
    await expectValid(engine, events(again.fork))
  })

  it('of the root begins anew and knows the message from its first request on', async () => {
    const { engine, asked, events, run } = world(async (context) => {
      const knows = said(context)
      await ask(context, 'own/think')
      return `root${knows}`
    }, place())
    const { id } = await run()
    asked.splice(0)
    const first = await redone(engine, id, '1')
    expect(first.outcome.result).toBe('root better')
    expect(asked).toEqual(['own/think'])
    await expectValid(engine, events(first.fork))
    const second = await redone(engine, first.fork, '1', 'other words')
    expect(second.outcome.result).toBe('root')
    await expectValid(engine, events(second.fork))
  })

  it('of a child that its parent had stopped begins anew, too', async () => {
    const { engine, events, run } = world(async (context) => {
      if (context.path === '1-2') await context.one(context.ask({ text: 'never answered' }))
      if (context.level > 0) return `${context.path}${said(context)}`
      const ops = [context.call('a'), context.call('b')]
      return String(await context.first(ops))
    }, place())
    const { id } = await run()
    const fork = await engine.redo(id, '1-2', 'better')
    const again = await engine.resume(fork)
    await until(() => events(fork).at(-1)?.type === 'run-end', 'it ends')
    expect((await again.outcome).status).toBe('completed')
    await expectValid(engine, events(fork))
  })
})
