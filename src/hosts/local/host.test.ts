// What is particular to the local host; what every host promises is in tests/conformance/port.ts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gate, inTime, never, pause, until } from '../../../tests/conformance/async.ts'
import { child, codeOf, one, portKernel, read, runSpec } from '../../../tests/conformance/port-kernel.ts'
import type { Durable, Host } from '../../kernel/durable.ts'
import type { Store } from '../../kernel/store.ts'
import type { Event } from '../../protocol/index.ts'
import { memoryStore } from '../../store/memory.ts'
import { sqliteStore } from '../../store/sqlite.ts'
import { crashAt, manualClock } from '../../testing/index.ts'
import { localHost } from './host.ts'

let folder = ''
const stores: Store[] = []
const hosts: Host[] = []

function open(): Store {
  const store = sqliteStore(join(folder, 'store.db'), { synchronous: 'normal' })
  stores.push(store)
  return store
}

function hostOn(...parts: Parameters<typeof localHost>) {
  const host = localHost(...parts)
  hosts.push(host)
  return host
}

const count = (store: Store, id: string, type: Event['type']) =>
  [...store.read(id)].filter((event) => event.type === type).length

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-host-'))
})

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close()
  for (const store of stores.splice(0)) store.close()
  rmSync(folder, { recursive: true, force: true })
})

const asksTwice = portKernel({
  async root(block) {
    const first = await one(block, block.wait('answer'))
    const second = await one(block, block.wait('answer'))
    return `${first} ${second}`
  },
})

