// Keeping house, for every store: choosing runs, deleting them, importing them; and what a store in memory forgets.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Goal } from '../protocol/index.ts'
import { memoryStore } from './memory.ts'
import { sqliteStore } from './sqlite.ts'
import { sqliteSharedStore } from './sqlite-shared.ts'

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

const folders: string[] = []
function inFolder(open: (file: string) => Store): () => Store {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-house-'))
    folders.push(folder)
    return open(join(folder, 'store.db'))
  }
}

/** A run that has ended and was released. */
function ended(store: Store, id: string, goal: Goal = 'a goal', status?: 'completed' | 'failed'): void {
  const epoch = store.create({ id, goal, strategy: 'minimal' }, first(goal))
  store.append(id, epoch, [note('x'), end(status)], false)
  store.release(id, epoch)
}

const swept = (store: Store) => [...store.sweep()].at(-1)
const UNKNOWN = expect.objectContaining({ code: 'UNKNOWN_RUN' })
const LOCKED = expect.objectContaining({ code: 'RUN_LOCKED' })

const opened: Store[] = []
afterEach(() => {
  for (const store of opened.splice(0)) store.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe.each<[string, () => Store]>([
  ['in memory', memoryStore],
  ['in SQLite', inFolder(sqliteStore)],
  ['shared, in SQLite', inFolder(sqliteSharedStore)],
])('a store %s', (_, open) => {
  const store = () => {
    const made = open()
    opened.push(made)
    return made
  }
  const ids = (made: Store, query: Parameters<Store['list']>[0]) => made.list(query).map(({ id }) => id)

  it('lists at most so many runs, the newest, and counts all', () => {
    const made = store()
    for (const id of ['a', 'b', 'c']) ended(made, id)
    expect(ids(made, { limit: 2 })).toEqual(['c', 'b'])
    expect(ids(made, { limit: 0 })).toEqual([])
    expect(ids(made, {})).toEqual(['c', 'b', 'a'])
    expect(made.count({ limit: 2 })).toBe(3)
    expect(made.count()).toBe(3)
  })

  it('lists runs by status: a run that nobody works on is stopped, not running', () => {
    const made = store()
    ended(made, 'fine')
    ended(made, 'bad', 'a goal', 'failed')
    made.create({ id: 'going', goal: 'g', strategy: 's' }, first('g'))
    made.release('halted', made.create({ id: 'halted', goal: 'g', strategy: 's' }, first('g')))
    const out = made.create({ id: 'out', goal: 'g', strategy: 's' }, first('g'))
    made.append('out', out, [{ type: 'run-wait', steps: [], path: '1', atMs: 1 }], false)
    made.release('out', out)
    expect(ids(made, { status: 'running' })).toEqual(['going'])
    expect(ids(made, { status: 'stopped' })).toEqual(['halted'])
    expect(ids(made, { status: 'waiting' })).toEqual(['out'])
    expect(ids(made, { status: ['failed', 'completed'] })).toEqual(['bad', 'fine'])
    expect(ids(made, { status: [] })).toEqual([])
    expect(made.count({ status: ['failed', 'stopped'] })).toBe(2)
  })

  it('finds text in goals and ids, in any case, of any language and form', () => {
    const made = store()
    ended(made, '261116-abc', 'Sort the "Mail"\nby date 100%_')
    ended(made, '261116-def', 'ÄPFEL zählen: café')
    ended(made, '261116-ghi', {
      intent: '写一份报告',
      deliverable: 'a page',
      metric: 'm',
      constraint: 'none',
    })
    const found = (search: string) => ids(made, { search }).map((id) => id.slice(-3))
    expect(found('äpfel')).toEqual(['def'])
    expect(found('cafe\u0301')).toEqual(['def'])
    expect(found('"mail"\nBY')).toEqual(['abc'])
    expect(found('100%_')).toEqual(['abc'])
    expect(found('报告')).toEqual(['ghi'])
    expect(found('A PAGE')).toEqual(['ghi'])
    expect(found('deliverable_')).toEqual([])
    expect(found('-DEF')).toEqual(['def'])
    expect(found('')).toHaveLength(3)
    expect(made.count({ search: 'SORT' })).toBe(1)
  })

  it('lists the forks of a run', () => {
    const made = store()
    ended(made, 'a')
    made.fork('a', 2, 'f1')
    made.fork('f1', 2, 'f2')
    expect(ids(made, { forkOf: 'a' })).toEqual(['f1'])
  })

  it('deletes a run: nothing of it is there any more, forks of it stay whole', () => {
    const made = store()
    const long = 'a text that is long enough to be stored once '.repeat(30)
    ended(made, 'a')
    const epoch = made.create({ id: 'b', goal: 'g', strategy: 's' }, first('g'))
    made.append('b', epoch, [note(long), end()], false)
    made.release('b', epoch)
    made.fork('b', 2, 'f')
    const before = JSON.stringify([...made.read('f')])
    made.send('b', '1', 'message', 'late')
    made.delete('b')
    for (const ask of [
      () => [...made.read('b')],
      () => made.row('b'),
      () => made.pending('b'),
      () => made.acquire('b'),
      () => made.fork('b', 1, 'c'),
      () => made.send('b', '1', 'message', 1),
      () => made.delete('b'),
    ])
      expect(ask).toThrow(UNKNOWN)
    expect(made.has('b')).toBe(false)
    swept(made)
    expect(ids(made, {})).toEqual(['f', 'a'])
    expect(JSON.stringify([...made.read('f')])).toBe(before)
    expect(made.append('f', made.acquire('f'), [note(long)], false)).toBe(4)
    expect([...made.read('f', 4)]).toMatchObject([{ data: long }])
  })

  it('refuses to delete a run that is being worked on, and deletes it once it is released', () => {
    const made = store()
    const epoch = made.create({ id: 'a', goal: 'g', strategy: 's' }, first('g'))
    expect(() => made.delete('a')).toThrow(LOCKED)
    expect([...made.read('a')]).toHaveLength(1)
    made.release('a', epoch)
    made.delete('a')
    expect(made.count()).toBe(0)
  })

  it('gives a run that is made anew under the same name nothing of the old one', () => {
    const made = store()
    ended(made, 'a')
    made.send('a', '1', 'message', 'old')
    made.delete('a')
    const epoch = made.create({ id: 'a', goal: 'new', strategy: 's' }, first('new'))
    expect(made.append('a', epoch, [note('new')], false)).toBe(2)
    expect([...made.read('a')]).toHaveLength(2)
    expect(made.pending('a')).toEqual([])
    swept(made)
    expect([...made.read('a')]).toHaveLength(2)
  })

  it('imports a run, which nobody sees before it is whole', () => {
    const made = store()
    const run = { id: 'i', goal: 'g', strategy: 's', createdMs: 1_000, forkOf: 'elsewhere' }
    const signal = (number: number) => ({ path: '1', name: 'message', number, value: number })
    const coming = made.import({ ...run, inbox: [signal(2), signal(3)] })
    coming.append([first('g'), note('one')])
    expect(made.has('i')).toBe(false)
    const taken = { type: 'signal-taken' as const, name: 'message', number: 2, to: '1', value: 2 }
    coming.append([{ ...taken, path: '1', atMs: 2_500 }, end('failed')])
    swept(made)
    expect(made.count()).toBe(0)
    coming.commit()
    expect(made.row('i')).toEqual({
      id: 'i',
      goal: 'g',
      strategy: 's',
      status: 'failed',
      seq: 4,
      createdAt: '1970-01-01T00:00:01.000Z',
      changedAt: '1970-01-01T00:00:03.000Z',
      forkOf: 'elsewhere',
      owned: false,
    })
    expect([...made.read('i')].map(({ seq, type, run: of }) => [seq, type, of])).toEqual([
      [1, 'run-start', 'i'],
      [2, 'note', 'i'],
      [3, 'signal-taken', 'i'],
      [4, 'run-end', 'i'],
    ])
    expect(made.pending('i')).toEqual([signal(3)])
    expect(made.send('i', '1', 'message', 'next').number).toBe(4)
  })

  it('leaves nothing of an import that is given up, and refuses a name that is taken', () => {
    const made = store()
    ended(made, 'a')
    const run = { goal: 'g', strategy: 's', createdMs: 1_000, forkOf: null, inbox: [] }
    expect(() => made.import({ ...run, id: 'a' })).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    const coming = made.import({ ...run, id: 'i' })
    coming.append([first('g')])
    coming.abort()
    swept(made)
    expect(ids(made, {})).toEqual(['a'])
    const late = made.import({ ...run, id: 'late' })
    late.append([first('g')])
    ended(made, 'late')
    expect(() => late.commit()).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    expect([...made.read('late')]).toHaveLength(3)
  })
})

describe('a store in memory', () => {
  it('forgets runs that have ended beyond its bound, those that ended first, and never one that has not', () => {
    const store = memoryStore({ maxEvents: 10 })
    const going = store.create({ id: 'going', goal: 'g', strategy: 's' }, first('g'))
    for (const id of ['a', 'b', 'c']) ended(store, id)
    expect(store.list().map(({ id }) => id)).toEqual(['c', 'b', 'a', 'going'])
    ended(store, 'd')
    expect(store.list().map(({ id }) => id)).toEqual(['d', 'c', 'b', 'going'])
    store.append('going', going, Array.from({ length: 30 }, note), false)
    ended(store, 'e')
    // The one that has just ended is kept: somebody is going to look at it.
    expect(store.list().map(({ id }) => id)).toEqual(['e', 'going'])
    store.append('going', going, [end()], false)
    store.release('going', going)
    expect(store.list().map(({ id }) => id)).toEqual(['going'])
  })

  it('says of a run that it was forgotten', () => {
    const store = memoryStore({ maxEvents: 3 })
    for (const id of ['a', 'b']) ended(store, id)
    for (const ask of [() => [...store.read('a')], () => store.row('a'), () => store.acquire('a')])
      expect(ask).toThrow(
        expect.objectContaining({ code: 'UNKNOWN_RUN', message: expect.stringContaining('forgotten') }),
      )
    expect(() => store.row('never')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('forgotten') }),
    )
    ended(store, 'a')
    expect([...store.read('a')]).toHaveLength(3)
  })

  it('lets whoever reads a run finish reading it', () => {
    const store = memoryStore({ maxEvents: 3 })
    ended(store, 'a')
    const events = store.read('a')[Symbol.iterator]()
    events.next()
    ended(store, 'b')
    expect([events.next().value?.seq, events.next().value?.seq]).toEqual([2, 3])
  })
})
