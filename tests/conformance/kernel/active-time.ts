// Time is active time: a machine that slept and a clock that was set, forward or back, cost nothing and end nothing; `ts` and
// `now()` never go back in a run.

import { expect, it } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { Context } from '../../../src/kernel/strategy.ts'
import { type Event, foldEvents } from '../../../src/protocol/index.ts'
import { manualClock, ScriptedModel } from '../../../src/testing/index.ts'
import { gate, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { all, count, find } from './journal.ts'
import { codeOf, ended, replayOf, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

const HOUR = 3_600_000

export const activeTime: KernelPromise = {
  title: 'time is active time',

  ofKernel({ newPlace, open }) {
    for (const [how, jumpMs] of [
      ['the machine slept', 8 * HOUR],
      ['the clock was set back', -8 * HOUR],
    ] as const) {
      it(`costs nothing and ends nothing while a step is open: ${how}`, async () => {
        const clock = manualClock()
        const { world, run, held } = await asking(clock)
        await clock.advance(400)
        clock.jump(jumpMs)
        await clock.advance(500)
        held.open()
        expect(await ended(run)).toMatchObject({ status: 'completed', result: 'ok' })
        const journal = world.events(run.id)
        expect(foldEvents(journal).activeMs).toBe(900)
        expect(find(journal, 'model-end').left.timeMs).toBe(100)
        expect(violations(journal)).toEqual([])
        expect(await replayOf(world.engine, run.id)).toEqual([])
      })

      it(`leaves the limit what it was: ${how}`, async () => {
        const clock = manualClock()
        const { world, run } = await asking(clock)
        clock.jump(jumpMs)
        await clock.advance(999)
        expect(count(world.events(run.id), 'model-end')).toBe(0)
        await clock.advance(1)
        expect((await ended(run)).result).toBe('LIMIT')
        expect(foldEvents(world.events(run.id)).activeMs).toBe(1_000)
      })

      it(`leaves a question the time that it was given: ${how}`, async () => {
        const clock = manualClock()
        const world = open({
          clock,
          strategies: [
            strategyOf('own', async (context) => {
              const question = { text: 'well?', fallback: 'time is up' }
              return String(await context.one(context.ask(question, { timeoutMs: 1_000 })))
            }),
          ],
        })
        const run = await world.engine.start('a goal', { strategy: 'own' })
        await until(() => count(world.events(run.id), 'signal-asked') === 1, 'the question is asked')
        clock.jump(jumpMs)
        await clock.advance(999)
        expect(count(world.events(run.id), 'signal-answered')).toBe(0)
        await clock.advance(1)
        expect((await ended(run)).result).toBe('time is up')
        expect(violations(world.events(run.id))).toEqual([])
      })

      it(`resumes a run after its last event, whatever the time of day is: ${how}`, async () => {
        const clock = manualClock()
        const place = newPlace()
        const first = await asking(clock, place)
        await clock.advance(400)
        await first.world.crash()
        clock.jump(jumpMs)
        const second = open({ clock, model: new ScriptedModel(() => 'ok'), strategies: [asks] }, place)
        const run = await second.engine.resume(first.run.id)
        expect((await ended(run)).result).toBe('ok')
        const journal = second.events(run.id)
        expect(violations(journal)).toEqual([])
        expect(foldEvents(journal).activeMs).toBeLessThanOrEqual(400)
      })
    }

    it('costs nothing with a clock that has the time of day only', async () => {
      let offMs = 0
      const clock = { nowMs: () => Date.now() + offMs, after: systemClock.after }
      const { world, run, held } = await asking(clock, newPlace(), HOUR)
      for (const jumpMs of [5 * HOUR, -9 * HOUR, 2 * HOUR]) {
        offMs += jumpMs
        await run.signal('1', 'message', 'noted')
      }
      held.open()
      expect((await ended(run)).result).toBe('ok')
      expect(violations(world.events(run.id))).toEqual([])
    })

    it('counts what passed between jumps, however many there are', async () => {
      for (let seed = 1; seed <= 20; seed++) {
        const clock = manualClock()
        const random = randomFrom(seed)
        let passedMs = 0
        const wander = async () => {
          for (let i = 0; i < 3; i++) {
            clock.jump(Math.round((random() - 0.5) * 20 * HOUR))
            const ms = Math.round(random() * 5_000)
            passedMs += ms
            await clock.advance(ms)
          }
          return 'ok'
        }
        const times: number[] = []
        const world = open({
          clock,
          model: new ScriptedModel(wander),
          strategies: [
            strategyOf('own', async (context) => {
              for (let i = 0; i < 4; i++) {
                await context.all([context.model(request('ask'))])
                times.push(context.now())
              }
              return 'done'
            }),
          ],
        })
        const run = await world.engine.start('a goal', { strategy: 'own' })
        await ended(run)
        const journal = world.events(run.id)
        expect(foldEvents(journal).activeMs).toBe(passedMs)
        const left = all(journal, 'model-end').map((end) => end.left.timeMs)
        const limit = find(journal, 'run-start').limits.timeMs
        expect(left.at(-1)).toBe(limit - passedMs)
        expect(violations(journal)).toEqual([])
        expect(times).toEqual([...times].sort((a, b) => a - b))
        await world.close()
      }
    })

    it('never lets now() go back, also if a later end was consumed first', async () => {
      const clock = manualClock()
      const times: number[] = []
      const world = open({
        clock,
        model: new ScriptedModel(async ({ kind }) => {
          if (kind === 'slow') await clock.advance(1_000)
          return 'ok'
        }),
        strategies: [
          strategyOf('own', async (context) => {
            const quick = context.model(request('quick'))
            const slow = context.model(request('slow'))
            for (const work of [slow, quick]) {
              await context.all([work])
              times.push(context.now())
            }
            return 'done'
          }),
        ],
      })
      await ended(await world.engine.start('a goal', { strategy: 'own' }))
      expect(times[1]).toBe(times[0])
    })

    it('stamps a fork no earlier than what it shares, though the clock is behind', async () => {
      // A run from the future: the time of day has been set back since.
      const clock = manualClock(Date.UTC(2199, 0, 1))
      const world = open({ clock, model: new ScriptedModel(() => 'ok'), strategies: [asks] })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await ended(run)
      const at = find(world.events(run.id), 'model-start').seq
      const forked = await world.engine.fork(run.id, at)
      await ended(await world.engine.resume(forked))
      expect(tsOf(world.events(forked))).toEqual(tsOf(world.events(forked)).sort())
    })

    /** A run whose model is held back; by default it has a second. */
    async function asking(
      clock: Parameters<typeof open>[0]['clock'] & object,
      place = newPlace(),
      timeMs = 1_000,
    ) {
      const held = gate()
      const model = new ScriptedModel(() => held.opened.then(() => 'ok'))
      const world = open({ clock, model, strategies: [asks] }, place)
      const run = await world.engine.start('a goal', { strategy: 'own', budget: { timeMs } })
      await until(() => count(world.events(run.id), 'model-start') === 1, 'the model is asked')
      return { world, run, held }
    }
  },
}

const asks = strategyOf('own', async (context: Context<never>) => {
  const [end] = await context.all([context.model(request('ask'))])
  return codeOf(end)
})

function tsOf(events: readonly Event[]): string[] {
  return events.map((event) => event.ts)
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
