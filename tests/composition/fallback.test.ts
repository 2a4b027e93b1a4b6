// Fallbacks: a block that ended partial is handed to another strategy, once.

import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Answer, Strategy } from '../../src/kernel/strategy.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { request } from '../conformance/kernel/lab.ts'
import { all, crashes, notes, runOf, type Solve, solvers, strategies } from './world.ts'

const HALF: Answer = { status: 'partial', result: 'half', reason: 'it got stuck' }
const half: Solve = async () => HALF

const root: Solve = async (context) => {
  const end = await context.one(context.call('a part', { strategy: 'weak' }))
  return `${end.status}: ${end.result}; done: ${context.block.done.join(' | ')}`
}

const fallbacks = { weak: { strategy: 'a', options: { careful: true } }, a: 'weak', b: 'a' }

function weakening(weak: Solve, others: Record<string, Solve> = {}): Strategy<never>[] {
  return strategies(root, { weak, ...others })
}

describe('a child that ended partial', () => {
  it('is handed to another strategy: both outcomes are in done, and the second counts', async () => {
    const { outcome, journal } = await runOf(weakening(half), { given: { fallbacks } })
    expect(outcome.result).toBe('completed: a was here; done: [partial: it got stuck] half | a was here')
    expect(solvers(journal)).toEqual(['1-1 weak', '1-1#2 a'])
    expect(notes(journal, 'strategy-changed')).toEqual([
      { path: '1-1', from: 'weak', to: 'a', reason: 'it got stuck' },
    ])
    expect(all(journal, 'block-start')[2]).toMatchObject({ path: '1-1#2', options: { careful: true } })
    expect(violations(journal)).toEqual([])
  })

  it('has its goal, limits and what is known above it again, and the options that the run has for who gets it', async () => {
    const own = strategies(
      async (context) => {
        const budget = { calls: 9 }
        return (await context.one(context.call('a part', { strategy: 'weak', options: { x: 1 }, budget })))
          .result
      },
      { weak: half, a: async (context) => context.timeline(500) },
    )
    const given = { fallbacks: { weak: 'a' }, strategyOptions: { a: { y: 1 } } }
    const { outcome, journal } = await runOf(own, { given })
    const [, first, second] = all(journal, 'block-start')
    expect(second).toMatchObject({ goal: first?.goal, limits: { calls: 9 }, options: { y: 1 } })
    expect(outcome.result).toContain('it got stuck')
  })

  it('is handed on once: who gets it may end partial too', async () => {
    const { outcome, journal } = await runOf(weakening(half, { a: half }), { given: { fallbacks } })
    expect(outcome.result).toMatch(/^partial: half; done: .* \| .*$/)
    expect(solvers(journal)).toEqual(['1-1 weak', '1-1#2 a'])
  })

  it('is handed on once, though a person has it done again in between', async () => {
    let asked = 0
    const own = weakening(half, {
      a: async (context) => {
        if (++asked === 1) await context.one(context.ask({ text: 'well?' }))
        return HALF
      },
    })
    const engine = createEngine({ model: new ScriptedModel(() => 'more'), strategies: own })
    const run = await engine.start('a goal', { strategy: 'own', fallbacks })
    const asks = async () => [...(await engine.events(run.id))].some(({ type }) => type === 'signal-asked')
    await until(asks, 'it asks')
    await engine.redo(run.id, '1-1#2', 'with more care')
    await run.outcome
    const journal = [...(await engine.events(run.id))]
    expect(solvers(journal)).toEqual(['1-1 weak', '1-1#2 a', '1-1#3 a'])
    expect(violations(journal)).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
  })

  it('is not handed to who had it, or where nothing is said for who had it', async () => {
    const own = weakening(half)
    for (const given of [{ fallbacks: { b: 'a' } }, {}]) {
      const { journal } = await runOf(own, { given })
      expect(solvers(journal)).toEqual(['1-1 weak'])
    }
  })

  it.each<[status: string, weak: Solve]>([
    ['completed', async () => 'all of it'],
    ['failed', async () => ({ status: 'failed', result: '', reason: 'no' })],
    [
      'failed with an error',
      async () => {
        throw new ThinkonError('INVALID_FORMAT', 'unreadable')
      },
    ],
  ])('is not one that ended %s: that is not handed on', async (_, weak) => {
    const { journal } = await runOf(weakening(weak), { given: { fallbacks } })
    expect(solvers(journal)).toEqual(['1-1 weak'])
    expect(notes(journal, 'strategy-changed')).toEqual([])
  })

  it('is handed on when a limit of its own was reached, but not when the run has nothing left', async () => {
    const greedy: Solve = async (context) => {
      for (;;) await context.one(context.model(request('more')))
    }
    const model = new ScriptedModel(() => 'more')
    const own = strategies(
      async (context) => {
        const budget = { calls: 3 }
        return (await context.one(context.call('a part', { strategy: 'weak', budget }))).status
      },
      { weak: greedy },
    )
    const roomy = await runOf(own, { model, given: { fallbacks } })
    expect([roomy.outcome.result, ...solvers(roomy.journal)]).toEqual(['completed', '1-1 weak', '1-1#2 a'])
    const tight = await runOf(own, { model, given: { fallbacks, budget: { calls: 2 } } })
    expect(tight.outcome.usage.calls).toBeLessThanOrEqual(2)
    expect(solvers(tight.journal)).toEqual(['1-1 weak'])
  })

  it('is handed on wherever it was waited for: beside others, and in a race', async () => {
    const own = strategies(
      async (context) => {
        const beside = await context.all([
          context.call('one', { strategy: 'weak' }),
          context.call('two', { strategy: 'b' }),
        ])
        const race = [context.call('three', { strategy: 'weak' })]
        const winner = await context.first(race)
        const [last] = await context.all(race)
        return [...beside, last].map((end) => (end?.ok ? end.value.result : '')).join() + winner
      },
      { weak: half },
    )
    const { outcome, journal, engine, id } = await runOf(own, { given: { fallbacks } })
    expect(outcome.result).toBe('a was here,b was here,a was here0')
    expect(violations(journal)).toEqual([])
    expect((await engine.replay(id)).differences).toEqual([])
  })
})

