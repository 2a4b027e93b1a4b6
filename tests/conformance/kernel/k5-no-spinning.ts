// K5 no spinning: the same action with the same result again and again, or the same sub-goal without progress, is noticed, told to
// the model, and ended if it continues.

import { expect, it } from 'vitest'
import { ScriptedModel } from '../../../src/testing/index.ts'
import { never, until } from '../async.ts'
import { countedTools } from '../tasks.ts'
import { count, find } from './journal.ts'
import { ended, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const noSpinning: KernelPromise = {
  title: 'K5 no spinning',

  ofKernel({ newPlace, open, solveWith }) {
    it('K5: the same tool call with the same result is told in the timeline, then refused', async () => {
      const notices: string[] = []
      const { tools, performed } = countedTools()
      const { outcome, journal } = await solveWith(
        async (context) => {
          for (;;) {
            await context.one(context.tool('look', { at: 'the same' }))
            if (context.timeline(2_000).includes('go another way')) notices.push('told')
          }
        },
        { tools },
      )
      expect(outcome).toMatchObject({ status: 'partial', code: 'LOOP' })
      expect(notices.length).toBeGreaterThan(0)
      expect(performed).toHaveLength(3)
      expect(find(journal, 'loop-found')).toMatchObject({ kind: 'action', what: 'look', times: 3 })
    })

    it('K5: the same sub-goal without progress is told in the timeline, then refused', async () => {
      const { outcome, journal } = await solveWith(async (context) => {
        if (context.level === 1) return 'the same'
        for (const goal of ['Find it', 'find  it', ' FIND IT', 'find it', 'find it'])
          await context.one(context.call(goal))
        return 'never'
      })
      expect(outcome).toMatchObject({ status: 'partial', code: 'LOOP' })
      expect(outcome.result).toBe('the same\nthe same\nthe same')
      expect(find(journal, 'loop-found')).toMatchObject({ kind: 'goal', times: 3 })
    })

    it('K5: work that makes progress, or differs, is not held up', async () => {
      const { tools } = countedTools()
      const { outcome } = await solveWith(
        async (context) => {
          if (context.level === 1) return context.path
          for (let i = 0; i < 6; i++) {
            await context.one(context.tool('look', i % 2))
            await context.one(context.call('the same goal, another result each time'))
          }
          return 'done'
        },
        { tools },
      )
      expect(outcome).toMatchObject({ status: 'completed', result: 'done' })
    })

    it('K5: the guard stands where it stood after a crash', async () => {
      const place = newPlace()
      const { tools, performed } = countedTools()
      let hang = true
      const own = strategyOf('own', async (context) => {
        for (let i = 0; i < 3; i++) await context.one(context.tool('look', 'same'))
        await context.one(context.model(request('ask')))
        await context.one(context.tool('look', 'same'))
        return 'never'
      })
      const model = new ScriptedModel(() => (hang ? never() : 'go'))
      const first = open({ tools, model, strategies: [own] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own' })
      await until(() => count(first.events(run.id), 'model-start') === 1, 'the model is asked')
      await first.crash()
      hang = false
      const second = open({ tools, model, strategies: [own] }, place)
      expect(await ended(await second.engine.resume(run.id))).toMatchObject({
        status: 'partial',
        code: 'LOOP',
      })
      expect(performed).toHaveLength(3)
    })
  },
}
