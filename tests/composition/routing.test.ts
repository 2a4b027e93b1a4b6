// Routes: which strategy solves which block, where the caller leaves it open.

import { describe, expect, it } from 'vitest'
import type { CallOptions } from '../../src/kernel/strategy.ts'
import { type Route, routeFor } from '../../src/protocol/index.ts'
import { violations } from '../conformance/invariants.ts'
import { all, crashes, notes, runOf, type Solve, solvers, strategies } from './world.ts'

/** Calls one child with these options, and says what came of it. */
const calling =
  (options: CallOptions, goal = 'a part'): Solve =>
  async (context) =>
    (await context.one(context.call(goal, options))).result

const CALL = { kind: 'plan', level: 1, caller: 'own', goal: 'find it' } as const

describe('a route', () => {
  it.each<[what: string, when: Route['when'], fits: boolean]>([
    ['for all', {}, true],
    ['by the kind', { kind: 'plan' }, true],
    ['by another kind', { kind: 'leaf' }, false],
    ['by the level', { depth: 1 }, true],
    ['by another level', { depth: 2 }, false],
    ['from a level on', { depth: { from: 1 } }, true],
    ['from a deeper level on', { depth: { from: 2 } }, false],
    ['up to a level', { depth: { to: 1 } }, true],
    ['up to a higher level', { depth: { to: 0 } }, false],
    ['between levels', { depth: { from: 1, to: 3 } }, true],
    ['by the caller', { caller: 'own' }, true],
    ['by another caller', { caller: 'a' }, false],
    ['by a pattern', { goal: '^FIND\\b' }, true],
    ['by another pattern', { goal: 'write' }, false],
    ['by all of it', { kind: 'plan', depth: 1, caller: 'own', goal: 'it$' }, true],
    ['by all of it but one', { kind: 'plan', depth: 1, caller: 'own', goal: 'them$' }, false],
  ])('%s', (_, when, fits) => {
    expect(routeFor([{ when, use: 'a' }], CALL)).toEqual(fits ? { strategy: 'a', rule: 1 } : null)
  })

  it('that fits first wins, whatever comes after', () => {
    const routes: Route[] = [
      { when: { kind: 'leaf' }, use: 'a' },
      { when: { depth: 1 }, use: { strategy: 'b', options: { x: 1 } } },
      { when: {}, use: 'c' },
    ]
    expect(routeFor(routes, CALL)).toEqual({ strategy: 'b', options: { x: 1 }, rule: 2 })
  })

  it('reads goals in Chinese, and characters beyond 16 bits as one', () => {
    const chosen = (goal: string) => routeFor([{ when: { goal: '^查.$' }, use: 'a' }], { ...CALL, goal })
    expect([chosen('查因')?.strategy, chosen('查😀')?.strategy, chosen('查 因')]).toEqual(['a', 'a', null])
  })
})

