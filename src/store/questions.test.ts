// The questions of runs, in every store: which are open, and which of two answers is accepted.
import { afterEach, describe, expect, it } from 'vitest'
import { all, later, storesOfAllKinds } from '../../tests/stores.ts'
import type { AnyStore, Draft } from '../kernel/store.ts'
import { DEFAULT_LIMITS } from '../protocol/index.ts'

const FIRST: Draft = {
  type: 'run-start',
  format: 1,
  goal: 'a goal',
  strategy: 'minimal@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
}
const LEFT = { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }

const asked = (name: string, n = 1, more: object = {}): Draft => ({
  type: 'signal-asked',
  n,
  name,
  question: { text: `${name}?`, ...more },
  path: '1',
  atMs: 2_000 + n,
})
const answered = (name: string, n = 1, number = 1): Draft => ({
  type: 'signal-answered',
  n,
  name,
  number,
  result: { ok: true, value: 'x' },
  left: LEFT,
  path: '1',
  atMs: 3_000,
})
const END: Draft = { type: 'run-end', status: 'cancelled', path: '1', atMs: 4_000 }

describe.each(storesOfAllKinds())('the questions of a store %s', (_, open) => {
  const opened: AnyStore[] = []
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  const storeWith = async (id = 'r1', ...drafts: Draft[]) => {
    const store = await open()
    opened.push(store)
    await begin(store, id, ...drafts)
    return store
  }
  const begin = async (store: AnyStore, id: string, ...drafts: Draft[]) => {
    const epoch = await store.create({ id, goal: 'a goal', strategy: 'minimal' }, FIRST)
    if (drafts.length > 0) await store.append(id, epoch, drafts, false)
    return epoch
  }
  const ids = async (store: AnyStore, query = {}) => (await store.questions(query)).map(({ id }) => id)

  it('take no answer once their time has passed, and do not expire once they have one', async () => {
    const store = await storeWith('r1', asked('first', 1), asked('second', 2))
    expect(await store.expire('r1', '1', 'first')).toBe(true)
    expect(await store.answer('r1', 2, 'yes')).toBeNull()
    expect(await ids(store)).toEqual([3])
    expect(await store.answer('r1', 3, 'yes')).not.toBeNull()
    expect(await store.expire('r1', '1', 'second')).toBe(false)
    expect(await store.expire('r1', '1', 'third')).toBe(false)
    expect(await store.pending('r1')).toMatchObject([{ name: 'second', value: 'yes' }])
  })

  it('are listed by their events until they are closed, oldest first, in pages', async () => {
    const store = await storeWith(
      'r1',
      asked('answer', 2),
      asked('result', 3, { call: { tool: 't', input: 1 } }),
    )
    await begin(store, 'r2', asked('answer', 1))
    expect(await store.questions()).toEqual([
      { run: 'r2', id: 2, path: '1', name: 'answer' },
      { run: 'r1', id: 2, path: '1', name: 'answer' },
      { run: 'r1', id: 3, path: '1', name: 'result' },
    ])
    expect(await ids(store, { run: 'r1', for: 'person' })).toEqual([2])
    expect(await ids(store, { for: 'caller' })).toEqual([3])
    expect((await store.questions({ limit: 1, offset: 1 })).map(({ run }) => run)).toEqual(['r1'])
    await store.append('r1', 1, [answered('answer', 2)], false)
    expect(await ids(store, { run: 'r1' })).toEqual([3])
    await store.append('r1', 1, [END], false)
    expect(await ids(store, { run: 'r1' })).toEqual([])
    await expect(later(() => store.questions({ run: 'none' }))).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
  })

  it('take one answer, which is in the inbox at once; others are refused', async () => {
    const store = await storeWith('r1', asked('answer'), asked('answer-2', 2))
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((value) => later(() => store.answer('r1', 2, value))),
    )
    const [accepted, ...more] = answers.filter((one) => one !== null)
    expect(more).toEqual([])
    expect(await store.pending('r1')).toEqual([accepted])
    expect(accepted).toMatchObject({ path: '1', name: 'answer', number: 1 })
    expect(await ids(store)).toEqual([3])
    expect(await store.answer('r1', 99, 'x')).toBeNull()
    expect(await store.answer('r1', 1, 'x')).toBeNull()
    await store.append('r1', 1, [answered('answer')], false)
    expect(await store.pending('r1')).toEqual([])
    expect(await store.answer('r1', 2, 'x')).toBeNull()
    await expect(later(() => store.answer('none', 2, 'x'))).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
  })

  it('are never open when they are asked and answered in one commit', async () => {
    const store = await storeWith('r1', asked('answer'), answered('answer'), asked('answer-2', 2), END)
    expect(await ids(store)).toEqual([])
    expect(await store.answer('r1', 2, 'x')).toBeNull()
  })

  it('make a run wait in every list, whether its process lives or not', async () => {
    const store = await storeWith('r1', asked('answer'))
    const standing = async () => {
      const { status, waitsFor } = await store.row('r1')
      expect(await store.list({ status })).toHaveLength(1)
      expect(await store.count({ status })).toBe(1)
      return [status, waitsFor]
    }
    expect(await standing()).toEqual(['waiting', 'person'])
    await store.release('r1', 1)
    expect(await standing()).toEqual(['waiting', 'person'])
    await store.answer('r1', 2, 'yes')
    expect(await standing()).toEqual(['stopped', null])
    const epoch = await store.acquire('r1')
    expect(await standing()).toEqual(['running', null])
    const call = asked('result', 3, { call: { tool: 't', input: 1 } })
    await store.append('r1', epoch, [answered('answer'), call], false)
    expect(await standing()).toEqual(['waiting', 'caller'])
    await store.append('r1', epoch, [asked('approve', 4)], false)
    expect(await standing()).toEqual(['waiting', 'person'])
    await store.append('r1', epoch, [END], false)
    expect(await standing()).toEqual(['cancelled', null])
  })

  it('are open in a fork as they were at its event, without the answers', async () => {
    const store = await storeWith('r1', asked('answer'), answered('answer'), asked('answer-2', 2))
    await store.answer('r1', 4, 'x')
    await store.fork('r1', 2, 'before')
    await store.fork('r1', 3, 'between')
    await store.fork('r1', 4, 'after')
    await store.fork('r1', 3, 'edited', { value: 'other' })
    expect(await ids(store, { run: 'before' })).toEqual([2])
    expect(await ids(store, { run: 'between' })).toEqual([])
    expect(await ids(store, { run: 'edited' })).toEqual([])
    expect(await ids(store, { run: 'after' })).toEqual([4])
    expect(await store.row('before')).toMatchObject({ status: 'waiting', waitsFor: 'person' })
    expect(await store.answer('before', 2, 'y')).not.toBeNull()
    expect(await store.pending('after')).toEqual([])
  })

  it('come with an imported run, and go with a deleted one', async () => {
    const store = await storeWith()
    const inbox = [{ path: '1', name: 'answer', number: 1, value: 'x' }]
    const run = { id: 'r2', goal: 'a goal', strategy: 'minimal', createdMs: 1, forkOf: null, inbox }
    const coming = await store.import(run)
    await coming.append([FIRST, asked('answer'), asked('answer-2', 2)])
    expect(await ids(store)).toEqual([])
    await coming.commit()
    expect(await store.questions()).toEqual([{ run: 'r2', id: 3, path: '1', name: 'answer-2' }])
    await store.delete('r2')
    expect(await ids(store)).toEqual([])
    await all(store.sweep())
  })
})
