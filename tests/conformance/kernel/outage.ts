// An outage is a pause: a model that can't be reached leaves its step open, everything else goes on, and the run then waits. It is
// never a result that a strategy sees; resumed, the run comes to what it would have come to.

import { expect, it } from 'vitest'
import type { Model } from '../../../src/kernel/model.ts'
import { ThinkonError } from '../../../src/protocol/index.ts'
import { manualClock, ScriptedModel } from '../../../src/testing/index.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { countedTools, TREE } from '../tasks.ts'
import { all, pick } from './journal.ts'
import { codeOf, ended, replayOf, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const outageIsPause: KernelPromise = {
  title: 'an outage is a pause',

  ofKernel({ newPlace, open }) {
    it('keeps the step open, says who is out where, and asks again when the run is resumed', async () => {
      const answers: unknown[] = [outage('401 no such key'), 'there']
      const own = strategyOf(
        'own',
        async (context) => (await context.one(context.model(request('ask')))).text,
      )
      const world = open({ model: new ScriptedModel(answers), strategies: [own] })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      const error = await rejection(run)
      expect(error).toMatchObject({
        code: 'MODEL_OUTAGE',
        data: { run: run.id, path: '1', model: 'scripted', message: '401 no such key' },
      })
      expect(error.message).toContain(`thinkon resume ${run.id}`)
      const journal = world.events(run.id)
      expect(all(journal, 'model-end')).toEqual([])
      expect(journal.at(-1)).toMatchObject({
        type: 'run-wait',
        steps: [{ path: '1', model: 'scripted', message: '401 no such key' }],
      })
      expect(violations(journal, { ended: false })).toEqual([])
      expect(await world.engine.state(run.id)).toMatchObject({ status: 'waiting', outcome: null })
      expect(await world.engine.list()).toMatchObject([{ status: 'waiting', owned: false }])
      const resumed = await world.engine.resume(run.id)
      expect(await ended(resumed)).toMatchObject({
        status: 'completed',
        result: 'there',
        usage: { calls: 1 },
      })
      expect(await world.engine.state(run.id)).toMatchObject({ status: 'completed', outages: [] })
      expect(await world.engine.list()).toMatchObject([{ status: 'completed' }])
      expect(violations(world.events(run.id))).toEqual([])
      expect(await replayOf(world.engine, run.id)).toEqual([])
    })

    it('lets the other branches go on to their ends first, and gives none of it to the parent', async () => {
      const seen: string[] = []
      const own = strategyOf('own', async (context) => {
        if (context.path !== '1') {
          if (context.path === '1-2') {
            await context.one(context.tool('look', 1))
            await context.one(context.model(request('slow')))
            await context.one(context.call('below'))
          }
          return (await context.one(context.model(request(context.path)))).text
        }
        const outcomes = await context.all([context.call('a'), context.call('b'), context.call('c')])
        for (const one of outcomes) seen.push(one.ok ? one.value.result : codeOf(one))
        return seen.join()
      })
      const out = new Set(['1-1', '1-3'])
      const model = new ScriptedModel(async ({ kind }) => {
        if (out.has(kind)) throw outage(`${kind} is out`)
        if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, 20))
        return `said ${kind}`
      })
      const { tools } = countedTools()
      const world = open({ model, tools, strategies: [own] })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      const error = await rejection(run)
      expect(error.data.steps).toMatchObject([{ path: '1-1' }, { path: '1-3' }])
      const before = world.events(run.id)
      expect(all(before, 'block-end').map(({ path }) => path)).toEqual(['1-2-1', '1-2'])
      expect(seen).toEqual([])
      const state = await world.engine.state(run.id)
      expect([...state.blocks.values()].map(({ path, status }) => `${path} ${status}`)).toEqual([
        '1 running',
        '1-1 waiting',
        '1-2 completed',
        '1-3 waiting',
        '1-2-1 completed',
      ])
      out.clear()
      const outcome = await ended(await world.engine.resume(run.id))
      expect(outcome.result).toBe('said 1-1,said 1-2,said 1-3')
      expect(violations(world.events(run.id))).toEqual([])
      expect(model.calls.map(({ kind }) => kind).filter((kind) => kind === 'slow')).toHaveLength(1)
    })

    it('takes the branch that ends first where one is enough, and never waits for the other', async () => {
      const own = strategyOf('own', async (context) => {
        const works = [context.model(request('out')), context.model(request('there'))]
        const winner = await context.first(works)
        await context.cancel(works[1 - winner] as (typeof works)[0], 'not needed')
        return String(winner)
      })
      const model = new ScriptedModel(async ({ kind }) => {
        if (kind === 'out') throw outage('503')
        await new Promise((resolve) => setTimeout(resolve, 10))
        return kind
      })
      const world = open({ model, strategies: [own] })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      expect(await ended(run)).toMatchObject({ status: 'completed', result: '1' })
      expect(violations(world.events(run.id))).toEqual([])
    })

    it('goes on waiting while it lasts, across processes and crashes, without counting that time or holding more', async () => {
      const place = newPlace()
      const clock = manualClock()
      const own = strategyOf('own', async (context) => {
        await context.one(context.model(request('first')))
        return (await context.one(context.model(request('second')))).text
      })
      let isOut = true
      const make = () =>
        new ScriptedModel(({ kind }) => (kind === 'second' && isOut ? outage('429 quota') : `${kind} reply`))
      const budget = { calls: 3, timeMs: 60_000 }
      let id = ''
      for (let process = 1; process <= 4; process++) {
        const world = open({ model: make(), strategies: [own], clock }, place)
        const run = await (id === ''
          ? world.engine.start('a goal', { strategy: 'own', budget })
          : world.engine.resume(id))
        id = run.id
        expect((await rejection(run)).code).toBe('MODEL_OUTAGE')
        expect(await world.engine.state(id)).toMatchObject({ activeMs: 0, usage: { calls: 1 } })
        await (process % 2 === 0 ? world.crash() : world.close())
        await clock.advance(3_600_000)
      }
      isOut = false
      const last = open({ model: make(), strategies: [own], clock }, place)
      const outcome = await ended(await last.engine.resume(id))
      expect(outcome).toMatchObject({ status: 'completed', result: 'second reply', usage: { calls: 2 } })
      expect(violations(last.events(id))).toEqual([])
    })

    it('can be cancelled, and its steps skipped, while it waits', async () => {
      const own = strategyOf('own', async (context) => {
        if (context.path !== '1') return (await context.one(context.model(request('out')))).text
        return (await context.one(context.call('below'))).status
      })
      const world = open({ model: new ScriptedModel(() => outage('403')), strategies: [own] })
      const skipped = await world.engine.start('a goal', { strategy: 'own' })
      await rejection(skipped)
      await world.engine.signal(skipped.id, '1-1', 'skip', 'without it')
      expect(await ended(await world.engine.resume(skipped.id))).toMatchObject({ result: 'skipped' })
      const cancelled = await world.engine.start('a goal', { strategy: 'own' })
      await rejection(cancelled)
      await world.engine.signal(cancelled.id, '1', 'cancel', 'enough')
      expect(await ended(await world.engine.resume(cancelled.id))).toMatchObject({ status: 'cancelled' })
      for (const { id } of [skipped, cancelled]) expect(violations(world.events(id))).toEqual([])
    })

    it('stops while a person is asked; the answer and the model are both waited for', async () => {
      const own = strategyOf('own', async (context) => {
        const question = { text: 'go on?', choices: ['yes'] }
        const [said, answer] = await context.all([context.model(request('ask')), context.ask(question)])
        return `${codeOf(said)} ${answer?.ok ? answer.value : ''}`
      })
      let isOut = true
      const world = open({
        model: new ScriptedModel(() => (isOut ? outage('503') : 'ok')),
        strategies: [own],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await rejection(run)
      await world.engine.answer(run.id, 'yes')
      isOut = false
      expect(await ended(await world.engine.resume(run.id))).toMatchObject({ result: 'ok yes' })
    })

    it('fails the step instead where that is wanted, like any error of the model', async () => {
      const own = strategyOf('own', async (context) =>
        codeOf((await context.all([context.model(request('x'))]))[0]),
      )
      const model = new ScriptedModel(() => outage('401'))
      const world = open({ model, strategies: [own], onOutage: 'fail' })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      expect(await ended(run)).toMatchObject({ status: 'completed', result: 'MODEL_ERROR' })
    })

    it('does not stop a run while something else is under way', async () => {
      const own = strategyOf('own', async (context) => {
        await context.all([context.model(request('out')), context.tool('wait', {})])
        return ''
      })
      const calls: string[] = []
      const wait = {
        name: 'wait',
        description: 'waits',
        access: 'read' as const,
        run: async () => {
          calls.push('wait')
          return never()
        },
      }
      const world = open({ model: new ScriptedModel(() => outage('503')), tools: [wait], strategies: [own] })
      const told: string[] = []
      const run = await world.engine.start('a goal', {
        strategy: 'own',
        onEvent: ({ type }) => told.push(type),
      })
      await until(() => calls.length === 1 && told.includes('model-retry'), 'both are under way')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(all(world.events(run.id), 'run-wait')).toEqual([])
      await run.cancel()
      expect(await ended(run)).toMatchObject({ status: 'cancelled' })
    })
  },

  ofStrategy({ open, newPlace, strategy, tested, every, solveTask }) {
    it(`${strategy.name}: out at every call in turn while the budget ends, also at the closing call, is no result either`, async () => {
      const budget = { calls: 7 }
      const whole = await solveTask(TREE, {}, { budget })
      const calls = whole.model.calls.length
      expect(whole.outcome.status).toBe('partial')
      expect(calls).toBeGreaterThan(3)
      for (let at = 1; at < calls + every; at += every) {
        // The last one is always tried.
        const out = Math.min(at, calls)
        const { tools } = countedTools()
        const { engine, events } = open({ model: outAt(strategy.model(TREE), out), tools })
        const run = await engine.start(TREE.goal, { ...tested, budget })
        expect((await rejection(run)).code).toBe('MODEL_OUTAGE')
        const outcome = await ended(await engine.resume(run.id))
        expect({ at, status: outcome.status }).toEqual({ at, status: whole.outcome.status })
        const journal = events(run.id)
        expect(JSON.stringify(journal.filter(({ type }) => type !== 'run-wait'))).not.toContain(WORDS)
        expect(violations(journal)).toEqual([])
      }
    })

    it(`${strategy.name}: out at every call in turn, comes to the same and pays no call twice`, async () => {
      const whole = await solveTask()
      const calls = whole.model.calls.length
      expect(calls).toBeGreaterThan(3)
      for (let at = 1; at <= calls; at += every) {
        const place = newPlace()
        const { tools, performed } = countedTools()
        const model = outAt(strategy.model(TREE), at)
        const first = open({ model, tools }, place)
        const run = await first.engine.start(TREE.goal, tested)
        expect((await rejection(run)).code).toBe('MODEL_OUTAGE')
        const waiting = await first.engine.state(run.id)
        expect(waiting).toMatchObject({ status: 'waiting', outcome: null })
        expect(JSON.stringify(first.events(run.id).filter(({ type }) => type !== 'run-wait'))).not.toContain(
          WORDS,
        )
        await first.close()
        const second = open({ model, tools }, place)
        const outcome = await ended(await second.engine.resume(run.id))
        const journal = second.events(run.id)
        expect({ at, ...pick(outcome) }).toEqual({ at, ...pick(whole.outcome) })
        expect(model.answered()).toBe(calls)
        expect(performed.toSorted()).toEqual(whole.performed.toSorted())
        expect(JSON.stringify(journal.filter(({ type }) => type !== 'run-wait'))).not.toContain(WORDS)
        expect(violations(journal)).toEqual([])
        expect(await replayOf(second.engine, run.id)).toEqual([])
      }
    })
  },
}

const WORDS = 'nobody pays for this key'

function outage(message: string): ThinkonError {
  return new ThinkonError('MODEL_OUTAGE', message)
}

/** The model, out at its `at`-th call. */
function outAt(model: Model, at: number): Model & { answered(): number } {
  let calls = 0
  let answered = 0
  return {
    id: model.id,
    async call(asked, io) {
      if (++calls === at) throw outage(WORDS)
      try {
        return await model.call(asked, io)
      } finally {
        answered++
      }
    },
    answered: () => answered,
  }
}

async function rejection(run: { outcome: Promise<unknown> }): Promise<ThinkonError> {
  const thrown = await ended(run as never).then(
    (outcome) => new Error(`it ended: ${JSON.stringify(outcome)}`),
    (error) => error,
  )
  if (!ThinkonError.isInstance(thrown)) throw thrown
  return thrown
}
