// K1 archive first: a child's outcome, whatever it is, is in its parent's `done` before the parent's next decision.

import { expect, it } from 'vitest'
import type { Answer } from '../../../src/kernel/strategy.ts'
import { goalTitle } from '../../../src/protocol/index.ts'
import { ScriptedModel } from '../../../src/testing/index.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { TREE } from '../tasks.ts'
import { all, count } from './journal.ts'
import { ended, replayOf, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const archiveFirst: KernelPromise = {
  title: 'K1 archive first',

  ofKernel({ open, solveWith }) {
    it('K1: outcomes that are empty, failed, partial or refused are archived like any other', async () => {
      const { outcome } = await solveWith(
        async (context) => {
          if (context.level === 1) return answers[context.block.goal as string]!()
          await context.all(Object.keys(answers).map((goal) => context.call(goal)))
          return JSON.stringify(context.block.done)
        },
        {},
        { budget: { depth: 1 } },
      )
      expect(JSON.parse(outcome.result)).toEqual([
        '',
        'good',
        '[failed: broke]',
        '[partial: half] some',
        '[failed: no] rest',
      ])
    })

    it('K1: a skipped and a cancelled child are archived with how they ended', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 1) return String(await context.one(context.ask({ text: 'well?' })))
            const [one, two] = [context.call('one'), context.call('two')]
            await context.all([one])
            await context.cancel(two, 'enough')
            await context.all([two])
            return context.block.done.join(' | ')
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 2, 'both children ask')
      await run.signal('1-1', 'skip', 'no need')
      const outcome = await ended(run)
      expect(outcome.result).toBe('[skipped: no need] | [cancelled: enough]')
      expect(violations(world.events(run.id))).toEqual([])
    })

    it('K1: the winner of a race is archived when it is seen, the others when they are', async () => {
      const seen: string[][] = []
      await solveWith(async (context) => {
        if (context.level === 1) return context.block.goal as string
        const ops = [context.call('one'), context.call('two')]
        await context.first(ops)
        seen.push([...context.block.done])
        await context.all(ops)
        seen.push([...context.block.done])
        return 'done'
      })
      expect(seen.map((done) => done.length)).toEqual([1, 2])
    })

    it('K1: children that nobody waited for are ended and archived before their parent ends', async () => {
      const { journal, outcome } = await solveWith(
        async (context) => {
          if (context.level === 1) return (await context.one(context.model(request('hangs')))).text
          context.call('left alone')
          return 'over'
        },
        { model: new ScriptedModel(() => never()) },
      )
      expect(outcome).toMatchObject({ status: 'completed', result: 'over' })
      expect(all(journal, 'done-add').map((event) => event.from)).toEqual([['1-1']])
      expect(violations(journal)).toEqual([])
    })

    it('K1: when a block is ended from outside, children that have ended are archived, and shown in its result (K4)', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 0) return (await context.one(context.call('middle'))).result
            if (context.block.goal === 'quick') return 'quick result'
            if (context.block.goal === 'slow')
              return String(await context.one(context.ask({ text: 'well?' })))
            await context.all([context.call('quick'), context.call('slow')])
            return 'never'
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      const asked = () => count(world.events(run.id), 'signal-asked') === 1
      await until(() => asked() && count(world.events(run.id), 'block-end') === 1, 'one has ended, one asks')
      await run.signal('1-1', 'skip', 'stop it')
      expect((await ended(run)).result).toBe('quick result\n[cancelled: stop it]')
      expect(violations(world.events(run.id))).toEqual([])
      expect(await replayOf(world.engine, run.id)).toEqual([])
    })
  },

  ofStrategy({ strategy, solveTask }) {
    it(`K1: ${strategy.name} has every child's outcome in done before its next decision`, async () => {
      const { journal, engine, id } = await solveTask()
      expect(violations(journal, { waitsForChildren: true })).toEqual([])
      const { blocks } = await engine.state(id)
      // A block between a task and its parts has the task's goal as well.
      const doneOf = (goal: string) =>
        [...blocks.values()].flatMap((block) => (goalTitle(block.goal) === goal ? block.done : []))
      for (const [goal, ...results] of [
        [TREE.goal, 'firm ground', 'four walls'],
        ['walls', 'red bricks'],
      ] as const) {
        expect(results.map((result) => doneOf(goal).some((text) => text.includes(result)))).toEqual(
          results.map(() => true),
        )
      }
      expect(doneOf('walls').length).toBeGreaterThanOrEqual(2)
      expect(doneOf(TREE.goal).at(-1)).toMatch(/^\[failed: /)
      if (strategy.wraps) return
      expect(blocks.get('1')?.done.slice(0, 2)).toEqual(['firm ground', 'four walls'])
      const [bricks, nothing, ...more] = blocks.get('1-2')?.done ?? []
      expect([bricks, ...more]).toEqual(['red bricks'])
      // A part that came to nothing is archived all the same; most strategies don't call that a result.
      expect(nothing).toMatch(strategy.takesNothing ? /^$/ : /^\[(failed|partial): /)
    })
  },
}

/** How children of the K1 test end, by their goal. */
const answers: Record<string, () => Promise<Answer>> = {
  empty: async () => '',
  good: async () => 'good',
  broken: async () => {
    throw new Error('broke')
  },
  half: async () => ({ status: 'partial', result: 'some', reason: 'half' }),
  refusing: async () => ({ status: 'failed', result: 'rest', reason: 'no' }),
}
