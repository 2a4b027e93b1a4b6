// K3 bounded: depth, tokens, calls, time and cost are each bounded for the whole tree; a child can't exceed what its parent has
// left, and part is kept back so that the run can still close with a summary.

import { expect, it } from 'vitest'
import type { Model } from '../../../src/kernel/model.ts'
import type { Answer, Context } from '../../../src/kernel/strategy.ts'
import { type Event, type ModelRequest, ThinkonError } from '../../../src/protocol/index.ts'
import { manualClock, reply, ScriptedModel } from '../../../src/testing/index.ts'
import { answerAt } from '../../answers.ts'
import { never, turns, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { countedTools, TREE } from '../tasks.ts'
import { all, count } from './journal.ts'
import { codeOf, ended, replayOf, request, strategyOf, untilCrash } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const bounded: KernelPromise = {
  title: 'K3 bounded',

  ofKernel({ newPlace, open, solveWith }) {
    for (const [limit, budget, model] of [
      ['calls', { calls: 5 }, endless()],
      ['tokens', { tokens: 1_000 }, endless(40)],
      ['costUsd', { costUsd: 0.01 }, withPrice(endless(40))],
    ] as const) {
      it(`K3: ${limit} end a run as partial with the limit named, and are not exceeded`, async () => {
        const { outcome, journal } = await solveWith(asksOn, { model }, { budget })
        expect(outcome).toMatchObject({ status: 'partial', code: 'LIMIT', limit })
        expect(outcome.reason).toMatch(/limit/)
        expect(outcome.usage.calls).toBeGreaterThan(0)
        expect(violations(journal)).toEqual([])
      })

      it(`K3: ${limit} are not exceeded by children that race, and replay finds the same refusals`, async () => {
        const { outcome, journal, engine, id } = await solveWith(
          async (context) => {
            if (context.level === 1) return asksOn(context)
            const outcomes = await context.all(
              [1, 2, 3, 4, 5, 6].map((child) => context.call(`child ${child}`)),
            )
            return outcomes.map((end) => (end.ok ? end.value.status : 'error')).join()
          },
          { model: delayed(model) },
          { budget },
        )
        expect(outcome.result).toMatch(/^(partial,){5}partial$/)
        expect(violations(journal)).toEqual([])
        expect(await replayOf(engine, id)).toEqual([])
      })
    }

    it('K3: depth refuses blocks that are too deep; the parent learns which limit it was', async () => {
      const { outcome, journal } = await solveWith(
        async (context) => {
          const child = await context.one(context.call('deeper'))
          return { status: 'partial', result: child.limit ?? child.result, reason: 'too deep' }
        },
        {},
        { budget: { depth: 3 } },
      )
      expect(outcome.result).toBe('depth')
      expect(Math.max(...all(journal, 'block-start').map((event) => event.path.length))).toBe(
        '1-1-1-1-1'.length,
      )
      expect(violations(journal)).toEqual([])
    })

    it('K3: time ends what hangs when it is up, and nothing is begun after it', async () => {
      const clock = manualClock()
      const world = open({
        clock,
        model: new ScriptedModel(() => never()),
        strategies: [
          strategyOf('own', async (context) => {
            const [first] = await context.all([context.model(request('hangs'))])
            const [second] = await context.all([context.model(request('late'))])
            return `${codeOf(first)} ${codeOf(second)}`
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own', budget: { timeMs: 60_000 } })
      await until(() => count(world.events(run.id), 'model-start') === 1, 'the model is asked')
      await clock.advance(59_999)
      expect(count(world.events(run.id), 'model-end')).toBe(0)
      await clock.advance(1)
      expect((await ended(run)).result).toBe('LIMIT LIMIT')
      const limits = all(world.events(run.id), 'model-end').map(
        ({ result }) => !result.ok && result.error.data?.limit,
      )
      expect(limits).toEqual(['timeMs', 'timeMs'])
    })

    it('K3: time that a person takes to answer, or that the process is down, does not count', async () => {
      const clock = manualClock()
      const place = newPlace()
      const { tools } = countedTools()
      const own = strategyOf('own', async (context) => {
        const answer = await context.one(context.ask({ text: 'well?' }))
        const [after] = await context.all([context.tool('look', 1)])
        return `${answer} ${codeOf(after)}`
      })
      const first = open({ clock, tools, strategies: [own] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own', budget: { timeMs: 1_000 } })
      await until(() => count(first.events(run.id), 'signal-asked') === 1, 'the question is asked')
      await clock.advance(3_600_000)
      await first.crash()
      await clock.advance(3_600_000)
      const second = open({ clock, tools, strategies: [own] }, place)
      const resumed = await second.engine.resume(run.id)
      await clock.advance(3_600_000)
      await answerAt(resumed, '1', 'yes')
      expect((await ended(resumed)).result).toBe('yes ok')
      expect((await second.engine.state(run.id)).activeMs).toBe(0)
    })

    it('K3: a child is held to limits of its own, and to what its parent has left', async () => {
      const { outcome, journal } = await solveWith(
        async (context) => {
          if (context.level === 1) return asksOn(context)
          const small = await context.one(context.call('small', { budget: { calls: 2 } }))
          const large = await context.one(context.call('large', { budget: { calls: 1_000 } }))
          return `${small.usage.calls} ${large.usage.calls > 2 && large.usage.calls < 10} ${large.limit}`
        },
        { model: endless() },
        { budget: { calls: 10 } },
      )
      expect(outcome.result).toBe('1 true calls')
      expect(violations(journal)).toEqual([])
    })

    it('K3: the parts of a step are bounded too', async () => {
      const model: Model = {
        id: 'parts',
        async call(_request, io) {
          const usage = { inputTokens: 1, outputTokens: 0 }
          for (let part = 1; part <= 10; part++) await io.part(async () => ({ value: part, usage }))
          return { text: 'ten parts', usage: { inputTokens: 0, outputTokens: 0 } }
        },
      }
      const { journal } = await solveWith(
        async (context) => codeOf((await context.all([context.model(request('parts'))]))[0]),
        { model },
        { budget: { calls: 4 } },
      )
      expect(violations(journal)).toEqual([])
    })

    it('K3: what was under way in a crash is charged as it was reserved: the part of a step, too', async () => {
      const place = newPlace()
      const parts = (second: () => Promise<unknown>): Model => ({
        id: 'parts',
        async call(_request, io) {
          const usage = { inputTokens: 1, outputTokens: 1 }
          await io.part(async () => ({ value: 1, usage }))
          await io.part(async () => ({ value: await second(), usage }), {
            calls: 1,
            tokens: 9_000,
            costUsd: 0,
          })
          return { text: 'done', usage: { inputTokens: 0, outputTokens: 0 } }
        },
      })
      const own = strategyOf('own', async (context) => {
        await context.one(context.model(request('parts')))
        return 'done'
      })
      const first = open({ model: parts(never), strategies: [own] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own' })
      await until(() => count(first.events(run.id), 'part-start') === 1, 'the second part is admitted')
      await first.crash()
      const second = open({ model: parts(async () => 2), strategies: [own] }, place)
      const { usage } = await ended(await second.engine.resume(run.id))
      expect(usage).toEqual({ calls: 3, inputTokens: 2, outputTokens: 9_002, lostTokens: 9_000 })
      expect((await second.engine.state(run.id)).usage).toEqual(usage)
      expect(violations(second.events(run.id))).toEqual([])
      expect(await replayOf(second.engine, run.id)).toEqual([])
    })

    it('K3: a step that waits to be performed again is not charged again when the next process dies, too', async () => {
      const place = newPlace()
      const own = strategyOf('own', async (context) => {
        const ends = await context.all(['a', 'b', 'c'].map((kind) => context.model(request(kind))))
        return ends.map(codeOf).join()
      })
      const first = open({ model: new ScriptedModel(never), strategies: [own] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own', budget: { tokens: 20_000 } })
      await until(() => count(first.events(run.id), 'model-start') === 3, 'all are under way')
      await first.crash()
      const model = new ScriptedModel(never)
      const second = open({ model, strategies: [own] }, place)
      const resumed = await second.engine.resume(run.id)
      await until(() => model.calls.length > 0, 'one is performed again')
      await turns(5)
      expect((await second.engine.state(run.id)).held.calls).toBe(model.calls.length + 1)
      await second.crash()
      await expect(resumed.outcome).rejects.toThrow()
      expect(model.calls).toHaveLength(1)
      const answering = new ScriptedModel(() => reply('yes', { usage: { inputTokens: 1, outputTokens: 1 } }))
      const third = open({ model: answering, strategies: [own] }, place)
      await ended(await third.engine.resume(run.id))
      const lost = all(third.events(run.id), 'run-resume').map((event) => event.lost?.length)
      expect(lost).toEqual([3, 1])
      expect(violations(third.events(run.id))).toEqual([])
      expect(await replayOf(third.engine, run.id)).toEqual([])
    })

    it('K3: what a part held that was not under way, because its model is out, is held once', async () => {
      const out = { is: true }
      const model: Model = {
        id: 'parts',
        async call(_request, io) {
          const usage = { inputTokens: 1, outputTokens: 1 }
          const reserve = { calls: 1, tokens: 9_000, costUsd: 0 }
          await io.part(async () => ({ value: 1, usage }))
          await io.part(async () => {
            if (out.is) throw new ThinkonError('MODEL_OUTAGE', 'out')
            return { value: 2, usage }
          }, reserve)
          return { text: 'done', usage: { inputTokens: 0, outputTokens: 0 } }
        },
      }
      const own = strategyOf('own', async (context) => {
        await context.one(context.model(request('parts')))
        return 'done'
      })
      const world = open({ model, strategies: [own] })
      const run = await world.engine.start('a goal', { strategy: 'own', budget: { tokens: 20_000 } })
      await expect(run.outcome).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
      out.is = false
      expect(await ended(await world.engine.resume(run.id))).toMatchObject({
        status: 'completed',
        usage: { calls: 2, inputTokens: 2, outputTokens: 2 },
      })
      const end = all(world.events(run.id), 'block-end').at(-1)
      expect(end?.left).toMatchObject({ tokens: 20_000 - 4 })
      expect(end?.left.held).toBeUndefined()
      expect(violations(world.events(run.id))).toEqual([])
    })

    for (const [budget, usage] of [
      [{ calls: 4 }, { inputTokens: 10, outputTokens: 10 }],
      [{ tokens: 20_000 }, { inputTokens: 900, outputTokens: 3_000 }],
      [{ tokens: 13_000 }, { inputTokens: 2, outputTokens: 4_000 }],
      [{ tokens: 12_500 }, { inputTokens: 2, outputTokens: 4_096 }],
    ] as const) {
      it(`K3: part of ${JSON.stringify(budget)} is kept back, so that a block at the limit can still ask for a summary`, async () => {
        const { outcome, journal } = await solveWith(
          async (context) => {
            if (context.level === 1) return asksMore(context)
            await context.all([context.call('greedy'), context.call('greedy too')])
            const [closing] = await context.all([context.model(request('close'), { closing: true })])
            return closing?.ok ? closing.value.text : `no closing: ${codeOf(closing)}`
          },
          {
            model: new ScriptedModel(({ kind }: ModelRequest) =>
              kind === 'close' ? 'a summary' : reply('more', { usage }),
            ),
          },
          { budget },
        )
        expect(outcome.result).toBe('a summary')
        expect(violations(journal)).toEqual([])
      })
    }

    it('K3: a block that has spent its tokens to the last can still ask for a summary', async () => {
      const tokens = 4_000 + 3 * 4_098
      const { outcome, journal } = await solveWith(
        async (context) => {
          await asksMore(context)
          const [closing] = await context.all([context.model(request('close'), { closing: true })])
          return closing?.ok ? closing.value.text : `no closing: ${codeOf(closing)}`
        },
        {
          model: new ScriptedModel(({ kind }: ModelRequest) =>
            kind === 'close'
              ? 'a summary'
              : reply('more', { usage: { inputTokens: 2, outputTokens: 4_096 } }),
          ),
        },
        { budget: { tokens } },
      )
      expect(outcome.result).toBe('a summary')
      expect(violations(journal)).toEqual([])
    })

    it('K3: what is kept back for closing is what a closing took, also after a crash', async () => {
      const own = strategyOf('own', async (context) => {
        if (context.level === 1) {
          await context.one(context.model(request('close'), { closing: true }))
          return 'closed'
        }
        await context.one(context.call('one'))
        await context.one(context.model(request('think')))
        await context.one(context.call('two'))
        return 'done'
      })
      const place = newPlace()
      const hangs = new ScriptedModel(({ kind }: ModelRequest) => (kind === 'think' ? never() : 'yes'))
      const first = open({ model: hangs, strategies: [own] }, place)
      const { id } = await first.engine.start('a goal', { strategy: 'own', budget: { tokens: 1_000_000 } })
      await until(() => count(first.events(id), 'model-start') === 2, 'the model is asked')
      await first.crash()
      const second = open({ model: new ScriptedModel(() => 'yes'), strategies: [own] }, place)
      expect((await ended(await second.engine.resume(id))).result).toBe('done')
      const journal = second.events(id)
      const [closing] = all(journal, 'model-start').filter((start) => start.closing)
      const kept = all(journal, 'block-start').map((start) => start.kept.tokens)
      expect(kept).toEqual([4_000, 4_000, closing?.reserve.tokens])
      expect(violations(journal)).toEqual([])
    })

    it('K3: a crash changes nothing about what is left, but for what was under way', async () => {
      const solve = async (context: Context<never>): Promise<Answer> => {
        if (context.level === 1) {
          await context.one(context.model(request('think', { maxOutputTokens: 100 })))
          await context.one(context.model(request('close', { maxOutputTokens: 100 }), { closing: true }))
          await context.one(context.tool('look', context.path))
          return 'child'
        }
        await context.one(context.call('limited', { budget: { calls: 5, tokens: 5_000 } }))
        await context.all([context.call('one'), context.call('two')])
        await context.one(context.tool('look', 'root'))
        return JSON.stringify({ ...context.budget(), timeMs: 0 })
      }
      const own = strategyOf('own', solve)
      const model = new ScriptedModel(() => reply('yes', { usage: { inputTokens: 30, outputTokens: 10 } }))
      const { tools } = countedTools()
      const whole = await solveWith(solve, { model, tools })
      for (let n = 1; n < whole.journal.length; n++) {
        const place = newPlace()
        const first = open({ model, tools, strategies: [own] }, place, n)
        const id = `crash-${n}`
        await untilCrash(first.engine.start('a goal', { strategy: 'own', id }))
        await first.close()
        const second = open({ model, tools, strategies: [own] }, place)
        const outcome = await ended(await second.engine.resume(id))
        const left = leftWithoutLost(outcome.result, second.events(id))
        expect({ n, left }).toEqual({ n, left: JSON.parse(whole.outcome.result) })
        await second.close()
      }
    })
  },

  ofStrategy({ strategy, solveTask }) {
    it(`K3: ${strategy.name} closes within its limits, as partial`, async () => {
      for (const budget of [{ calls: 3 }, { calls: 6 }, { depth: 1 }, { depth: 0 }, { tokens: 14_000 }]) {
        const { journal, outcome, engine, id } = await solveTask(TREE, {}, { budget })
        expect(violations(journal, { waitsForChildren: true })).toEqual([])
        if ('calls' in budget) expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
        if ('calls' in budget && strategy.closing)
          expect(outcome.result.split('\n\n')[0]).toBe(strategy.closing)
        expect(await replayOf(engine, id)).toEqual([])
      }
    })
  },
}

function leftWithoutLost(result: string, journal: readonly Event[]): { calls: number; tokens: number } {
  const left = JSON.parse(result)
  for (const { usage } of all(journal, 'run-resume').flatMap((event) => event.lost ?? [])) {
    left.calls += usage.calls
    left.tokens += usage.inputTokens + usage.outputTokens
  }
  return left
}

const endless = (tokens = 100) =>
  new ScriptedModel(() => reply('more', { usage: { inputTokens: tokens, outputTokens: 0 } }))
const asksOn = async (context: Context<never>): Promise<Answer> => {
  for (;;) await context.one(context.model(request('more', { maxOutputTokens: 50 })))
}

async function asksMore(context: Context<never>): Promise<Answer> {
  for (let i = 0; i < 50; i++) {
    const [end] = await context.all([context.model(request('more'))])
    if (!end?.ok) return { status: 'partial', result: 'no more', reason: 'the limit' }
  }
  return 'never'
}

function withPrice(model: ScriptedModel): Model {
  return {
    id: model.id,
    call: (asked, io) => model.call(asked, io),
    cost: (usage) => (usage.inputTokens + usage.outputTokens) / 100_000,
  }
}

/** Answers a turn later, so that siblings are under way at the same time. */
function delayed(model: Model): Model {
  return {
    ...(model.cost && { cost: (usage) => model.cost!(usage) }),
    id: model.id,
    async call(asked, io) {
      await turns(1)
      return model.call(asked, io)
    },
  }
}
