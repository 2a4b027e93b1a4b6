// K8 distinct endings: completed, partial, failed, skipped and cancelled are never confused, and a limit is never a success.

import { expect, it } from 'vitest'
import { foldEvents } from '../../../src/protocol/index.ts'
import { answerAt } from '../../answers.ts'
import { pause, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { countedTools } from '../tasks.ts'
import { all, count, statusOf } from './journal.ts'
import { ended, replayOf, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const distinctEndings: KernelPromise = {
  title: 'K8 distinct endings',

  ofKernel({ open, solveWith }) {
    it('K8: five ways to end are five statuses, in the outcome, the journal and the list of runs', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.block.goal === 'completed') return 'yes'
            if (context.block.goal === 'partial')
              return { status: 'partial', result: 'half', reason: 'enough' }
            if (context.block.goal === 'failed') throw new Error('no')
            return String(await context.one(context.ask({ text: 'well?' })))
          }),
        ],
      })
      for (const status of ['completed', 'partial', 'failed', 'skipped', 'cancelled'] as const) {
        const run = await world.engine.start(status, { strategy: 'own' })
        if (status === 'skipped') await run.signal('1', 'skip')
        if (status === 'cancelled') await run.cancel()
        expect((await ended(run)).status).toBe(status)
        const journal = world.events(run.id)
        expect(journal.at(-1)).toMatchObject({ type: 'run-end', status })
        expect((await world.engine.list()).find((row) => row.id === run.id)).toMatchObject({ status })
        expect(foldEvents(journal).status).toBe(status)
        expect(violations(journal)).toEqual([])
      }
    })

    it('K8: an answer that is none, or claims an end that is not its own to claim, is a failure', async () => {
      for (const answer of [
        undefined,
        null,
        42,
        {},
        { status: 'skipped', result: '' },
        { status: 'completed' },
      ]) {
        const { outcome, journal } = await solveWith(async (context) => {
          if (context.level === 0) return (await context.one(context.call('child'))).status
          return answer as never
        })
        expect({ answer, ...outcome }).toMatchObject({ status: 'completed', result: 'failed' })
        expect(violations(journal)).toEqual([])
      }
    })

    it('K8: the first end of a block wins: a signal that comes too late changes nothing', async () => {
      const { engine, id, journal, events } = await solveWith(async () => 'done')
      await engine.signal(id, '1', 'cancel', 'too late')
      await pause(5)
      expect(events(id)).toEqual(journal)
      expect((await ended(await engine.resume(id))).status).toBe('completed')
    })

    it('K8: a child that was done again has both outcomes in done, and the second counts', async () => {
      let attempt = 0
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 0) {
              const end = await context.one(context.call('child'))
              return `${end.status} ${end.result}; ${context.block.done.join(' | ')}`
            }
            if (++attempt === 1) await context.one(context.ask({ text: 'hangs' }))
            return `second: ${context.timeline(500)}`
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'the child asks')
      await world.engine.redo(run.id, '1-1', 'with more care')
      const outcome = await ended(run)
      expect(outcome.result).toMatch(
        /^completed second: .*with more care; \[cancelled: to be done again: with more care\] \| second/s,
      )
      expect(all(world.events(run.id), 'block-start').map((event) => event.path)).toEqual([
        '1',
        '1-1',
        '1-1#2',
      ])
      expect(violations(world.events(run.id))).toEqual([])
      expect(await replayOf(world.engine, run.id)).toEqual([])
    })

    it("K8: a child that had ended is done again at the parent's next look; a run that had ended is forked", async () => {
      const { tools } = countedTools()
      const world = open({
        tools,
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 1)
              return `done ${context.timeline(300).includes('better') ? 'better' : 'well'}`
            await context.one(context.call('child'))
            await context.one(context.ask({ text: 'go on?' }))
            return context.block.done.join(' | ')
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'it asks')
      expect(await world.engine.redo(run.id, '1-1', 'better')).toBe(run.id)
      await answerAt(run, '1', 'yes')
      expect((await ended(run)).result).toBe('done well | done better')
      const fork = await world.engine.redo(run.id, '1-1', 'better')
      expect(fork).not.toBe(run.id)
      const again = await world.engine.resume(fork)
      await answerAt(again, '1', 'yes')
      await ended(again)
      expect(violations(world.events(fork))).toEqual([])
      expect(statusOf(world.events(run.id), '1')).toBe('completed')
    })

    it('K8: a redo of a child that has not begun waits for it; what its siblings do does not use it up', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 1) return `${context.path} is done`
            await context.one(context.call('first'))
            await context.one(context.ask({ text: 'go on?' }))
            await context.one(context.call('second'))
            return context.block.done.join(' | ')
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'it asks')
      await run.signal('1-2', 'redo', 'twice')
      await answerAt(run, '1', 'yes')
      expect((await ended(run)).result).toBe(
        '1-1 is done | [cancelled: to be done again: twice] | 1-2#2 is done',
      )
      expect(violations(world.events(run.id))).toEqual([])
    })
  },
}