describe('the local host', () => {
  it('takes signals that another process put into the inbox', async () => {
    const host = hostOn(open(), asksTwice)
    const spec = runSpec('root')
    const run = await host.start(spec)
    const other = open()
    other.send(spec.id, '1', 'answer', 'one')
    other.send(spec.id, '1', 'answer', 'two')
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('one two')
  })

  it('loses no signal when another process and its own caller send at the same time', async () => {
    const store = open()
    const host = hostOn(store, asksTwice)
    const spec = runSpec('root')
    const run = await host.start(spec)
    await until(() => count(store, spec.id, 'signal-asked') === 1, 'it asks')
    open().send(spec.id, '1', 'answer', 'from outside')
    await host.signal(spec.id, '1', 'answer', 'from here')
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('from outside from here')
  })

  it('takes an answer that came while it was down before it looks whether the time was up', async () => {
    const store = open()
    const clock = manualClock()
    const program = portKernel({
      async root(block: Durable) {
        for (let i = 0; i < 300; i++) await block.all([block.step(read('look'))])
        return String(await one(block, block.wait('answer', { text: 'well?', fallback: 'too late' }, 1_000)))
      },
    })
    const spec = runSpec('root')
    const first = hostOn(store, program, clock)
    await first.start(spec)
    await until(() => count(store, spec.id, 'signal-asked') === 1, 'it asks')
    await first.close()
    await clock.advance(5_000)
    store.send(spec.id, '1', 'answer', 'in time')
    // A clock whose timers fire as early as any can.
    const hasty = {
      nowMs: clock.nowMs,
      after(ms: number, callback: () => void) {
        if (ms <= 0) callback()
        return () => {}
      },
    }
    const run = await hostOn(store, program, hasty).resume(spec.id)
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('in time')
  })

  it('waits only for the rest of a time-out after a resume', async () => {
    const store = open()
    const clock = manualClock()
    const program = portKernel({
      root: async (block) =>
        String(await one(block, block.wait('answer', { text: 'well?', fallback: 'time is up' }, 1_000))),
    })
    const spec = runSpec('root')
    const first = hostOn(store, program, clock)
    await first.start(spec)
    await clock.advance(600)
    await first.close()
    const run = await hostOn(store, program, clock).resume(spec.id)
    await clock.advance(399)
    expect(count(store, spec.id, 'signal-answered')).toBe(0)
    await clock.advance(1)
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('time is up')
  })

  for (const [where, make] of [
    ['memory', memoryStore],
    ['SQLite', open],
  ] as const) {
    it(`lets others have a run that it could not go on with (${where})`, async () => {
      const store = make()
      const spec = runSpec('root')
      const program = (name: string) => ({
        async root(block: Durable) {
          await block.all([block.step(read(name))])
          return one<string>(block, block.step<string>(read('hangs')))
        },
      })
      const before = portKernel(program('apples'), { hangs: never })
      const first = hostOn(store, before)
      await first.start(spec)
      await until(() => count(store, spec.id, 'tool-start') === 2, 'it hangs')
      await first.close()
      const wrong = hostOn(store, portKernel(program('pears')))
      await expect((await wrong.resume(spec.id)).outcome).rejects.toMatchObject({ code: 'NON_DETERMINISM' })
      const right = hostOn(store, portKernel(program('apples'), { hangs: () => 'no more' }))
      expect((await inTime((await right.resume(spec.id)).outcome, 'the run ends')).result).toBe('no more')
    })
  }

  it('passes the end of a child on at once: a crash before its commit repeats no step of the child', async () => {
    const store = crashAt(open())
    let lives = 0
    const kernel = portKernel(
      {
        async root(block, spec) {
          await one(block, block.call(child(spec, 1, 'leaf')))
          return String(await one(block, block.step(read('after'))))
        },
        leaf: async (block) => String(await one(block, block.step(read('inside')))),
      },
      {
        after: () => {
          if (lives++ > 0) return 'again'
          store.crash()
          return never()
        },
      },
    )
    const spec = runSpec('root')
    const run = await hostOn(store, kernel).start(spec)
    await expect(run.outcome).rejects.toThrow('simulated crash')
    expect(count(open(), spec.id, 'block-end')).toBe(0)
    const resumed = await hostOn(open(), kernel).resume(spec.id)
    expect((await resumed.outcome).result).toBe('again')
    expect(kernel.begun).toEqual(['inside', 'after', 'after'])
  })

  it('commits the end of a child together with what its parent does next', async () => {
    const store = open()
    const sizes: number[] = []
    const counting: Store = {
      ...store,
      append(run, epoch, drafts, flush) {
        sizes.push(drafts.length)
        return store.append(run, epoch, drafts, flush)
      },
    }
    const kernel = portKernel({
      async root(block, spec) {
        if (spec.ancestors.length < 7) await one(block, block.call(child(spec, 1, 'root')))
        return String(await one(block, block.step(read('look'))))
      },
    })
    await (await hostOn(counting, kernel).start(runSpec('root'))).outcome
    // Eight steps, and the end of the run.
    expect(sizes).toHaveLength(9)
  })

  it('stops when the store fails: effects are aborted, nothing more is written, the journal is whole', async () => {
    const inner = memoryStore()
    const store = crashAt(inner, 6)
    const signals: AbortSignal[] = []
    const kernel = portKernel(
      {
        async root(block) {
          block.step(read('hangs'))
          for (;;) await block.all([block.step(read('look'))])
        },
      },
      {
        hangs: (_input, io) => {
          signals.push(io.signal)
          return never()
        },
      },
    )
    const spec = runSpec('root')
    const run = await hostOn(store, kernel).start(spec)
    await expect(run.outcome).rejects.toThrow('simulated crash')
    expect(signals[0]?.aborted).toBe(true)
    const begun = kernel.begun.length
    await pause(20)
    expect(kernel.begun).toHaveLength(begun)
    expect([...inner.read(spec.id)].map((event) => event.seq)).toEqual(
      store.committed === 6 ? [1, 2, 3, 4, 5, 6] : expect.any(Array),
    )
  })

  it('leaves runs as they are when it is closed, to be gone on with later', async () => {
    const store = open()
    const held = gate()
    const kernel = portKernel(
      { root: (block) => one<string>(block, block.step<string>(read('hold'))) },
      { hold: () => held.opened.then(() => 'held') },
    )
    const spec = runSpec('root')
    const first = hostOn(store, kernel)
    const run = await first.start(spec)
    await first.close()
    await expect(run.outcome).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: expect.stringContaining(`resume ${spec.id}`),
    })
    held.open()
    const again = await hostOn(store, kernel).resume(spec.id)
    expect((await inTime(again.outcome, 'the run ends')).result).toBe('held')
  })

  it('resumes a run once, however many ask for it at the same time', async () => {
    const store = open()
    const spec = runSpec('root')
    const first = hostOn(store, asksTwice)
    await first.start(spec)
    await first.close()
    const host = hostOn(store, asksTwice)
    const [one, other] = await Promise.all([host.resume(spec.id), host.resume(spec.id)])
    expect(one).toBe(other)
    for (const answer of ['a', 'b']) await host.signal(spec.id, '1', 'answer', answer)
    expect((await inTime(other.outcome, 'the run ends')).result).toBe('a b')
    expect(count(store, spec.id, 'run-resume')).toBe(1)
  })

  it('stops a step at the deadline of its own block while others go on', async () => {
    const clock = manualClock()
    const store = memoryStore()
    const held = gate()
    const kernel = portKernel(
      {
        async root(block, spec) {
          const limited = {
            path: '1-1',
            goal: 'limited',
            strategy: 'leaf',
            options: {},
            ancestors: [],
            timeline: [],
            limits: { timeMs: 100 },
          }
          const ends = await block.all([block.call({ ...spec, ...limited }), block.step(read('hold'))])
          return ends.map((end) => JSON.stringify(end.result.ok && end.result.value)).join()
        },
        async leaf(block) {
          const [end] = await block.all([block.step(read('hangs'))])
          return codeOf(end)
        },
      },
      { hangs: never, hold: () => held.opened.then(() => 'went on') },
    )
    const run = await hostOn(store, kernel, clock).start(runSpec('root'))
    await until(() => kernel.begun.length === 2, 'both steps are under way')
    await clock.advance(150)
    held.open()
    const outcome = await inTime(run.outcome, 'the run ends')
    expect(outcome.result).toContain('"result":"LIMIT"')
    expect(outcome.result).toContain('"went on"')
  })
})
