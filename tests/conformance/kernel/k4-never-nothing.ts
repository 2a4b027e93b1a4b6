// K4 never nothing: at a limit, an error or a cancel, the block returns what it has, with the reason.

import { expect, it } from 'vitest'
import type { Model } from '../../../src/kernel/model.ts'
import { ThinkonError } from '../../../src/protocol/index.ts'
import { until } from '../async.ts'
import { count } from './journal.ts'
import { codeOf, ended, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const neverNothing: KernelPromise = {
  title: 'K4 never nothing',

  ofKernel({ open, solveWith }) {
    for (const [what, fail, status] of [
      ['an error', new Error('it broke'), 'failed'],
      ['a limit', new ThinkonError('LIMIT', 'enough', { data: { limit: 'calls' } }), 'partial'],
    ] as const) {
      it(`K4: at ${what} that the strategy lets through, the block returns what it has, with the reason`, async () => {
        const { outcome } = await solveWith(async (context) => {
          if (context.level === 1) return 'what there is'
          await context.one(context.call('child'))
          throw fail
        })
        expect(outcome).toMatchObject({ status, result: 'what there is', reason: fail.message })
      })
    }

    it('K4: at a cancel the run returns what it has, with the reason', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 1) return 'what there is'
            await context.one(context.call('child'))
            return String(await context.one(context.ask({ text: 'well?' })))
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'it asks')
      await run.cancel('time to go')
      expect(await ended(run)).toMatchObject({
        status: 'cancelled',
        result: 'what there is',
        reason: 'time to go',
      })
    })

    it('K4: models that throw anything at all, at once or later, fail the step and not the run', async () => {
      const throwing: Model = {
        id: 'throwing',
        call() {
          throw new Error('thrown at once')
        },
      }
      const { outcome } = await solveWith(
        async (context) => {
          const [end] = await context.all([context.model(request('ask'))])
          return codeOf(end)
        },
        { model: throwing },
      )
      expect(outcome).toMatchObject({ status: 'completed', result: 'MODEL_ERROR' })
    })

    it('K4: what can not be written down fails its block, not the run', async () => {
      for (const value of [1n, circular()]) {
        const { outcome } = await solveWith(async (context) => {
          if (context.level === 0) return (await context.one(context.call('child'))).status
          context.emit('odd', { value })
          return 'noted'
        })
        expect(outcome).toMatchObject({ status: 'completed', result: 'failed' })
      }
    })

    it('K4: a child whose options are wrong fails with the reason; its parent goes on', async () => {
      const picky = {
        ...strategyOf('picky', async () => 'never'),
        options() {
          throw new ThinkonError('BAD_INPUT', 'no such option')
        },
      }
      const { outcome } = await solveWith(
        async (context) => {
          const child = await context.one(context.call('child', { strategy: 'picky', options: { odd: 1 } }))
          return `${child.status} ${child.code} ${child.reason}`
        },
        {},
        {},
        [picky],
      )
      expect(outcome.result).toBe('failed BAD_INPUT no such option')
    })
  },
}

function circular(): unknown {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}
