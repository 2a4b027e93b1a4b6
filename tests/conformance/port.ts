// What kernel/durable.ts promises, for any host. Each test opens a world (a host on a store), runs a small program on the
// port, and reads the journal. A crash is what the host's own setup makes of it; the test goes on in the world after it.

import { afterEach, describe, expect, it } from 'vitest'
import type { ChildEnd, Durable, Ended, Host, Kernel, Listener, Op } from '../../src/kernel/durable.ts'
import type { AnyStore } from '../../src/kernel/store.ts'
import {
  type Event,
  type EventOf,
  type EventType,
  isPart,
  type Outcome,
  ThinkonError,
} from '../../src/protocol/index.ts'
import { allOf, gate, inTime, never, pause, until } from './async.ts'
import { violations } from './invariants.ts'
import {
  child,
  codeOf,
  free,
  model,
  one,
  outcomeOf,
  type PortKernel,
  portKernel,
  read,
  replyTo,
  runSpec,
  valueOfEnd,
  write,
} from './port-kernel.ts'

export interface World {
  readonly host: Host
  /** To read the journal with. */
  readonly store: AnyStore
  /**
   * The process dies: nothing more is written by it, what it held is free. Another goes on with the same store, and with
   * the kernel given.
   */
  crash(kernel: Kernel): Promise<World>
  close(): Promise<void>
}

export interface PortSetup {
  open(kernel: Kernel): Promise<World>
  /** Why a block that awaits something else than its port can't be ended meanwhile, on a host where that is so. */
  foreignAwaits?: string
  /** A run whose version is not here waits for a process that has it. */
  waitsForVersions?: boolean
}

