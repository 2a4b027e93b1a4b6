// Turns in the budget (K3), for any host: held is not spent. What only fails to fit because others are under way waits, and waiting
// leaves no record; what a death lost is charged.

import { afterEach, describe, expect, it } from 'vitest'
import type { Durable, EffectIo, Kernel } from '../../src/kernel/durable.ts'
import {
  type Event,
  type EventOf,
  type EventType,
  foldEvents,
  type Limits,
  ThinkonError,
} from '../../src/protocol/index.ts'
import { gate, inTime, never, pause, until } from './async.ts'
import { violations } from './invariants.ts'
import { journal, type PortSetup, type World } from './port.ts'
import {
  child,
  codeOf,
  model,
  one,
  outcomeOf,
  portKernel,
  read,
  replyTo,
  runSpec,
  write,
} from './port-kernel.ts'

const PATIENCE_MS = 40_000
/** A call that takes 500 tokens and reserves three times as many; with what the test kernel adds to every step. */
const TAKES = 511
const ask = () => model('ask', 1_500)
const asked = async (_: unknown, io: EffectIo) =>
  io.part(async () => ({ value: 'done', usage: { inputTokens: 300, outputTokens: 200 } }))

export function portTurns(name: string, setup: PortSetup): void {
  const worlds: World[] = []

  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close()
  })

  async function start(kernel: Kernel, limits: Partial<Limits>) {
    const world = await setup.open(kernel)
    worlds.push(world)
    const spec = runSpec('root')
    const handle = await world.host.start({ ...spec, limits: { ...spec.limits, ...limits } })
    handle.outcome.catch(() => {})
    return { world, id: spec.id, handle }
  }

  async function solve(kernel: Kernel, limits: Partial<Limits>) {
    const { world, id, handle } = await start(kernel, limits)
    const outcome = await inTime(handle.outcome, 'the run ends', PATIENCE_MS)
    const events = await journal(world, id)
    expect(faults(events)).toEqual([])
    return { outcome, events }
  }

  async function crash(world: World, kernel: Kernel): Promise<World> {
    const next = await world.crash(kernel)
    worlds.push(next)
    return next
  }

  describe(`${name}: turns in the budget`, () => {
    const leaf = (block: Durable) => replyTo(block, ask())
    const fanOut = (children: number) =>
      portKernel(
        {
          async root(block, spec) {
            const calls = Array.from({ length: children }, (_, i) => block.call(child(spec, i + 1, 'leaf')))
            const ends = await block.all(calls)
            return String(ends.filter((end) => outcomeOf(end).status === 'completed').length)
          },
          leaf,
        },
        { ask: asked },
      )

    it.each([
      ['tokens', { tokens: 20 * TAKES * 1.3 }],
      ['calls', { calls: 26 }],
    ])('20 children at once complete with 1.3 times the %s they need', async (_, limits) => {
      const { outcome, events } = await solve(fanOut(20), limits)
      expect(outcome).toMatchObject({ status: 'completed', result: '20' })
      expect(all(events, 'model-end').every(({ result }) => result.ok)).toBe(true)
    })

    it('nested fan-outs, whose blocks can’t all be open at once, complete too', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            const ends = await block.all([1, 2, 3].map((i) => block.call(child(spec, i, 'middle'))))
            return ends.map((end) => outcomeOf(end).result).join(' ')
          },
          async middle(block, spec) {
            await one(block, block.step(ask()))
            const ends = await block.all([1, 2, 3].map((i) => block.call(child(spec, i, 'leaf'))))
            return ends.map((end) => outcomeOf(end).result).join()
          },
          leaf,
        },
        { ask: asked },
      )
      const { outcome } = await solve(kernel, { tokens: 18_000 })
      expect(outcome.result).toBe('done,done,done done,done,done done,done,done')
    })

    it('steps at once are begun one after the other where there is room for one', async () => {
      const kernel = portKernel({
        async root(block) {
          const ends = await block.all(Array.from({ length: 8 }, () => block.step(model('think', 600))))
          return ends.map(codeOf).join(' ')
        },
      })
      const { outcome, events } = await solve(kernel, { tokens: 1_000 })
      expect(outcome.result).toBe(Array(8).fill('ok').join(' '))
      const steps = events.filter(({ type }) => type === 'model-start' || type === 'model-end')
      expect(steps.map(({ type }) => type)).toEqual(Array(8).fill(['model-start', 'model-end']).flat())
    })

    it('a step is refused at once if it does not fit even when everything under way has come back', async () => {
      const held = gate()
      const kernel = portKernel(
        {
          async root(block) {
            const slow = block.step(model('slow', 500))
            const [large] = await block.all([block.step(model('large', 5_000))])
            await block.all([block.step(read('open')), slow])
            return codeOf(large)
          },
        },
        { slow: () => held.opened, open: () => held.open() },
      )
      const { outcome, events } = await solve(kernel, { tokens: 2_000 })
      expect(outcome.result).toBe('LIMIT')
      expect(kernel.begun).not.toContain('large')
      expect(all(events, 'model-start').find(({ request }) => request.kind === 'large')).toMatchObject({
        reserve: { calls: 0, tokens: 0 },
      })
    })

    it('a step that waits is refused when what it waits for was spent', async () => {
      const kernel = portKernel(
        {
          async root(block) {
            const ends = await block.all([
              block.step(model('spends', 1_400)),
              block.step(model('waits', 1_400)),
            ])
            return ends.map(codeOf).join(' ')
          },
        },
        {
          spends: (_, io) =>
            io.part(async () => ({ value: 'spent', usage: { inputTokens: 1_300, outputTokens: 0 } })),
        },
      )
      const { outcome } = await solve(kernel, { tokens: 2_000 })
      expect(outcome.result).toBe('ok LIMIT')
      expect(kernel.begun).toEqual(['spends'])
    })

    it('a step that waits can be cancelled: it leaves a start that holds nothing, and its end', async () => {
      const kernel = portKernel(
        {
          async root(block) {
            const slow = block.step(model('slow', 1_000))
            const waits = block.step(model('waits', 1_000))
            await block.all([block.step(read('look'))])
            await block.cancel(waits, 'enough')
            await block.cancel(slow, 'enough')
            return codeOf((await block.all([waits]))[0])
          },
        },
        { slow: never },
      )
      const { outcome, events } = await solve(kernel, { tokens: 1_800 })
      expect(outcome.result).toBe('CANCELLED')
      expect(kernel.begun).not.toContain('waits')
      expect(all(events, 'model-start')[1]).toMatchObject({ n: 2, reserve: { calls: 0, tokens: 0 } })
      expect(all(events, 'model-end')[0]).toMatchObject({ n: 2, usage: { calls: 0 } })
    })

    it('a block that waits can be skipped, and is cancelled with its parent', async () => {
      const kernel = portKernel(
        {
          async root(block, spec) {
            const slow = block.step(model('slow', 4_000))
            const calls = [1, 2].map((index) => block.call(child(spec, index, 'leaf')))
            await block.all([slow, ...calls])
            return 'never'
          },
          leaf,
        },
        { slow: never },
      )
      const { world, id, handle } = await start(kernel, { tokens: 7_000 })
      const starts = async () => all(await journal(world, id), 'block-start').length
      await until(() => kernel.begun.includes('slow'), 'the step is under way')
      await until(async () => (await starts()) > 0, 'the root is in the journal')
      await pause(50)
      expect(await starts()).toBe(1)
      await world.host.signal(id, '1-2', 'skip', 'not needed')
      const ends = async () => all(await journal(world, id), 'block-end')
      await until(async () => (await ends()).length === 1, 'the block is skipped')
      expect((await ends())[0]).toMatchObject({ path: '1-2', outcome: { status: 'skipped' } })
      await world.host.cancel(id, 'enough')
      expect((await inTime(handle.outcome, 'the run ends')).status).toBe('cancelled')
      expect((await ends()).map(({ path, outcome }) => `${path} ${outcome.status}`)).toEqual([
        '1-2 skipped',
        '1-1 cancelled',
        '1 cancelled',
      ])
      expect(faults(await journal(world, id))).toEqual([])
    })

    it('a further part waits for its turn, and one that failed gives back what it held', async () => {
      const held = gate()
      const part = (tokens: number) => async () => ({
        value: 'paid',
        usage: { inputTokens: tokens, outputTokens: 0 },
      })
      const kernel = portKernel(
        {
          async root(block) {
            const ends = await block.all([block.step(model('parts', 500)), block.step(model('slow', 700))])
            await one(block, block.step(model('last', 1_000)))
            return ends.map(codeOf).join(' ')
          },
        },
        {
          slow: () => held.opened,
          async parts(_, io) {
            await io.part(part(100))
            setTimeout(held.open, 100)
            const failed = io.part(
              async () => {
                throw new ThinkonError('MODEL_ERROR', 'no')
              },
              { calls: 1, tokens: 1_000, costUsd: 0 },
            )
            await failed.catch(() => {})
            return io.part(part(100), { calls: 1, tokens: 1_000, costUsd: 0 })
          },
        },
      )
      const { outcome } = await solve(kernel, { tokens: 1_900 })
      expect(outcome.result).toBe('ok ok')
      expect(outcome.usage).toMatchObject({ calls: 4 })
    })

    it('what waits for its turn in a crash gets it afterwards', async () => {
      const programs = {
        async root(block: Durable, spec: Parameters<typeof child>[0]) {
          const pay = { ...write('pay'), reserve: { calls: 1, tokens: 3_000, costUsd: 0 } }
          const ops = [block.step(pay), block.step(model('waits', 4_000)), block.call(child(spec, 1, 'leaf'))]
          const [paid, waited, called] = await block.all(ops)
          return `${codeOf(paid)} ${codeOf(waited)} ${outcomeOf(called).result}`
        },
        leaf,
      }
      const before = portKernel(programs, { pay: never })
      const { world, id } = await start(before, { tokens: 8_000 })
      await until(() => before.begun.includes('pay'), 'the step is under way')
      await pause(50)
      const after = portKernel(programs, { ask: asked })
      const next = await crash(world, after)
      const { outcome } = await next.host.resume(id)
      expect((await inTime(outcome, 'the run ends', PATIENCE_MS)).result).toBe('INTERRUPTED ok done')
      expect(before.begun).toEqual(['pay'])
      expect(after.begun).toEqual(['waits', 'ask'])
      expect(faults(await journal(next, id))).toEqual([])
    })

    it('what was under way in a crash is charged what it had reserved, each time, and refused when that was all', async () => {
      const programs = {
        async root(block: Durable) {
          const ends = await block.all([block.step(model('hangs', 400)), block.step(model('hangs', 400))])
          return ends.map(codeOf).join(' ')
        },
      }
      let kernel = portKernel(programs, { hangs: never })
      const { world, id, handle } = await start(kernel, { tokens: 2_500 })
      let at = world
      let { outcome } = handle
      for (let kill = 1; kill <= 2; kill++) {
        const begun = async () =>
          kernel.begun.length === 2 && all(await journal(at, id), 'model-start').length === 2
        await until(begun, 'both steps are under way')
        kernel = portKernel(programs, { hangs: never })
        at = await crash(at, kernel)
        ;({ outcome } = await at.host.resume(id))
        outcome.catch(() => {})
      }
      const { result, usage } = await inTime(outcome, 'the run ends', PATIENCE_MS)
      expect(result).toBe('LIMIT LIMIT')
      expect(usage).toMatchObject({ calls: 4, lostTokens: 1_600, outputTokens: 1_600 })
      const events = await journal(at, id)
      expect(faults(events)).toEqual([])
      // One event for each death.
      expect(all(events, 'run-resume').map(({ lost }) => lost?.length)).toEqual([2, 2])
      expect(foldEvents(events).usage).toEqual(usage)
    })

    it('a further part that was under way in a crash is charged what it had reserved', async () => {
      const programs = { root: (block: Durable) => replyTo(block, model('parts', 300)) }
      const parts = (second: () => Promise<never> | string) => async (_: unknown, io: EffectIo) => {
        const usage = { inputTokens: 50, outputTokens: 50 }
        await io.part(async () => ({ value: 'first', usage }))
        return io.part(async () => ({ value: await second(), usage }), { calls: 1, tokens: 700, costUsd: 0 })
      }
      const { world, id } = await start(portKernel(programs, { parts: parts(never) }), { tokens: 10_000 })
      await until(
        async () => all(await journal(world, id), 'part-start').length === 1,
        'the second part is under way',
      )
      const next = await crash(world, portKernel(programs, { parts: parts(() => 'second') }))
      const { outcome } = await next.host.resume(id)
      const { result, usage } = await inTime(outcome, 'the run ends')
      expect(result).toBe('second')
      expect(usage).toMatchObject({ calls: 3, lostTokens: 700 })
      expect(faults(await journal(next, id))).toEqual([])
    })

    it('a run that a crash has starved can be given more, which is recorded; nothing is taken back', async () => {
      const programs = {
        async root(block: Durable, { path }: { path: string }, { maxLevel }: { maxLevel: number }) {
          const [end] = await block.all([block.step(model('hangs', 1_000))])
          return `${path} ${maxLevel} ${codeOf(end)}`
        },
      }
      const before = portKernel(programs, { hangs: never })
      const { world, id } = await start(before, { tokens: 2_400, depth: 2 })
      await until(
        async () => all(await journal(world, id), 'model-start').length === 1,
        'the step is under way',
      )
      await until(() => before.begun.length === 1, 'the step is being performed')
      const next = await crash(world, portKernel(programs))
      const lower = next.host.resume(id, undefined, { budget: { tokens: 1_000 } })
      await expect(lower).rejects.toMatchObject({ code: 'BAD_INPUT' })
      const { outcome } = await next.host.resume(id, undefined, { budget: { tokens: 4_000, depth: 5 } })
      expect((await inTime(outcome, 'the run ends')).result).toBe('1 2 ok')
      const events = await journal(next, id)
      expect(foldEvents(events).limits).toMatchObject({ tokens: 4_000, depth: 5 })
      expect(faults(events)).toEqual([])
    })
  })
}

/** Archiving is the kernel's. */
function faults(events: readonly Event[]): string[] {
  return violations(events).filter((line) => !line.startsWith('K1'))
}

function all<T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[]
}
