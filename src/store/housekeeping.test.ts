// Keeping house, for every store: choosing runs, deleting them, importing them; and what a store in memory forgets.

import { afterEach, describe, expect, it } from 'vitest'
import { all, later, storesOfAllKinds } from '../../tests/stores.ts'
import type { AnyStore, Draft, RunQuery, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Goal } from '../protocol/index.ts'
import { memoryStore } from './memory.ts'

const first = (goal: Goal): Draft => ({
  type: 'run-start',
  format: 1,
  goal,
  strategy: 'minimal@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
})
const note = (data: unknown = null): Draft => ({
  type: 'note',
  n: 1,
  name: 'note',
  data,
  path: '1',
  atMs: 2_000,
})
const end = (status: 'completed' | 'failed' = 'completed'): Draft => ({
  type: 'run-end',
  status,
  path: '1',
  atMs: 3_000,
})

/** A run that has ended and was released. */
async function ended(
  store: AnyStore,
  id: string,
  goal: Goal = 'a goal',
  status?: 'completed' | 'failed',
): Promise<void> {
  const epoch = await store.create({ id, goal, strategy: 'minimal' }, first(goal))
  await store.append(id, epoch, [note('x'), end(status)], false)
  await store.release(id, epoch)
}

const swept = async (store: AnyStore) => (await all(store.sweep())).at(-1)
const UNKNOWN = expect.objectContaining({ code: 'UNKNOWN_RUN' })
const LOCKED = expect.objectContaining({ code: 'RUN_LOCKED' })

const opened: AnyStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