describe('a run with fallbacks', () => {
  const own = strategies(
    async (context) => {
      const one = await context.one(context.call('one', { strategy: 'weak' }))
      const two = await context.one(context.call('two', { strategy: 'weak' }))
      const { text } = await context.one(context.model(request('close')))
      return `${one.result}, ${two.result}, ${text}`
    },
    {
      weak: async (context) => {
        await context.one(context.model(request('try')))
        return HALF
      },
      a: async (context) => {
        const { text } = await context.one(context.model(request('try better')))
        return { status: context.block.goal === 'two' ? 'partial' : 'completed', result: text }
      },
    },
  )
  const world = { model: new ScriptedModel(({ kind }) => `${kind} done`), given: { fallbacks } }

  it('comes to the same after a crash at every event: who gets a block is not asked again', async () => {
    const whole = await runOf(own, world)
    expect(whole.outcome.result).toBe('try better done, try better done, close done')
    for await (const { n, outcome, journal, engine } of crashes(own, whole.journal.length, world)) {
      expect({ n, result: outcome.result }).toEqual({ n, result: whole.outcome.result })
      expect({ n, solvers: solvers(journal) }).toEqual({ n, solvers: solvers(whole.journal) })
      expect(notes(journal, 'strategy-changed')).toEqual(notes(whole.journal, 'strategy-changed'))
      expect(violations(journal)).toEqual([])
      expect((await engine.replay('run')).differences).toEqual([])
    }
  })

  it('replays without a difference, and so do its forks', async () => {
    const { engine, id, journal, fork } = await runOf(own, world)
    expect((await engine.replay(id)).differences).toEqual([])
    for (let at = 1; at < journal.length - 1; at++) {
      const forked = await fork(id, at)
      expect({ at, solvers: solvers(forked.journal) }).toEqual({ at, solvers: solvers(journal) })
      expect((await engine.replay(forked.fork)).differences).toEqual([])
    }
  })
})