export function portConformance(name: string, setup: PortSetup): void {
  const worlds: World[] = []

  async function open(kernel: Kernel): Promise<World> {
    const world = await setup.open(kernel)
    worlds.push(world)
    return world
  }

  async function crash(world: World, kernel: Kernel): Promise<World> {
    const next = await world.crash(kernel)
    worlds.push(next)
    return next
  }

  /** Runs to the end, and checks what holds for every journal. */
  async function solve(kernel: Kernel, strategy = 'root', more: Parameters<typeof runSpec>[1] = {}) {
    const world = await open(kernel)
    const spec = runSpec(strategy, more)
    const outcome = await finished(await world.host.start(spec))
    return { world, id: spec.id, outcome, events: await journal(world, spec.id) }
  }

  async function start(
    kernel: Kernel,
    strategy = 'root',
    more: Parameters<typeof runSpec>[1] = {},
    listener?: Listener,
  ) {
    const world = await open(kernel)
    const spec = runSpec(strategy, more)
    const handle = await world.host.start(spec, listener)
    handle.outcome.catch(() => {})
    return { world, id: spec.id, handle, spec }
  }

  async function goOn(world: World, id: string): Promise<Outcome> {
    return finished(await world.host.resume(id))
  }

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close()
  })

  describe(`${name}: steps`, () => {
    it('are recorded from start to end, with their number, value, usage and what is left', async () => {
      const { events, outcome } = await solve(
        portKernel({ root: async (block) => replyTo(block, model('think')) }, { think: () => 'yes' }),
      )
      expect(outcome).toMatchObject({
        status: 'completed',
        result: 'yes',
        usage: { calls: 1, inputTokens: 10 },
      })
      expect(find(events, 'model-start')).toMatchObject({ path: '1', n: 1, request: { kind: 'think' } })
      expect(find(events, 'model-end')).toMatchObject({
        n: 1,
        result: { ok: true, value: { text: 'yes' } },
        usage: { calls: 1, inputTokens: 10, outputTokens: 1 },
      })
      expect(find(events, 'model-end').left.calls).toBe(find(events, 'run-start').limits.calls - 1 - 1)
      expect(violations(events)).toEqual([])
    })

    it('are recorded before the block sees what they came to', async () => {
      let seen: EventType[] = []
      let world: World | undefined
      let id = ''
      const kernel = portKernel({
        async root(block, _spec) {
          await block.all([block.step(read('look'))])
          seen = (await journal(world!, id)).map((event) => event.type)
          return 'done'
        },
      })
      world = await open(kernel)
      const spec = runSpec('root')
      id = spec.id
      await finished(await world.host.start(spec))
      expect(seen).toContain('tool-end')
    })

    it('are started when they are made, not when they are awaited', async () => {
      const kernel = portKernel(
        {
          async root(block) {
            const slow = block.step<string>(read('slow'))
            const fast = block.step(read('fast'))
            await block.all([fast])
            return one<string>(block, slow)
          },
        },
        { slow: async () => 'slow', fast: () => until(() => kernel.begun.includes('slow'), 'slow is begun') },
      )
      expect((await solve(kernel)).outcome.result).toBe('slow')
    })

    it('fail as values: all does not reject, and the failure is in the journal', async () => {
      const { events, outcome } = await solve(
        portKernel(
          {
            async root(block) {
              const ends = await block.all([block.step(read('breaks')), block.step(read('works'))])
              return ends.map(codeOf).join()
            },
          },
          {
            breaks: () => {
              throw new ThinkonError('TOOL_ERROR', 'it broke', { data: { why: 'test' } })
            },
          },
        ),
      )
      expect(outcome.result).toBe('TOOL_ERROR,ok')
      const failed = all(events, 'tool-end').find(({ n }) => n === 1)
      expect(failed?.result).toMatchObject({ ok: false, error: { message: 'it broke' } })
    })

    it('that have ended are not performed again after a crash (K2), whether they succeeded or failed', async () => {
      const programs = {
        async root(block: Durable) {
          const [good] = await block.all([block.step(read('good'))])
          const [bad] = await block.all([block.step(write('bad'))])
          await block.all([block.step(read('hangs'))])
          return `${codeOf(good)} ${codeOf(bad)} ${valueOfEnd(good as Ended)}`
        },
      }
      const bad = () => {
        throw new Error('no')
      }
      const before = portKernel(programs, { good: () => 'first', bad, hangs: never })
      const { world, id } = await start(before)
      await underWay(before, world, id, 'hangs')
      const after = portKernel(programs, { good: () => 'second', bad })
      const outcome = await goOn(await crash(world, after), id)
      expect(outcome.result).toBe('ok TOOL_ERROR first')
      expect(after.begun).toEqual(['hangs'])
    })

    it('that only read and were under way in a crash are performed again, under the same number (K2)', async () => {
      const programs = { root: (block: Durable) => replyTo(block, model('ask')) }
      const before = portKernel(programs, { ask: never })
      const { world, id } = await start(before)
      await underWay(before, world, id)
      const next = await crash(world, portKernel(programs, { ask: () => 'again' }))
      expect((await goOn(next, id)).result).toBe('again')
      const events = await journal(next, id)
      expect(all(events, 'model-start')).toHaveLength(1)
      expect(violations(events)).toEqual([])
    })

    it('that write and were under way in a crash end as interrupted, and the block decides (K2)', async () => {
      const programs = {
        async root(block: Durable) {
          const [ended] = await block.all([block.step(write('pay'))])
          return codeOf(ended)
        },
      }
      const before = portKernel(programs, { pay: never })
      const { world, id } = await start(before)
      await underWay(before, world, id)
      const after = portKernel(programs, { pay: () => 'paid twice' })
      const next = await crash(world, after)
      expect((await goOn(next, id)).result).toBe('INTERRUPTED')
      expect(after.begun).toEqual([])
      const error = find(await journal(next, id), 'tool-end').result
      expect(error).toMatchObject({
        error: { message: expect.stringContaining('may or may not have happened') },
      })
    })

    it('have numbered parts, each paid once even when the step is performed again', async () => {
      const paid: string[] = []
      const programs = { root: (block: Durable) => replyTo(block, model('ask')) }
      const asking = (last: () => Promise<string>) => async (_: unknown, io: { part: Part }) => {
        const pay = (name: string) => async () => {
          paid.push(name)
          return { value: name, usage: { inputTokens: 5, outputTokens: 5 } }
        }
        return `${await io.part(pay('one'))} ${await io.part(pay('two'))} ${await last()}`
      }
      const before = portKernel(programs, { ask: asking(never) as never })
      const { world, id } = await start(before)
      await until(
        async () => paid.length === 2 && all(await journal(world, id), 'part-end').length === 2,
        'two parts are paid',
      )
      const next = await crash(world, portKernel(programs, { ask: asking(async () => 'three') as never }))
      const outcome = await goOn(next, id)
      expect(outcome.result).toBe('one two three')
      expect(paid).toEqual(['one', 'two'])
      // Between two parts nothing is under way.
      expect(outcome.usage.calls).toBe(2)
    })

    it('keep values of any size', async () => {
      const large = 'x'.repeat(1_000_000)
      const { outcome } = await solve(
        portKernel(
          { root: async (block) => String((await one<string>(block, block.step(read('large')))).length) },
          { large: () => large },
        ),
      )
      expect(outcome.result).toBe('1000000')
    })

    it('that nobody is paid for take no call, also where none is left and after a crash', async () => {
      const programs = {
        async root(block: Durable) {
          const [first] = await block.all([block.step(free('look'))])
          const [second] = await block.all([block.step(read('think'))])
          const [third] = await block.all([block.step(free('hangs'))])
          return [first, second, third].map(codeOf).join(' ')
        },
      }
      const limits = { ...runSpec('root').limits, calls: 1 }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before, 'root', { limits })
      await underWay(before, world, id, 'hangs')
      const after = portKernel(programs)
      const next = await crash(world, after)
      expect(await goOn(next, id)).toMatchObject({ result: 'ok ok ok', usage: { calls: 1 } })
      expect(after.begun).toEqual(['hangs'])
    })

    it('are refused by a limit as their recorded result (K3), which is the same after a crash', async () => {
      const programs = {
        async root(block: Durable) {
          const [first] = await block.all([block.step(model('think', 60))])
          const [second] = await block.all([block.step(model('think', 120))])
          await block.all([block.step(read('hangs'))])
          return `${codeOf(first)} ${codeOf(second)}`
        },
      }
      const limits = { ...runSpec('root').limits, tokens: 150 }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before, 'root', { limits })
      await underWay(before, world, id, 'hangs')
      const after = portKernel(programs)
      const next = await crash(world, after)
      expect((await goOn(next, id)).result).toBe('ok LIMIT')
      expect(after.begun).toEqual(['hangs'])
      const refused = all(await journal(next, id), 'model-end')[1]
      expect(refused?.result).toMatchObject({
        ok: false,
        error: { code: 'LIMIT', data: { limit: 'tokens' } },
      })
    })
  })

  describe(`${name}: children`, () => {
    it('give their outcome, with everything that was spent below them', async () => {
      const { outcome, events } = await solve(
        portKernel({
          async root(block, spec) {
            const end = await one<ChildEnd>(block, block.call(child(spec, 1, 'middle')))
            return `${end.outcome.result}, ${end.outcome.usage.calls} calls`
          },
          async middle(block, spec) {
            await block.all([block.step(read('look'))])
            const end = await one<ChildEnd>(block, block.call(child(spec, 1, 'leaf')))
            return `middle of ${end.outcome.result}`
          },
          async leaf(block) {
            await block.all([block.step(read('look')), block.step(read('look'))])
            return 'leaf'
          },
        }),
      )
      expect(outcome.result).toBe('middle of leaf, 3 calls')
      expect(outcome.usage.calls).toBe(3)
      expect(all(events, 'block-start').map((event) => event.path)).toEqual(['1', '1-1', '1-1-1'])
    })

    it('that have ended are not executed again after a crash; those under way go on', async () => {
      const held = gate()
      const programs = {
        async root(block: Durable, spec: Parameters<typeof child>[0]) {
          const done = block.call(child(spec, 1, 'quick'))
          const going = block.call(child(spec, 2, 'slow'))
          const ends = await block.all([done, going])
          return ends.map((end) => outcomeOf(end).result).join(' ')
        },
        quick: async () => 'quick',
        async slow(block: Durable) {
          const before = await one<string>(block, block.step(read('before')))
          await block.all([block.step(read('hold'))])
          return before
        },
      }
      const first = portKernel(programs, { before: () => 'kept', hold: never })
      const { world, id } = await start(first)
      await until(
        async () => first.begun.includes('hold') && ended(await journal(world, id), '1-1'),
        'one child has ended',
      )
      held.open()
      const second = portKernel(programs, { before: () => 'lost', hold: () => null })
      const next = await crash(world, second)
      expect((await goOn(next, id)).result).toBe('quick kept')
      expect(second.executed).not.toContain('1-1')
      expect(second.begun).toEqual(['hold'])
    })

    it('of a strategy that is not there end as failed, and the parent learns of it', async () => {
      const { outcome } = await solve(
        portKernel({
          async root(block, spec) {
            const [end] = await block.all([block.call(child(spec, 1, 'nobody'))])
            const { status, code } = outcomeOf(end)
            return `${status} ${code}`
          },
        }),
      )
      expect(outcome.result).toBe('failed NO_SUCH_STRATEGY')
    })

    it('below the deepest level end as partial with the limit named, and do nothing (K3)', async () => {
      const kernel = portKernel({
        async root(block, spec) {
          const [end] = await block.all([block.call(child(spec, 1, 'root'))])
          const { status, limit } = outcomeOf(end)
          return { status: 'completed', result: `${status} ${limit ?? ''} ${outcomeOf(end).result}`.trim() }
        },
      })
      const limits = { ...runSpec('root').limits, depth: 1 }
      const { outcome } = await solve(kernel, 'root', { limits })
      expect(outcome.result).toBe('completed  partial depth')
      // A host may execute a block from its records as often as it likes.
      expect([...new Set(kernel.executed)]).toEqual(['1', '1-1'])
    })
  })

  describe(`${name}: all and first`, () => {
    it('all gives ends in the order of the operations, whatever the order they came in', async () => {
      const held = gate()
      const { outcome } = await solve(
        portKernel(
          {
            async root(block, spec) {
              const ops = [
                block.step(read('late')),
                block.call(child(spec, 1, 'leaf')),
                block.step(read('early')),
              ]
              const [late, leaf, early] = await block.all(ops)
              return `${valueOfEnd(late as Ended)} ${outcomeOf(leaf).result} ${valueOfEnd(early as Ended)}`
            },
            leaf: async () => 'leaf',
          },
          {
            late: () => held.opened.then(() => 'late'),
            early: () => {
              held.open()
              return 'early'
            },
          },
        ),
      )
      expect(outcome.result).toBe('late leaf early')
    })

    it('all of none, and all of what has ended already, are answered', async () => {
      const { outcome } = await solve(
        portKernel({
          async root(block) {
            const op = block.step(read('look'))
            await block.all([op])
            const none = await block.all([])
            const again = await block.all([op, op])
            return `${none.length} ${again.length}`
          },
        }),
      )
      expect(outcome.result).toBe('0 2')
    })

    it('first records the winner; the others go on and can still be awaited', async () => {
      const held = gate()
      const { outcome, events } = await solve(
        portKernel(
          {
            async root(block) {
              const ops = [block.step(read('slow')), block.step(read('fast'))]
              const winner = await block.first(ops)
              held.open()
              const ends = await block.all(ops)
              return `${winner} ${ends.map((end) => valueOfEnd(end)).join(' ')}`
            },
          },
          { slow: () => held.opened.then(() => 'slow'), fast: () => 'fast' },
        ),
      )
      expect(outcome.result).toBe('1 slow fast')
      expect(find(events, 'first-won')).toMatchObject({ winner: 2 })
    })

    it('first gives the same winner after a crash, though both have ended by then', async () => {
      const held = gate()
      const programs = {
        async root(block: Durable) {
          const ops = [block.step(read('slow')), block.step(read('fast'))]
          const winner = await block.first(ops)
          held.open()
          await block.all(ops)
          await block.all([block.step(read('hangs'))])
          return String(winner)
        },
      }
      const before = portKernel(programs, { slow: () => held.opened, hangs: never })
      const { world, id } = await start(before)
      await underWay(before, world, id, 'hangs')
      expect((await goOn(await crash(world, portKernel(programs)), id)).result).toBe('1')
    })

    it('first of what has ended already is the one that ended first', async () => {
      const held = gate()
      const { outcome } = await solve(
        portKernel(
          {
            async root(block) {
              const ops = [block.step(read('second')), block.step(read('first'))]
              await block.all([ops[1] as Op])
              held.open()
              await block.all(ops)
              return String(await block.first(ops))
            },
          },
          { second: () => held.opened },
        ),
      )
      expect(outcome.result).toBe('1')
    })

    it('first over a wait, a child and a step takes whichever comes', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            const ops = [block.wait('answer'), block.call(child(spec, 1, 'leaf')), block.step(read('hangs'))]
            const winner = await block.first(ops)
            for (const [index, op] of ops.entries()) if (index !== winner) await block.cancel(op, 'too late')
            const ends = await block.all(ops)
            return `${winner} ${codeOf(ends[0])} ${outcomeOf(ends[1]).status} ${codeOf(ends[2])}`
          },
          leaf: (block) => one<string>(block, block.step(read('hangs'))),
        },
        { hangs: never },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 2, 'both steps are under way')
      await world.host.signal(id, '1', 'answer', 'me')
      expect((await finished(handle)).result).toBe('0 ok cancelled CANCELLED')
      expect(violations(await journal(world, id)).filter((line) => !line.startsWith('K1'))).toEqual([])
    })
  })

  describe(`${name}: waits and signals`, () => {
    const asks: Parameters<typeof portKernel>[0] = {
      root: async (block) => JSON.stringify((await one(block, block.wait('answer'))) ?? null),
    }

    it('a wait is answered by a signal of its name, with any value', async () => {
      const { world, id, handle } = await start(portKernel(asks))
      await until(
        async () => all(await journal(world, id), 'signal-asked').length === 1,
        'the question is asked',
      )
      await world.host.signal(id, '1', 'other', 'not this')
      await world.host.signal(id, '1', 'answer', { yes: [1, null] })
      expect((await finished(handle)).result).toBe('{"yes":[1,null]}')
      expect(find(await journal(world, id), 'signal-answered')).toMatchObject({ name: 'answer', number: 1 })
    })

    it('signals that come before the block waits are kept, in order, each taken once', async () => {
      const held = gate()
      const kernel = portKernel(
        {
          async root(block) {
            await block.all([block.step(read('hold'))])
            const answers = [
              block.wait<string>('answer'),
              block.wait<string>('answer'),
              block.wait<string>('answer', undefined, 0),
            ]
            return (await block.all(answers)).map((end) => valueOfEnd(end) ?? 'none').join(' ')
          },
        },
        { hold: () => held.opened },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the block is busy')
      await world.host.signal(id, '1', 'answer', 'first')
      await world.host.signal(id, '1', 'answer', 'second')
      held.open()
      expect((await finished(handle)).result).toBe('first second none')
    })

    it('a signal that comes while the run is down is taken when it goes on', async () => {
      const { world, id } = await start(portKernel(asks))
      await until(
        async () => all(await journal(world, id), 'signal-asked').length === 1,
        'the question is asked',
      )
      const next = await crash(world, portKernel(asks))
      await next.host.signal(id, '1', 'answer', 'while it was down')
      expect((await goOn(next, id)).result).toBe('"while it was down"')
    })

    it('an answer that was taken before a crash is given again, and not taken twice', async () => {
      const programs: typeof asks = {
        async root(block) {
          const first = await one(block, block.wait('answer'))
          await block.all([block.step(read('hangs'))])
          const second = await one(block, block.wait('answer', undefined, 0))
          return `${first} ${second ?? 'none'}`
        },
      }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before)
      await world.host.signal(id, '1', 'answer', 'yes')
      await underWay(before, world, id)
      expect((await goOn(await crash(world, portKernel(programs)), id)).result).toBe('yes none')
    })

    it('a wait with a time-out ends with the fallback, or nothing, when the time is up', async () => {
      const { outcome, events } = await solve(
        portKernel({
          async root(block) {
            const plain = block.wait('answer', undefined, 20)
            const asked = block.wait('approval', { text: 'May I?', fallback: 'no' }, 20)
            const [nothing, fallback] = await block.all([plain, asked])
            return `${JSON.stringify(valueOfEnd(nothing as Ended) ?? null)} ${valueOfEnd(fallback as Ended)}`
          },
        }),
      )
      expect(outcome.result).toBe('null no')
      expect(all(events, 'signal-answered').map((event) => event.number)).toEqual([0, 0])
    })

    it('a look (time-out 0) goes on at once without a signal, and takes one that is there', async () => {
      const held = gate()
      const kernel = portKernel(
        {
          async root(block) {
            const before = await one(block, block.wait<string>('answer', undefined, 0))
            await block.all([block.step(read('hold'))])
            const after = await one(block, block.wait<string>('answer', undefined, 0))
            return `${before ?? 'none'} ${after ?? 'none'}`
          },
        },
        { hold: () => held.opened },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the block is busy')
      await world.host.signal(id, '1', 'answer', 'there')
      held.open()
      expect((await finished(handle)).result).toBe('none there')
    })

    it('messages are given at a look, each once, also after a crash', async () => {
      const programs: typeof asks = {
        async root(block) {
          await block.all([block.step(read('hold'))])
          const first = await block.look()
          await block.all([block.step(read('hangs'))])
          const second = await block.look()
          return [...first, ...second].map((signal) => `${signal.name} ${signal.value}`).join(', ')
        },
      }
      const held = gate()
      const before = portKernel(programs, { hold: () => held.opened, hangs: never })
      const { world, id } = await start(before)
      await until(() => before.begun.length === 1, 'the block is busy')
      await world.host.signal(id, '1', 'message', 'one')
      await world.host.signal(id, '1', 'message', 'two')
      held.open()
      await underWay(before, world, id, 'hangs')
      const next = await crash(world, portKernel(programs))
      expect((await goOn(next, id)).result).toBe('message one, message two')
    })

    it('a redo of a running child ends it, and the parent is told to call again', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            const { outcome, redo } = await one<ChildEnd>(block, block.call(child(spec, 1, 'leaf')))
            return `${outcome.status} ${redo?.message}`
          },
          leaf: (block) => one<string>(block, block.step(read('hangs'))),
        },
        { hangs: never },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the child is busy')
      await world.host.signal(id, '1-1', 'redo', 'more care')
      expect((await finished(handle)).result).toBe('cancelled more care')
    })

    it('a redo of a child that has ended is told to the parent at its next look', async () => {
      const held = gate()
      const kernel = portKernel(
        {
          async root(block, spec) {
            await block.all([block.call(child(spec, 1, 'leaf'))])
            await block.all([block.step(read('hold'))])
            return (await block.look()).map(({ name, path, value }) => `${name} ${path} ${value}`).join()
          },
          leaf: async () => 'leaf',
        },
        { hold: () => held.opened },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the child has ended')
      await world.host.signal(id, '1-1', 'redo', 'again')
      held.open()
      expect((await finished(handle)).result).toBe('redo 1-1 again')
    })

    it('a signal to a run that does not exist is refused', async () => {
      const world = await open(portKernel(asks))
      await expect(world.host.signal('no-such-run', '1', 'answer', 1)).rejects.toMatchObject({
        code: 'UNKNOWN_RUN',
      })
    })
  })

  describe(`${name}: stopping`, () => {
    it('cancel ends a step at once, though the effect does not heed it, and aborts its signal (K7)', async () => {
      let signal: AbortSignal | undefined
      const { outcome, events } = await solve(
        portKernel(
          {
            async root(block) {
              const op = block.step(read('deaf'))
              await block.all([block.step(read('heard'))])
              await block.cancel(op, 'enough')
              return codeOf((await block.all([op]))[0])
            },
          },
          {
            deaf: (_, io) => {
              signal = io.signal
              return never()
            },
            heard: () => until(() => signal !== undefined, 'the other step is under way'),
          },
        ),
      )
      expect(outcome.result).toBe('CANCELLED')
      await until(() => signal?.aborted === true, 'the effect is told')
      expect(violations(events)).toEqual([])
    })

    it('cancel of a child reaches everything below it, and every block below is cancelled (K7, K8)', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            const op = block.call(child(spec, 1, 'middle'))
            await block.all([block.step(read('wait'))])
            await block.cancel(op, 'enough')
            const { status, result } = outcomeOf((await block.all([op]))[0])
            return `${status}: ${result}`
          },
          async middle(block, spec) {
            await block.all([block.call(child(spec, 1, 'leaf')), block.call(child(spec, 2, 'asker'))])
            return 'never'
          },
          leaf: (block) => replyTo(block, model('deaf')),
          asker: (block) => one<string>(block, block.wait<string>('answer') as Op<string>),
        },
        {
          deaf: never,
          wait: () => until(() => kernel.begun.includes('deaf'), 'the grandchild is under way'),
        },
      )
      const { outcome, events } = await solve(kernel)
      expect(outcome.result).toBe('cancelled: what 1-1 has')
      const ends = all(events, 'block-end').filter((event) => event.path !== '1')
      expect(ends.map((event) => event.outcome.status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
      expect(ends.every((event) => event.outside)).toBe(true)
      expect(violations(events).filter((line) => !line.startsWith('K1'))).toEqual([])
    })

    it('a skip ends the block as skipped with what it has; its parent goes on (K4, K7, K8)', async () => {
      let settled = false
      const kernel = portKernel(
        {
          async root(block, spec) {
            const end = await one<ChildEnd>(block, block.call(child(spec, 1, 'leaf')))
            return `${end.outcome.status}: ${end.outcome.result} (${end.outcome.reason})`
          },
          async leaf(block) {
            await block.all([block.step(read('deaf'))])
            settled = true
            return 'never'
          },
        },
        { deaf: never },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the child is busy')
      await world.host.signal(id, '1-1', 'skip', 'not needed')
      expect((await finished(handle)).result).toBe('skipped: what 1-1 has (not needed)')
      await pause(20)
      expect(settled).toBe(false)
    })

    it('cancelling the run ends every block as cancelled, though effects hang (K7)', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            await block.all([1, 2, 3].map((index) => block.call(child(spec, index, 'leaf'))))
            return 'never'
          },
          leaf: (block) => one<string>(block, block.step(write('deaf'))),
        },
        { deaf: never },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 3, 'all children are busy')
      await world.host.cancel(id, 'the person had enough')
      const outcome = await finished(handle)
      expect(outcome).toMatchObject({
        status: 'cancelled',
        result: 'what 1 has',
        reason: 'the person had enough',
      })
      const events = await journal(world, id)
      expect(all(events, 'block-end').every((event) => event.outcome.status === 'cancelled')).toBe(true)
      expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled' })
    })

    it('a cancel that comes while the run is down ends it when it is gone on with, and performs nothing', async () => {
      const programs = { root: (block: Durable) => one<string>(block, block.step(read('hangs'))) }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before)
      await underWay(before, world, id)
      const after = portKernel(programs)
      const next = await crash(world, after)
      await next.host.cancel(id, 'no more')
      expect((await goOn(next, id)).status).toBe('cancelled')
      expect(after.performed).toEqual([])
    })

    it('a signal that ends a block is kept until the block starts', async () => {
      const held = gate()
      const kernel = portKernel(
        {
          async root(block, spec) {
            await block.all([block.step(read('hold'))])
            return outcomeOf((await block.all([block.call(child(spec, 1, 'leaf'))]))[0]).status
          },
          leaf: async () => 'leaf',
        },
        { hold: () => held.opened },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the block is busy')
      await world.host.signal(id, '1-1', 'skip', null)
      held.open()
      expect((await finished(handle)).result).toBe('skipped')
    })

    it('what a block that was ended from outside still tries leaves no trace (K7)', async ({ skip }) => {
      if (setup.foreignAwaits !== undefined) skip(setup.foreignAwaits)
      const held = gate()
      let late = false
      const kernel = portKernel(
        {
          async root(block, spec) {
            await block.all([block.call(child(spec, 1, 'leaf'))])
            await block.all([block.step(read('look'))])
            return 'went on'
          },
          async leaf(block, spec) {
            block.step(read('hangs'))
            await held.opened
            late = true
            block.emit({ type: 'note', name: 'late', data: null })
            await block.all([
              block.step(write('late')),
              block.call(child(spec, 1, 'leaf')),
              block.wait('answer'),
            ])
            return 'never'
          },
        },
        { hangs: never, look: () => until(() => late, 'the child has tried') },
      )
      const { world, id, handle } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the child is busy')
      await world.host.signal(id, '1-1', 'skip', null)
      await until(async () => ended(await journal(world, id), '1-1'), 'the child has ended')
      held.open()
      expect((await finished(handle)).result).toBe('went on')
      expect(kernel.begun).not.toContain('late')
      expect(violations(await journal(world, id)).filter((line) => !line.startsWith('K1'))).toEqual([])
    })
  })

  describe(`${name}: a model that is out`, () => {
    const out = (message: string) => {
      throw new ThinkonError('MODEL_OUTAGE', message, { data: { model: 'm', status: 401 } })
    }

    async function rejection(handle: { outcome: Promise<Outcome> }) {
      return finished(handle).then(
        (outcome) => Promise.reject(new Error(`it ended: ${JSON.stringify(outcome)}`)),
        (thrown) => thrown,
      )
    }

    it('leaves its step open; when the run is resumed it is asked again, and nothing else is', async () => {
      let isOut = true
      const kernel = portKernel(
        {
          async root(block) {
            await one(block, block.step(read('look')))
            return replyTo(block, model('think'))
          },
        },
        { look: () => 'seen', think: () => (isOut ? out('no key') : 'thought') },
      )
      const { world, id, handle } = await start(kernel)
      const error = await rejection(handle)
      expect(error).toMatchObject({
        code: 'MODEL_OUTAGE',
        data: { run: id, path: '1', model: 'm', status: 401, message: 'no key' },
      })
      const before = await journal(world, id)
      expect(before.at(-1)).toMatchObject({
        type: 'run-wait',
        steps: [{ path: '1', n: 2, model: 'm', message: 'no key', status: 401 }],
      })
      expect(await world.store.list()).toMatchObject([{ id, status: 'waiting' }])
      expect(violations(before, { ended: false })).toEqual([])
      expect((await rejection(await world.host.resume(id))).code).toBe('MODEL_OUTAGE')
      isOut = false
      expect(await goOn(world, id)).toMatchObject({ result: 'thought', usage: { calls: 2 } })
      expect(kernel.performed).toEqual(['1 look', '1 think'])
      const events = await journal(world, id)
      expect(violations(events)).toEqual([])
      expect(events.filter(({ type }) => type === 'run-resume')).toHaveLength(2)
      expect(await world.store.list()).toMatchObject([{ id, status: 'completed' }])
    })

    it('lets other branches go on to their ends first, and is nobody’s result', async () => {
      let isOut = true
      const seen: string[] = []
      const kernel = portKernel(
        {
          async root(block, spec) {
            const ends = await block.all([
              block.call(child(spec, 1, 'outside')),
              block.call(child(spec, 2, 'busy')),
            ])
            for (const end of ends) seen.push(outcomeOf(end).result)
            return seen.join()
          },
          outside: (block) => replyTo(block, model('think')),
          async busy(block, spec) {
            for (let step = 1; step <= 3; step++) await one(block, block.step(read('look')))
            return outcomeOf((await block.all([block.call(child(spec, 1, 'leaf'))]))[0]).result
          },
          leaf: (block) => one<string>(block, block.step(read('look'))),
        },
        { look: () => pause(20).then(() => 'seen'), think: () => (isOut ? out('503') : 'thought') },
      )
      const { world, id, handle } = await start(kernel)
      expect((await rejection(handle)).data.steps).toMatchObject([{ path: '1-1', n: 1 }])
      const ended = (await journal(world, id)).flatMap((event) =>
        event.type === 'block-end' ? [event.path] : [],
      )
      expect(ended).toEqual(['1-2-1', '1-2'])
      expect(seen).toEqual([])
      isOut = false
      expect((await goOn(world, id)).result).toBe('thought,seen')
      expect(kernel.performed.filter((step) => step.endsWith('look'))).toHaveLength(4)
      // Archiving is the kernel's.
      expect(violations(await journal(world, id)).filter((line) => !line.startsWith('K1'))).toEqual([])
    })

    it('is asked again after a crash, too', async () => {
      const program = { root: (block: Durable) => replyTo(block, model('think')) }
      const first = portKernel(program, { think: () => out('503') })
      const { world, id, handle } = await start(first)
      await rejection(handle)
      const next = await crash(world, portKernel(program, { think: () => 'thought' }))
      expect((await goOn(next, id)).result).toBe('thought')
      expect(violations(await journal(next, id))).toEqual([])
    })

    it('does not keep a run that waits from being cancelled', async () => {
      const kernel = portKernel(
        { root: (block) => replyTo(block, model('think')) },
        { think: () => out('503') },
      )
      const { world, id, handle } = await start(kernel)
      await rejection(handle)
      await world.host.cancel(id, 'enough')
      expect(await goOn(world, id)).toMatchObject({ status: 'cancelled', reason: 'enough' })
      expect(violations(await journal(world, id))).toEqual([])
    })
  })

  describe(`${name}: the record`, () => {
    it('numbers operations in the order they are made, and emits once however often the block is executed', async () => {
      const programs = {
        async root(block: Durable) {
          block.emit({ type: 'todo-set', todo: ['look'] })
          await block.all([block.step(read('look'))])
          block.emit({ type: 'note', name: 'seen', data: { here: true } })
          await block.all([block.step(read('hangs'))])
          return 'done'
        },
      }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before)
      await underWay(before, world, id, 'hangs')
      const next = await crash(world, portKernel(programs))
      await goOn(next, id)
      const events = await journal(next, id)
      const numbered = events.filter(
        (event) =>
          event.path === '1' && 'n' in event && event.n && !isPart(event) && !event.type.endsWith('-end'),
      )
      expect(numbered.map((event) => `${'n' in event && event.n} ${event.type}`)).toEqual([
        '1 todo-set',
        '2 tool-start',
        '3 note',
        '4 tool-start',
      ])
      expect(violations(events)).toEqual([])
    })

    it('refuses another operation at a number that is taken, and names both', async () => {
      const program = (name: string) => ({
        async root(block: Durable) {
          await block.all([block.step(read(name))])
          return one<string>(block, block.step<string>(read('hangs')))
        },
      })
      const before = portKernel(program('apples'), { hangs: never })
      const { world, id } = await start(before)
      await underWay(before, world, id, 'hangs')
      const next = await crash(world, portKernel(program('pears')))
      const error = await goOn(next, id).then(
        () => null,
        (thrown) => thrown,
      )
      expect(error).toMatchObject({ code: 'NON_DETERMINISM' })
      expect(error.message).toMatch(/apples.*pears/)
      expect((await journal(next, id)).some((event) => event.type === 'run-end')).toBe(false)
    })

    it.skipIf(setup.waitsForVersions)(
      'refuses to go on with a block that another version of its strategy began, and says how',
      async () => {
        const programs = { root: (block: Durable) => one<string>(block, block.step(read('hangs'))) }
        const before = portKernel(programs, { hangs: never })
        const { world, id } = await start(before)
        await underWay(before, world, id)
        const next = await crash(world, portKernel(programs, {}, 2))
        const error = await goOn(next, id).then(
          () => null,
          (thrown) => thrown,
        )
        expect(error).toMatchObject({ code: 'VERSION_MISMATCH' })
        expect(error.message).toMatch(/root@1.*root@2/)
      },
    )

    it('is told to the listener event by event, in order, as it stands in the store', async () => {
      const told: Event[] = []
      const { world, id, handle } = await start(
        portKernel({ root: (block) => one<string>(block, block.step(read('look'))) }, { look: () => 'seen' }),
        'root',
        {},
        (event) => {
          if ('seq' in event) told.push(event)
        },
      )
      await finished(handle)
      await until(() => told.at(-1)?.type === 'run-end', 'the listener is told of the end')
      expect(plain(told)).toEqual(plain(await journal(world, id)))
    })

    it('starting a run that exists attaches to it or gives its outcome; nothing is done again', async () => {
      const held = gate()
      const kernel: PortKernel = portKernel(
        { root: (block) => one<string>(block, block.step(read('hold'))) },
        { hold: () => held.opened.then(() => 'held') },
      )
      const { world, handle, spec } = await start(kernel)
      await until(() => kernel.begun.length === 1, 'the step is under way')
      const attached = await world.host.start(spec)
      held.open()
      expect((await finished(attached)).result).toBe('held')
      await finished(handle)
      expect((await finished(await world.host.start(spec))).result).toBe('held')
      expect((await finished(await world.host.resume(spec.id))).result).toBe('held')
      expect(kernel.begun).toEqual(['hold'])
    })

    it('a run survives one crash after another', async () => {
      const programs = {
        async root(block: Durable) {
          let sum = 0
          for (let step = 1; step <= 4; step++)
            sum += await one<number>(block, block.step(read(`step-${step}`)))
          return String(sum)
        },
      }
      const effects = (hangs: number) =>
        Object.fromEntries(
          [1, 2, 3, 4].map((step) => [`step-${step}`, () => (step === hangs ? never() : step)]),
        )
      const all = [2, 3, 4, 5].map((hangs) => portKernel(programs, effects(hangs)))
      const { world, id } = await start(all[0]!)
      let at = world
      for (const [index, kernel] of all.entries()) {
        if (index === 3) break
        if (index > 0) void at.host.resume(id).then((handle) => handle.outcome.catch(() => {}))
        await underWay(kernel, at, id, `step-${index + 2}`)
        at = await crash(at, all[index + 1]!)
      }
      expect((await goOn(at, id)).result).toBe('10')
      expect(all.flatMap((kernel) => kernel.performed)).toEqual([
        '1 step-1',
        '1 step-2',
        '1 step-3',
        '1 step-4',
      ])
      expect(violations(await journal(at, id))).toEqual([])
    })
  })
}