describe.each(storesOfAllKinds())('a store %s', (_, open) => {
  const store = async () => {
    const made = await open()
    opened.push(made)
    return made
  }
  const ids = async (made: AnyStore, query: RunQuery) => (await made.list(query)).map(({ id }) => id)

  it('lists at most so many runs, the newest, and counts all', async () => {
    const made = await store()
    for (const id of ['a', 'b', 'c']) await ended(made, id)
    expect(await ids(made, { limit: 2 })).toEqual(['c', 'b'])
    expect(await ids(made, { limit: 0 })).toEqual([])
    expect(await ids(made, {})).toEqual(['c', 'b', 'a'])
    expect(await ids(made, { limit: 2, offset: 1 })).toEqual(['b', 'a'])
    expect(await ids(made, { offset: 2 })).toEqual(['a'])
    expect(await ids(made, { offset: 9 })).toEqual([])
    expect(await made.count({ limit: 2, offset: 2 })).toBe(3)
    expect(await made.count()).toBe(3)
  })

  it('lists runs by status: a run that nobody works on is stopped, not running', async () => {
    const made = await store()
    await ended(made, 'fine')
    await ended(made, 'bad', 'a goal', 'failed')
    await made.create({ id: 'going', goal: 'g', strategy: 's' }, first('g'))
    await made.release('halted', await made.create({ id: 'halted', goal: 'g', strategy: 's' }, first('g')))
    const out = await made.create({ id: 'out', goal: 'g', strategy: 's' }, first('g'))
    await made.append('out', out, [{ type: 'run-wait', steps: [], path: '1', atMs: 1 }], false)
    await made.release('out', out)
    expect(await ids(made, { status: 'running' })).toEqual(['going'])
    expect(await ids(made, { status: 'stopped' })).toEqual(['halted'])
    expect(await ids(made, { status: 'waiting' })).toEqual(['out'])
    expect(await ids(made, { status: ['failed', 'completed'] })).toEqual(['bad', 'fine'])
    expect(await ids(made, { status: [] })).toEqual([])
    expect(await made.count({ status: ['failed', 'stopped'] })).toBe(2)
  })

  it('finds text in goals and ids, in any case, of any language and form', async () => {
    const made = await store()
    await ended(made, '261116-abc', 'Sort the "Mail"\nby date 100%_')
    await ended(made, '261116-def', 'ÄPFEL zählen: café')
    await ended(made, '261116-ghi', {
      intent: '写一份报告',
      deliverable: 'a page',
      metric: 'm',
      constraint: 'none',
    })
    const found = async (search: string) => (await ids(made, { search })).map((id) => id.slice(-3))
    expect(await found('äpfel')).toEqual(['def'])
    expect(await found('cafe\u0301')).toEqual(['def'])
    expect(await found('"mail"\nBY')).toEqual(['abc'])
    expect(await found('100%_')).toEqual(['abc'])
    expect(await found('报告')).toEqual(['ghi'])
    expect(await found('A PAGE')).toEqual(['ghi'])
    expect(await found('deliverable_')).toEqual([])
    expect(await found('-DEF')).toEqual(['def'])
    expect(await found('')).toHaveLength(3)
    expect(await made.count({ search: 'SORT' })).toBe(1)
  })

  it('lists runs by strategy', async () => {
    const made = await store()
    await made.create({ id: 'a', goal: 'g', strategy: 'cot' }, first('g'))
    await made.create({ id: 'b', goal: 'g', strategy: 'tot' }, first('g'))
    await made.create({ id: 'c', goal: 'g', strategy: 'cot' }, first('g'))
    expect(await ids(made, { strategy: 'cot' })).toEqual(['c', 'a'])
    expect(await made.count({ strategy: 'tot' })).toBe(1)
    expect(await ids(made, { strategy: 'co' })).toEqual([])
  })

  it('lists the forks of a run', async () => {
    const made = await store()
    await ended(made, 'a')
    await made.fork('a', 2, 'f1')
    await made.fork('f1', 2, 'f2')
    expect(await ids(made, { forkOf: 'a' })).toEqual(['f1'])
  })

  it('deletes a run: nothing of it is there any more, forks of it stay whole', async () => {
    const made = await store()
    const long = 'a text that is long enough to be stored once '.repeat(30)
    await ended(made, 'a')
    const epoch = await made.create({ id: 'b', goal: 'g', strategy: 's' }, first('g'))
    await made.append('b', epoch, [note(long), end()], false)
    await made.release('b', epoch)
    await made.fork('b', 2, 'f')
    const before = JSON.stringify(await all(made.read('f')))
    await made.send('b', '1', 'message', 'late')
    await made.delete('b')
    for (const ask of [
      () => all(made.read('b')),
      () => made.row('b'),
      () => made.pending('b'),
      () => made.acquire('b'),
      () => made.fork('b', 1, 'c'),
      () => made.send('b', '1', 'message', 1),
      () => made.delete('b'),
    ])
      await expect(later(ask)).rejects.toThrow(UNKNOWN)
    expect(await made.has('b')).toBe(false)
    await swept(made)
    expect(await ids(made, {})).toEqual(['f', 'a'])
    expect(JSON.stringify(await all(made.read('f')))).toBe(before)
    expect(await made.append('f', await made.acquire('f'), [note(long)], false)).toBe(4)
    expect(await all(made.read('f', 4))).toMatchObject([{ data: long }])
  })

  it('refuses to delete a run that is being worked on, and deletes it once it is released', async () => {
    const made = await store()
    const epoch = await made.create({ id: 'a', goal: 'g', strategy: 's' }, first('g'))
    await expect(later(() => made.delete('a'))).rejects.toThrow(LOCKED)
    expect(await all(made.read('a'))).toHaveLength(1)
    await made.release('a', epoch)
    await made.delete('a')
    expect(await made.count()).toBe(0)
  })

  it('gives a run that is made anew under the same name nothing of the old one', async () => {
    const made = await store()
    await ended(made, 'a')
    await made.send('a', '1', 'message', 'old')
    await made.delete('a')
    const epoch = await made.create({ id: 'a', goal: 'new', strategy: 's' }, first('new'))
    expect(await made.append('a', epoch, [note('new')], false)).toBe(2)
    expect(await all(made.read('a'))).toHaveLength(2)
    expect(await made.pending('a')).toEqual([])
    await swept(made)
    expect(await all(made.read('a'))).toHaveLength(2)
  })

  it('imports a run, which nobody sees before it is whole', async () => {
    const made = await store()
    const run = { id: 'i', goal: 'g', strategy: 's', createdMs: 1_000, forkOf: 'elsewhere' }
    const signal = (number: number) => ({ path: '1', name: 'message', number, value: number })
    const coming = await made.import({ ...run, inbox: [signal(2), signal(3)] })
    await coming.append([first('g'), note('one')])
    expect(await made.has('i')).toBe(false)
    const taken = { type: 'signal-taken' as const, name: 'message', number: 2, to: '1', value: 2 }
    await coming.append([{ ...taken, path: '1', atMs: 2_500 }, end('failed')])
    await swept(made)
    expect(await made.count()).toBe(0)
    await coming.commit()
    expect(await made.row('i')).toEqual({
      id: 'i',
      goal: 'g',
      strategy: 's',
      status: 'failed',
      waitsFor: null,
      seq: 4,
      createdAt: '1970-01-01T00:00:01.000Z',
      changedAt: '1970-01-01T00:00:03.000Z',
      forkOf: 'elsewhere',
      owned: false,
    })
    expect((await all(made.read('i'))).map(({ seq, type, run: of }) => [seq, type, of])).toEqual([
      [1, 'run-start', 'i'],
      [2, 'note', 'i'],
      [3, 'signal-taken', 'i'],
      [4, 'run-end', 'i'],
    ])
    expect(await made.pending('i')).toEqual([signal(3)])
    expect((await made.send('i', '1', 'message', 'next')).number).toBe(4)
  })

  it('leaves nothing of an import that is given up, and refuses a name that is taken', async () => {
    const made = await store()
    await ended(made, 'a')
    const run = { goal: 'g', strategy: 's', createdMs: 1_000, forkOf: null, inbox: [] }
    await expect(later(() => made.import({ ...run, id: 'a' }))).rejects.toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
    const coming = await made.import({ ...run, id: 'i' })
    await coming.append([first('g')])
    await coming.abort()
    await swept(made)
    expect(await ids(made, {})).toEqual(['a'])
    const slow = await made.import({ ...run, id: 'late' })
    await slow.append([first('g')])
    await ended(made, 'late')
    await expect(later(() => slow.commit())).rejects.toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    expect(await all(made.read('late'))).toHaveLength(3)
  })
})

