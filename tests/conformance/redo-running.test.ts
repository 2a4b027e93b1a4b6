// Redo while the run is going on: the person's latest message counts, and one attempt at a block runs at a time.

import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Answer, Context } from '../../src/kernel/strategy.ts'
import { attemptOf, type Event, placeOf } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'
import { inTime, until } from './async.ts'
import { violations } from './invariants.ts'
import { strategyOf } from './kernel/lab.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function world(place: Place, solve: (context: Context<never>) => Promise<Answer>) {
  const store = place.open()
  cleanUps.push(() => place.remove())
  const open = () => {
    const engine = createEngine({
      model: new ScriptedModel(() => 'yes'),
      store,
      strategies: [strategyOf('own', solve)],
    })
    cleanUps.push(() => engine.close())
    return engine
  }
  const events = (id: string) => [...store.read(id)]
  /** The paths of blocks that ask a question now. */
  const asking = (id: string) => {
    const open = new Set<string>()
    for (const { type, path } of events(id)) {
      if (type === 'signal-asked') open.add(path)
      else if (type === 'signal-answered' || type === 'block-end') open.delete(path)
    }
    return [...open]
  }
  const asks = (id: string, path: string) => until(() => asking(id).includes(path), `${path} asks`)
  return { store, open, events, asks, asking }
}

/** The most attempts at one place that were under way at a time. */
function mostAtOnce(events: readonly Event[]): number {
  const open = new Map<string, number>()
  let most = 0
  for (const { type, path } of events) {
    if (type !== 'block-start' && type !== 'block-end') continue
    const now = (open.get(placeOf(path)) ?? 0) + (type === 'block-start' ? 1 : -1)
    open.set(placeOf(path), now)
    most = Math.max(most, now)
  }
  return most
}

const words = (context: Context<never>) => context.timeline(3_000)
const wait = (context: Context<never>) => context.one(context.ask({ text: `${context.path}?` }))

describe.each([
  ['in memory', memoryPlace],
  ['in SQLite', sqlitePlace],
])('a redo, %s', (_, place) => {
  it('sent twice in a row leaves one attempt at a time, and the latest message counts', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level === 0) return (await context.one(context.call('child'))).result
      if (!words(context).includes('in green')) await wait(context)
      return words(context)
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1-1')
    await engine.signal(run.id, '1-1', 'redo', 'in blue')
    await engine.signal(run.id, '1-1', 'redo', 'in green')
    const { result } = await inTime(run.outcome, 'the run ends')
    expect(result).toContain('in green')
    expect(mostAtOnce(events(run.id))).toBe(1)
    expect(violations(events(run.id))).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('of an attempt that runs ends it, whichever attempt the person named, and the latest message counts', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level === 0) return (await context.one(context.call('child'))).result
      if (attemptOf(context.path) <= 2) await wait(context)
      return words(context)
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1-1')
    await engine.redo(run.id, '1-1', 'in blue')
    await asks(run.id, '1-1#2')
    await engine.redo(run.id, '1-1', 'in green')
    const { result } = await inTime(run.outcome, 'the run ends')
    expect(result).toContain('in green')
    expect(events(run.id).flatMap((event) => (event.type === 'block-start' ? event.path : []))).toEqual([
      '1',
      '1-1',
      '1-1#2',
      '1-1#3',
    ])
    expect(mostAtOnce(events(run.id))).toBe(1)
    expect(violations(events(run.id))).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('runs one attempt at a time where the parent waits for the first of several', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level > 0) {
        if (context.path !== '1-1#3') await wait(context)
        return `${context.path} ${words(context)}`
      }
      const ops = [context.call('a'), context.call('b'), context.call('c')]
      const results: string[] = []
      while (ops.length > 0) {
        const [op] = ops.splice(await context.first(ops), 1)
        results.push((await context.one(op!)).result)
      }
      return results.join(' | ')
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1-1')
    await engine.redo(run.id, '1-1', 'in blue')
    await asks(run.id, '1-1#2')
    // The parent looks while the second attempt runs.
    await engine.redo(run.id, '1-1', 'in green')
    await answerAt(run, '1-2', 'yes')
    await answerAt(run, '1-3', 'yes')
    const { result } = await inTime(run.outcome, 'the run ends')
    expect(result).toMatch(/1-1#3 .*in green/s)
    expect(mostAtOnce(events(run.id))).toBe(1)
    expect(violations(events(run.id))).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('of a child that has ended, and that its parent has not seen yet, gives the parent the new attempt alone', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level > 0) {
        if (context.path !== '1-1#2') await wait(context)
        return `${context.path} ${words(context)}`
      }
      const [a, b] = [context.call('a'), context.call('b')]
      await context.one(b)
      return `${(await context.one(a)).result} | ${context.block.done.length}`
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1-1')
    await answerAt(run, '1-1', 'yes')
    await until(
      () => events(run.id).some(({ type, path }) => type === 'block-end' && path === '1-1'),
      'it ends',
    )
    await engine.redo(run.id, '1-1', 'in blue')
    await engine.redo(run.id, '1-1', 'in green')
    await answerAt(run, '1-2', 'yes')
    const { result } = await inTime(run.outcome, 'the run ends')
    expect(result).toMatch(/^1-1#2 .*in green.*\| 3$/s)
    expect(events(run.id).filter(({ type }) => type === 'block-start')).toHaveLength(4)
    expect(mostAtOnce(events(run.id))).toBe(1)
    expect(violations(events(run.id))).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('sent twice for a child that has ended is one more attempt, with the latest message', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level > 0) return `${context.path} ${words(context)}`
      await context.one(context.call('child'))
      await wait(context)
      return context.block.done.join(' | ')
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1')
    await engine.redo(run.id, '1-1', 'in blue')
    await engine.redo(run.id, '1-1', 'in green')
    await answerAt(run, '1', 'yes')
    const { result } = await inTime(run.outcome, 'the run ends')
    expect(result).toContain('in green')
    expect(result).not.toContain('in blue')
    expect(events(run.id).filter(({ type }) => type === 'block-start')).toHaveLength(3)
    expect(violations(events(run.id))).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('sent twice while nothing works on the run ends the block once', async () => {
    const { open, events, asks } = world(place(), async (context) => {
      if (context.level === 0) return (await context.one(context.call('child'))).result
      if (attemptOf(context.path) === 1) await wait(context)
      return words(context)
    })
    const engine = open()
    const run = await engine.start('a goal', { strategy: 'own' })
    await asks(run.id, '1-1')
    run.outcome.catch(() => {})
    await engine.close()
    const next = open()
    await next.redo(run.id, '1-1', 'in blue')
    await next.redo(run.id, '1-1', 'in green')
    await next.redo(run.id, '1-1', '')
    const { result } = await inTime((await next.resume(run.id)).outcome, 'the run ends')
    expect(result).toContain('in green')
    expect(events(run.id).filter(({ type }) => type === 'block-start')).toHaveLength(3)
    expect(violations(events(run.id))).toEqual([])
    expect((await next.replay(run.id)).differences).toEqual([])
  })
})
