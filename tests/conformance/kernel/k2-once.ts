// K2 once: a step that finished is never run again: not after a crash at any event, not on replay, and on a fork none of those
// before the fork. A write that was under way is not repeated either: the block is told that it was interrupted.

import { expect, it } from 'vitest'
import type { Context } from '../../../src/kernel/strategy.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import { manualClock, ScriptedModel } from '../../../src/testing/index.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { counted, countedTools, TREE } from '../tasks.ts'
import { all, interrupts, pick, shapeOf, stepsOf, twice, withoutLost } from './journal.ts'
import { codeOf, ended, replayOf, request, strategyOf, untilCrash } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const once: KernelPromise = {
  title: 'K2 once',

  ofKernel({ newPlace, open, solveWith }) {
    it('K2: an edit at a fork replaces that entry only, and the run goes on from it', async () => {
      const solve = async (context: Context<never>) => {
        const first = await context.one(context.tool('look', 1))
        const second = await context.one(context.tool('look', 2))
        return `${JSON.stringify(first)} ${JSON.stringify(second)}`
      }
      const { tools } = countedTools()
      const { engine, id, journal } = await solveWith(solve, { tools })
      const at = all(journal, 'tool-end')[0]!.seq
      const fork = await engine.fork(id, at, { value: 'edited' })
      expect((await ended(await engine.resume(fork))).result).toBe('"edited" {"seen":2}')
      expect((await engine.state(id)).outcome?.result).toBe('{"seen":1} {"seen":2}')
    })

    it('K2: a write that was under way in a crash is told as interrupted to the block, which decides', async () => {
      const place = newPlace()
      const calls: string[] = []
      const held: { hangs: boolean } = { hangs: true }
      const pay: Tool = {
        name: 'pay',
        description: 'pays',
        access: 'write',
        async run() {
          calls.push('pay')
          return held.hangs ? never() : 'paid'
        },
      }
      const own = strategyOf('own', async (context) => {
        const [paid] = await context.all([context.tool('pay', {})])
        return `${codeOf(paid)}; ${context.timeline(500)}`
      })
      const first = open({ tools: [pay], strategies: [own] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own' })
      await until(() => calls.length === 1, 'the payment is under way')
      await first.crash()
      held.hangs = false
      const second = open({ tools: [pay], strategies: [own] }, place)
      const outcome = await ended(await second.engine.resume(run.id))
      expect(outcome.result).toMatch(/^INTERRUPTED; .*may or may not have happened/)
      expect(calls).toEqual(['pay'])
    })

    it('K2: now() and random() are the same when the block is executed again', async () => {
      const place = newPlace()
      const clock = manualClock()
      const seen: string[] = []
      const own = strategyOf('own', async (context) => {
        const values = [context.now(), context.random()]
        await context.one(context.tool('look', 1))
        values.push(context.now(), context.random())
        seen.push(JSON.stringify(values))
        await context.one(context.model(request('ask')))
        return JSON.stringify(values)
      })
      const { tools } = countedTools()
      const first = open({ tools, strategies: [own], clock, model: new ScriptedModel(() => never()) }, place)
      const run = await first.engine.start('a goal', { strategy: 'own' })
      await until(() => seen.length === 1, 'the model is asked')
      await first.crash()
      await clock.advance(60_000)
      const second = open({ tools, strategies: [own], clock, model: new ScriptedModel(['yes']) }, place)
      expect((await ended(await second.engine.resume(run.id))).result).toBe(seen[0])
      expect(seen[1]).toBe(seen[0])
    })

    it('K2: forking at a step that a limit had refused does not let it through (K3)', async () => {
      const solve = async (context: Context<never>) => {
        const codes: string[] = []
        for (let step = 1; step <= 3; step++)
          codes.push(codeOf((await context.all([context.tool('look', step)]))[0]))
        return codes.join()
      }
      const { tools } = countedTools()
      const { engine, id, journal, events, outcome } = await solveWith(
        solve,
        { tools },
        { budget: { calls: 3 } },
      )
      expect(outcome.result).toBe('ok,ok,LIMIT')
      const fork = await engine.fork(id, all(journal, 'tool-start')[2]!.seq)
      expect((await ended(await engine.resume(fork))).result).toBe('ok,ok,LIMIT')
      expect(violations(events(fork))).toEqual([])
    })

    it('K2: forking at a block that the depth had refused does not let it through (K3)', async () => {
      const solve = async (context: Context<never>) => {
        if (context.level === 1) return JSON.stringify(await context.one(context.tool('look', 1)))
        return (await context.one(context.call('deeper'))).status
      }
      const { tools } = countedTools()
      const { engine, id, journal } = await solveWith(solve, { tools }, { budget: { depth: 0 } })
      const fork = await engine.fork(id, all(journal, 'block-start')[1]!.seq)
      expect((await ended(await engine.resume(fork))).result).toBe('partial')
    })
  },

  ofStrategy({ newPlace, open, strategy, tested, every, solveTask }) {
    it(`K2: ${strategy.name} crashed after every event in turn comes to the same, and no finished step is run twice`, async () => {
      const whole = await solveTask()
      const expected = shapeOf(whole.journal)
      for (let n = 1; n < whole.journal.length; n += every) {
        const place = newPlace()
        const { tools, performed } = countedTools()
        const model = counted(strategy.model(TREE))
        const first = open({ model, tools }, place, n)
        const id = `crash-${n}`
        await untilCrash(first.engine.start(TREE.goal, { ...tested, id }))
        await first.close()
        const second = open({ model, tools }, place)
        const outcome = await ended(await second.engine.resume(id))
        const journal = second.events(id)
        // A write that was under way is told as interrupted, in prompts that are longer for it; a plan may go another way.
        const told = interrupts(journal.slice(0, first.store.committed))
        if (!told || !strategy.wraps) expect({ n, shape: shapeOf(journal) }).toEqual({ n, shape: expected })
        if (told) expect(outcome).toMatchObject({ status: 'completed', result: whole.outcome.result })
        else expect(pick(withoutLost(outcome, journal))).toEqual(pick(whole.outcome))
        expect(twice(journal, [...model.performed, ...performed], n)).toEqual([])
        expect(violations(journal, { waitsForChildren: true })).toEqual([])
        expect(await replayOf(second.engine, id)).toEqual([])
        expect(all(journal, 'run-resume').flatMap(({ changes = [] }) => changes)).toEqual([])
        await second.close()
      }
    })

    it('K2: replay calls no model and no tool, and finds no difference', async () => {
      const { engine, id, model, performed } = await solveTask()
      const before = [model.calls.length, performed.length]
      const replayed = await engine.replay(id)
      expect(replayed.differences).toEqual([])
      expect(replayed.outcome?.status).toBe('completed')
      expect([model.calls.length, performed.length]).toEqual(before)
    })

    it(`K2: ${strategy.name} forked at every event runs nothing that had ended before, and comes to the same`, async () => {
      const { journal, id, place, outcome, close } = await solveTask()
      await close()
      const { tools, performed } = countedTools()
      const model = counted(strategy.model(TREE))
      const world = open({ model, tools }, place)
      for (let at = 1; at < journal.length - 1; at += every) {
        model.performed.length = 0
        performed.length = 0
        const fork = await world.engine.fork(id, at)
        const forked = await ended(await world.engine.resume(fork))
        const past = journal.slice(0, at)
        const again = [...model.performed, ...performed].filter((step) => stepsOf(past).includes(step))
        expect({ at, again }).toEqual({ at, again: [] })
        // A write that was under way at the fork counts as interrupted: the run may then go another way.
        if (!interrupts(past)) expect({ at, ...pick(forked) }).toEqual({ at, ...pick(outcome) })
        expect(violations(world.events(fork), { waitsForChildren: true })).toEqual([])
        expect({ at, differences: await replayOf(world.engine, fork) }).toEqual({ at, differences: [] })
      }
    })
  },
}