function endedAtOnce(store: Store, id: string): void {
  const epoch = store.create({ id, goal: 'a goal', strategy: 'minimal' }, first('a goal'))
  store.append(id, epoch, [note('x'), end()], false)
  store.release(id, epoch)
}

describe('a store in memory', () => {
  it('forgets runs that have ended beyond its bound, those that ended first, and never one that has not', () => {
    const store = memoryStore({ maxEvents: 10 })
    const going = store.create({ id: 'going', goal: 'g', strategy: 's' }, first('g'))
    for (const id of ['a', 'b', 'c']) endedAtOnce(store, id)
    expect(store.list().map(({ id }) => id)).toEqual(['c', 'b', 'a', 'going'])
    endedAtOnce(store, 'd')
    expect(store.list().map(({ id }) => id)).toEqual(['d', 'c', 'b', 'going'])
    store.append('going', going, Array.from({ length: 30 }, note), false)
    endedAtOnce(store, 'e')
    // The one that has just ended is kept: somebody is going to look at it.
    expect(store.list().map(({ id }) => id)).toEqual(['e', 'going'])
    store.append('going', going, [end()], false)
    store.release('going', going)
    expect(store.list().map(({ id }) => id)).toEqual(['going'])
  })

  it('says of a run that it was forgotten', () => {
    const store = memoryStore({ maxEvents: 3 })
    for (const id of ['a', 'b']) endedAtOnce(store, id)
    for (const ask of [() => [...store.read('a')], () => store.row('a'), () => store.acquire('a')])
      expect(ask).toThrow(
        expect.objectContaining({ code: 'UNKNOWN_RUN', message: expect.stringContaining('forgotten') }),
      )
    expect(() => store.row('never')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('forgotten') }),
    )
    endedAtOnce(store, 'a')
    expect([...store.read('a')]).toHaveLength(3)
  })

  it('lets whoever reads a run finish reading it', () => {
    const store = memoryStore({ maxEvents: 3 })
    endedAtOnce(store, 'a')
    const events = store.read('a')[Symbol.iterator]()
    events.next()
    endedAtOnce(store, 'b')
    expect([events.next().value?.seq, events.next().value?.seq]).toEqual([2, 3])
  })
})