type Part = <T>(
  run: () => Promise<{ value: T; usage: { inputTokens: number; outputTokens: number } }>,
) => Promise<T>

/** The effect (the first begun, unless named) is under way and on record, so that a crash finds it so. */
async function underWay(kernel: PortKernel, world: World, id: string, wanted?: string): Promise<void> {
  const name = () => kernel.begun.find((begun) => begun === (wanted ?? begun))
  const recorded = async () =>
    (await journal(world, id)).some(
      (event) =>
        (event.type === 'tool-start' && event.name === name()) ||
        (event.type === 'model-start' && event.request.kind === name()),
    )
  await until(async () => name() !== undefined && (await recorded()), `${wanted ?? 'a step'} is under way`)
}

function finished(handle: { outcome: Promise<Outcome> }): Promise<Outcome> {
  return inTime(handle.outcome, 'the run ends')
}

export function journal(world: Pick<World, 'store'>, id: string): Promise<Event[]> {
  return allOf(world.store.read(id))
}

function all<T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[]
}

function find<T extends EventType>(events: readonly Event[], type: T): EventOf<T> {
  const event = all(events, type)[0]
  if (event === undefined) throw new Error(`the journal has no ${type}`)
  return event
}

function ended(events: readonly Event[], path: string): boolean {
  return events.some((event) => event.type === 'block-end' && event.path === path)
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
