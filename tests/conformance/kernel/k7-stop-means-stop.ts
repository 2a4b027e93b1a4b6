// K7 stop means stop: cancel and skip reach every running block, model call and tool below, at once.

import { expect, it } from 'vitest'
import type { Engine } from '../../../src/engine.ts'
import type { Model } from '../../../src/kernel/model.ts'
import type { Answer, Context } from '../../../src/kernel/strategy.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import type { ModelRequest } from '../../../src/protocol/index.ts'
import { manualClock, ScriptedModel } from '../../../src/testing/index.ts'
import { answerAt } from '../../answers.ts'
import { gate, never, turns, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { countedTools, TREE } from '../tasks.ts'
import { all, count, statusOf } from './journal.ts'
import { ended, replayOf, request, strategyOf, untilCrash } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const stopMeansStop: KernelPromise = {
  title: 'K7 stop means stop',

  ofKernel({ newPlace, open, solveWith }) {
    it('K7: a cancel ends the run though models and tools hang and do not listen; no time has to pass', async () => {
      const clock = manualClock()
      const signals: AbortSignal[] = []
      const hang = (io: { signal: AbortSignal }) => {
        signals.push(io.signal)
        return never()
      }
      const deafTool: Tool = {
        name: 'deaf',
        description: 'hangs',
        access: 'write',
        run: (_input, io) => hang(io),
      }
      const deafModel: Model = { id: 'deaf', call: (_request, io) => hang(io) }
      const world = open({
        clock,
        tools: [deafTool],
        model: deafModel,
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level < 2)
              return (await context.all([context.call('one'), context.call('two')])) && 'never'
            await context.all([context.tool('deaf', {}), context.model(request('deaf'))])
            return 'never'
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => signals.length === 8, 'everything hangs')
      await run.cancel('stop')
      const outcome = await ended(run)
      expect(outcome.status).toBe('cancelled')
      expect(signals.every((signal) => signal.aborted)).toBe(true)
      const journal = world.events(run.id)
      expect(all(journal, 'block-end').map((event) => event.outcome.status)).toEqual(
        Array(7).fill('cancelled'),
      )
      expect(violations(journal)).toEqual([])
      expect(clock.timers).toBe(0)
    })

    it('K7: the caller can cancel by an AbortSignal, also before the run has begun', async () => {
      const aborting = new AbortController()
      const world = open({
        strategies: [
          strategyOf('own', async (context) => String(await context.one(context.ask({ text: 'well?' })))),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own', signal: aborting.signal })
      aborting.abort(new Error('the caller left'))
      expect(await ended(run)).toMatchObject({ status: 'cancelled', reason: 'the caller left' })
      const late = await world.engine.start('a goal', { strategy: 'own', signal: aborting.signal })
      expect(await ended(late)).toMatchObject({ status: 'cancelled' })
    })

    it('K7: a skip reaches everything below the block at once, and nothing beside it', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 0) {
              const ends = await context.all([context.call('one'), context.call('two')])
              return ends.map((end) => (end.ok ? end.value.status : '')).join()
            }
            if (context.level === 1) return (await context.one(context.call('deeper'))).status
            return String(await context.one(context.ask({ text: 'well?' })))
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 2, 'both ask')
      await run.signal('1-1', 'skip')
      await until(() => count(world.events(run.id), 'block-end') === 2, 'one side has ended')
      await answerAt(run, '1-2-1', 'yes')
      expect((await ended(run)).result).toBe('skipped,completed')
      expect(statusOf(world.events(run.id), '1-1-1')).toBe('cancelled')
    })

    it('K7: a strategy that is still being loaded when its block is stopped does nothing afterwards', async () => {
      const held = gate()
      const calls: string[] = []
      const world = open({
        model: new ScriptedModel(({ kind }: ModelRequest) => {
          calls.push(kind)
          return 'yes'
        }),
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 1) {
              await held.opened
              context.emit('late', null)
              await context.one(context.model(request('late')))
              return 'never'
            }
            const end = await context.one(context.call('child'))
            await context.one(context.ask({ text: 'go on?' }))
            return end.status
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'block-start') === 2, 'the child has started')
      await run.signal('1-1', 'skip')
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'the parent goes on')
      held.open()
      await turns(10)
      await answerAt(run, '1', 'yes')
      expect((await ended(run)).result).toBe('skipped')
      expect(calls).toEqual([])
      expect(violations(world.events(run.id))).toEqual([])
    })

    it('K7: losers of a race that are cancelled in the turn in which they go on leave no trace', async () => {
      for (let delay = 0; delay < 6; delay++) {
        const { journal } = await solveWith(
          async (context) => {
            if (context.level === 1) {
              for (let i = 0; i < (context.block.goal === 'short' ? 2 + delay : 12); i++)
                await context.one(context.tool('look', i))
              return 'done'
            }
            const ops = [context.call('short'), context.call('long'), context.call('long too')]
            const winner = await context.first(ops)
            for (const [index, op] of ops.entries())
              if (index !== winner) await context.cancel(op, 'too late')
            await context.all(ops)
            return 'done'
          },
          { tools: countedTools().tools },
        )
        expect(violations(journal)).toEqual([])
      }
    })

    it('K7: a race that is crashed after any event ends with its losers cancelled to the last of them', async () => {
      const solve = async (context: Context<never>): Promise<Answer> => {
        const { goal } = context.block
        if (goal === 'short') return JSON.stringify(await context.one(context.tool('look', 1)))
        if (goal === 'leaf') {
          for (let i = 0; i < 20; i++) await context.one(context.tool('look', i))
          return 'too late'
        }
        if (goal === 'long')
          return (await context.all([context.call('leaf'), context.call('leaf')])) && 'too late'
        const race = [context.call('long'), context.call('short'), context.call('long')]
        const winner = await context.first(race)
        for (const [index, op] of race.entries()) if (index !== winner) await context.cancel(op, 'too slow')
        return (await context.all(race)).map((end) => (end.ok ? end.value.status : '')).join()
      }
      const own = strategyOf('own', solve)
      const { tools } = countedTools()
      const whole = await solveWith(solve, { tools })
      expect(whole.outcome.result).toBe('cancelled,completed,cancelled')
      for (let n = 1; n < whole.journal.length; n++) {
        const place = newPlace()
        const first = open({ tools, strategies: [own] }, place, n)
        await untilCrash(first.engine.start('a goal', { strategy: 'own', id: `crash-${n}` }))
        await first.close()
        const second = open({ tools, strategies: [own] }, place)
        const outcome = await ended(await second.engine.resume(`crash-${n}`))
        expect({ n, result: outcome.result }).toEqual({ n, result: whole.outcome.result })
        expect({ n, wrong: violations(second.events(`crash-${n}`)) }).toEqual({ n, wrong: [] })
        expect({ n, differences: await replayOf(second.engine, `crash-${n}`) }).toEqual({
          n,
          differences: [],
        })
        await second.close()
      }
    })
  },

  ofStrategy({ open, strategy, tested, every, solveTask }) {
    it(`K7: ${strategy.name} is stopped wherever it stands, and its journal is whole`, async () => {
      const { journal: whole } = await solveTask()
      for (let at = 2; at < whole.length - 1; at += 3 * every) {
        const { tools } = countedTools()
        const world = open({ model: strategy.model(TREE), tools })
        let run: Awaited<ReturnType<Engine['start']>> | null = null
        const waiting = Promise.withResolvers<void>()
        run = await world.engine.start(TREE.goal, {
          ...tested,
          onEvent: (event) => {
            if ('seq' in event && event.seq >= at) waiting.resolve()
          },
        })
        await waiting.promise
        await run.cancel('stop')
        const outcome = await ended(run)
        const journal = world.events(run.id)
        expect(['cancelled', 'completed']).toContain(outcome.status)
        expect({ at, wrong: violations(journal) }).toEqual({ at, wrong: [] })
        expect({ at, differences: await replayOf(world.engine, run.id) }).toEqual({ at, differences: [] })
        await world.close()
      }
    })
  },
}