describe('a child', () => {
  const routes: Route[] = [
    { when: { kind: 'search' }, use: { strategy: 'b', options: { wide: true } } },
    { when: { kind: 'plan', caller: 'own' }, use: 'a' },
  ]

  it('whose caller leaves it open is solved by whom its route names; the journal says by which rule', async () => {
    const { outcome, journal } = await runOf(strategies(calling({ kind: 'plan' })), { given: { routes } })
    expect(outcome.result).toBe('a was here')
    expect(notes(journal, 'strategy-routed')).toEqual([{ path: '1-1', strategy: 'a', kind: 'plan', rule: 2 }])
    expect(violations(journal)).toEqual([])
  })

  it('has strategy, options and limits of its own in its block-start', async () => {
    const budget = { calls: 7, tokens: 5_000 }
    const { journal } = await runOf(strategies(calling({ kind: 'search', budget })), { given: { routes } })
    expect(all(journal, 'block-start')[1]).toMatchObject({
      path: '1-1',
      strategy: 'b@1',
      options: { wide: true },
      limits: budget,
    })
  })

  it('whose caller has chosen is never rerouted', async () => {
    const options = { strategy: 'c', options: { own: 1 } }
    const { outcome, journal } = await runOf(strategies(calling(options)), {
      given: { routes: [{ when: {}, use: 'a' }] },
    })
    expect(outcome.result).toBe('c was here')
    expect(all(journal, 'block-start')[1]).toMatchObject({ strategy: 'c@1', options: { own: 1 } })
    expect(notes(journal, 'strategy-routed')).toEqual([])
  })

  it('of no kind is its parent’s strategy’s, options and all', async () => {
    const twice: Solve = async (context) =>
      context.level === 1 ? 'own again' : (await context.one(context.call('a part'))).result
    const { outcome, journal } = await runOf(strategies(twice), {
      given: { routes: [{ when: {}, use: 'a' }], options: { x: 1 } },
    })
    expect(outcome.result).toBe('own again')
    expect(all(journal, 'block-start')[1]).toMatchObject({ strategy: 'own@1', options: { x: 1 } })
  })

  it('that no route is for is solved by whom its caller says then', async () => {
    const { outcome } = await runOf(strategies(calling({ kind: 'leaf', strategy: 'c' })), {
      given: { routes },
    })
    expect(outcome.result).toBe('c was here')
  })

  it('has the options that the run has for its strategy, and before them those that are given with the name', async () => {
    const strategyOptions = { a: { x: 1 }, b: { wide: false, deep: true }, c: { y: 1, z: 1 } }
    const three: Solve = async (context) => {
      await context.one(context.call('one', { kind: 'plan' }))
      await context.one(context.call('two', { kind: 'search' }))
      await context.one(context.call('three', { strategy: 'c', options: { z: 2 } }))
      return ''
    }
    const { journal } = await runOf(strategies(three), { given: { routes, strategyOptions } })
    expect(all(journal, 'block-start').map(({ options }) => options)).toEqual([
      {},
      { x: 1 },
      { wide: true, deep: true },
      { y: 1, z: 2 },
    ])
  })
})

describe('what happened, as a block knows it', () => {
  it('says of a child that another strategy solved who that was', async () => {
    const root: Solve = async (context) => {
      if (context.level === 1) return 'as ever'
      await context.one(context.call('one', { strategy: 'a' }))
      await context.one(context.call('two', { strategy: 'broken' }))
      await context.one(context.call('three'))
      return `${context.timeline(1_000)}\n${context.block.done.join(' | ')}`
    }
    const broken: Solve = async () => ({ status: 'failed', result: '', reason: 'no' })
    const { outcome } = await runOf(strategies(root, { broken }))
    expect(outcome.result.split('\n')).toEqual([
      '[1-1] child: [a] a was here',
      '[1-2] error: [broken] [failed: no]',
      '[1-3] child: as ever',
      'a was here | [failed: no] | as ever',
    ])
  })
})

describe('a run with routes', () => {
  const routes: Route[] = [
    { when: { depth: 1, goal: 'even' }, use: 'a' },
    { when: { depth: 1 }, use: 'middle' },
    { when: { caller: 'middle' }, use: 'b' },
  ]
  const own = strategies(
    async (context) => {
      for (const goal of ['odd', 'even', 'odd too']) await context.one(context.call(goal, { kind: 'plan' }))
      return context.block.done.join('; ')
    },
    { middle: async (context) => (await context.one(context.call('below', { kind: 'leaf' }))).result },
  )
  const given = { routes }

  it('comes to the same after a crash at every event, and is not routed twice', async () => {
    const whole = await runOf(own, { given })
    expect(whole.outcome.result).toBe('b was here; a was here; b was here')
    expect(solvers(whole.journal)).toEqual(['1-1 middle', '1-1-1 b', '1-2 a', '1-3 middle', '1-3-1 b'])
    for await (const { n, outcome, journal, engine } of crashes(own, whole.journal.length, { given })) {
      expect({ n, result: outcome.result }).toEqual({ n, result: whole.outcome.result })
      expect({ n, solvers: solvers(journal) }).toEqual({ n, solvers: solvers(whole.journal) })
      expect(notes(journal, 'strategy-routed')).toEqual(notes(whole.journal, 'strategy-routed'))
      expect(violations(journal)).toEqual([])
      expect((await engine.replay('run')).differences).toEqual([])
    }
  })

  it('replays without a difference, and so do its forks', async () => {
    const { engine, id, journal, fork } = await runOf(own, { given })
    expect((await engine.replay(id)).differences).toEqual([])
    for (let at = 1; at < journal.length - 1; at++) {
      const forked = await fork(id, at)
      expect(solvers(forked.journal)).toEqual(solvers(journal))
      expect((await engine.replay(forked.fork)).differences).toEqual([])
    }
  })
})
