// K6 one truth: state is the fold of the journal, and two folds of the same journal are equal.

import { expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { type Event, foldEvents } from '../../../src/protocol/index.ts'
import { ScriptedModel } from '../../../src/testing/index.ts'
import { answerAt } from '../../answers.ts'
import { gate, never, turns, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { countedTools, TREE } from '../tasks.ts'
import { all, count, find } from './journal.ts'
import { ended, replayOf, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const oneTruth: KernelPromise = {
  title: 'K6 one truth',

  ofKernel({ newPlace, open, solveWith }) {
    it('K6: the state of a run that goes on is the fold of its journal so far', async () => {
      const world = open({
        strategies: [
          strategyOf('own', async (context) => String(await context.one(context.ask({ text: 'well?' })))),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'it asks')
      const state = await world.engine.state(run.id)
      expect(state).toEqual(foldEvents(world.events(run.id)))
      expect(state).toMatchObject({ status: 'waiting', outcome: null, openQuestions: 1 })
      await answerAt(run, '1', 'yes')
      await ended(run)
      expect(await world.engine.state(run.id)).toMatchObject({ status: 'completed', openQuestions: 0 })
    })

    it('K6: what was written down does not change when the strategy or a tool changes its data', async () => {
      const changing: Tool = {
        name: 'changing',
        description: 'changes its input',
        access: 'read',
        async run(input) {
          const list = input as { list: number[] }
          list.list.push(2)
          return list
        },
      }
      const { journal } = await solveWith(
        async (context) => {
          const data = { list: [1] }
          context.emit('note', data)
          data.list.push(2)
          const todo = ['one']
          context.plan(todo)
          todo.push('two')
          await context.one(context.tool('changing', { list: [1] }))
          return 'done'
        },
        { tools: [changing] },
      )
      expect(find(journal, 'note').data).toEqual({ list: [1] })
      expect(find(journal, 'todo-set').todo).toEqual(['one'])
      expect(find(journal, 'tool-start').input).toEqual({ list: [1] })
      expect(find(journal, 'tool-end').result).toEqual({ ok: true, value: { list: [1, 2] } })
    })

    it('K6: a history that grows from request to request stands in each as it was then', async () => {
      const { journal, engine, id } = await solveWith(async (context) => {
        const messages: { role: 'user' | 'assistant'; content: string }[] = [{ role: 'user', content: 'one' }]
        for (let i = 0; i < 2; i++) {
          const { text } = await context.one(context.model({ ...request('chat'), messages }))
          messages.push({ role: 'assistant', content: text })
        }
        return 'done'
      })
      expect(all(journal, 'model-start').map((event) => event.request.messages.length)).toEqual([1, 2])
      expect(await replayOf(engine, id)).toEqual([])
    })

    it('K6: replay finds a strategy that has become another, and says where', async () => {
      const place = newPlace()
      const { tools } = countedTools()
      const doing = (what: string) =>
        strategyOf('own', async (context) => String(await context.one(context.tool('look', what))))
      const first = open({ tools, strategies: [doing('apples')] }, place)
      const run = await first.engine.start('a goal', { strategy: 'own' })
      await ended(run)
      await first.close()
      const second = open({ tools, strategies: [doing('pears')] }, place)
      const [difference] = await replayOf(second.engine, run.id)
      expect(difference).toMatchObject({ path: '1', n: 1, what: expect.stringContaining('input') })
    })

    it('K6: a message is taken at the same look again, though an earlier one found nothing', async () => {
      const held = gate()
      const hold: Tool = {
        name: 'hold',
        description: 'holds',
        access: 'read',
        run: () => held.opened.then(() => 'held'),
      }
      const { tools } = countedTools()
      const world = open({
        tools: [...tools, hold],
        strategies: [
          strategyOf('own', async (context) => {
            const [first, second] = [context.tool('look', 1), context.tool('hold', 1)]
            await context.all([first])
            await context.all([second])
            context.emit('known', context.timeline(500))
            return 'done'
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'tool-end') === 1, 'the first tool has ended')
      await turns(5)
      await run.signal('1', 'message', 'hello')
      held.open()
      await ended(run)
      expect(count(world.events(run.id), 'signal-taken')).toBe(1)
      expect(await replayOf(world.engine, run.id)).toEqual([])
    })

    it('K6: a block that was stopped in the middle of its work replays without differences', async () => {
      const world = open({
        model: new ScriptedModel(() => never()),
        strategies: [
          strategyOf('own', async (context) => {
            if (context.level === 0) return (await context.one(context.call('middle'))).status
            if (context.level === 2) return (await context.one(context.model(request('hangs')))).text
            const [first, second] = [context.call('first'), context.call('second')]
            try {
              await context.one(context.model(request('hangs too')))
            } catch {
              context.emit('caught', null)
            }
            await context.all([first])
            await context.all([second])
            return 'never'
          }),
        ],
      })
      const run = await world.engine.start('a goal', { strategy: 'own' })
      await until(() => count(world.events(run.id), 'model-start') === 3, 'all hang')
      await run.signal('1-1', 'skip', 'enough')
      expect((await ended(run)).result).toBe('skipped')
      expect(violations(world.events(run.id))).toEqual([])
      expect(await replayOf(world.engine, run.id)).toEqual([])
    })
  },

  ofStrategy({ strategy, solveTask }) {
    it(`K6: what is told live of ${strategy.name} is what the journal says, and folds to the same state`, async () => {
      const live: Event[] = []
      const { journal, engine, id } = await solveTask(
        TREE,
        {},
        { onEvent: (event) => 'seq' in event && live.push(event) },
      )
      expect(live).toEqual(journal)
      expect(foldEvents(live)).toEqual(await engine.state(id))
      expect(foldEvents(journal)).toEqual(foldEvents(JSON.parse(JSON.stringify(journal))))
    })
  },
}
