// What every store promises (kernel/store.ts), for all of them.

import { afterEach, describe, expect, it } from 'vitest'
import { all, later, storesOfAllKinds } from '../../tests/stores.ts'
import type { AnyStore, Draft } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Event, type Message } from '../protocol/index.ts'

const RUN = { id: 'r1', goal: 'a goal', strategy: 'minimal' }
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

const note = (name: string, data: unknown = null): Draft => ({
  type: 'note',
  n: 1,
  name,
  data,
  path: '1',
  atMs: 2_000,
})

/** A request after so many turns, in each of which the model called a tool. */
function conversationStart(turns: number): Extract<Draft, { type: 'model-start' }> {
  const messages: Message[] = [
    { role: 'system', content: ['rules ', 'of the loop '.repeat(100)] },
    { role: 'user', content: 'the goal' },
  ]
  for (let i = 1; i <= turns; i++) {
    const call = { id: `call-${i}`, name: 'read', input: { path: `${i}.txt` } }
    const reasoning = [{ text: `thought ${i}`, provider: { signed: { signature: `s${i}` } } }]
    messages.push({ role: 'assistant', content: `turn ${i}`, reasoning, toolCalls: [call] })
    messages.push({
      role: 'tool',
      content: `file ${i} `.repeat(200),
      answers: { id: call.id, name: call.name },
    })
  }
  messages.push({ role: 'user', content: `iteration ${turns + 1}` })
  const request = { kind: 'k', version: 1, role: 'act' as const, messages }
  return { type: 'model-start', n: turns, request, reserve: RESERVE, path: '1', atMs: turns }
}

const RESERVE = { calls: 1, tokens: 1, costUsd: 0 }

describe.each(storesOfAllKinds())('a store %s', (_, open) => {
  const opened: AnyStore[] = []
  const store = async () => {
    const made = await open()
    opened.push(made)
    return made
  }
  const withRun = async () => {
    const made = await store()
    return { store: made, epoch: await made.create(RUN, { ...FIRST }) }
  }
  afterEach(async () => {
    for (const made of opened.splice(0)) await made.close()
  })

  it('numbers events from 1 without gaps, in the order they were appended', async () => {
    const { store, epoch } = await withRun()
    expect(await store.append('r1', epoch, [note('a'), note('b')], false)).toBe(2)
    expect(await store.append('r1', epoch, [note('c')], true)).toBe(4)
    expect(
      (await all(store.read('r1'))).map((event) => [
        event.seq,
        event.type === 'note' ? event.name : event.type,
      ]),
    ).toEqual([
      [1, 'run-start'],
      [2, 'a'],
      [3, 'b'],
      [4, 'c'],
    ])
  })

  it('gives events as they are on the wire, with run, path and time', async () => {
    const { store, epoch } = await withRun()
    await store.append('r1', epoch, [note('a', { deep: [1, null, 'ü'] })], false)
    expect(await all(store.read('r1', 2))).toEqual([
      {
        seq: 2,
        ts: '1970-01-01T00:00:02.000Z',
        run: 'r1',
        path: '1',
        type: 'note',
        n: 1,
        name: 'a',
        data: { deep: [1, null, 'ü'] },
      },
    ])
  })

  it('gives a conversation back as it was: native calls, signed reasoning, and which call a result answers', async () => {
    const { store, epoch } = await withRun()
    const start = conversationStart(3)
    await store.append('r1', epoch, [start], false)
    const [event] = await all(store.read('r1', 2))
    expect(event).toMatchObject({ type: 'model-start', request: start.request })
    expect(event).toHaveProperty('request', start.request)
  })

  it('picks the events that are asked for, and all from a number on', async () => {
    const { store, epoch } = await withRun()
    const many = Array.from({ length: 400 }, (_, i) => note(`note ${i + 2}`))
    await store.append('r1', epoch, many, false)
    const everything = await all(store.read('r1'))
    const picked = async (seqs: number[], from: number) => await all(store.pick('r1', seqs, from))
    expect(await picked([1, 3, 5, 200, 398], 400)).toEqual(
      [1, 3, 5, 200, 398, 400, 401].map((seq) => everything[seq - 1]),
    )
    expect(await picked([], 402)).toEqual([])
    expect((await picked([2], 402)).map(({ seq }) => seq)).toEqual([2])
    expect(await picked([], 1)).toEqual(await all(store.read('r1')))
  })

  it('picks requests with their messages', async () => {
    const { store, epoch } = await withRun()
    const starts = [1, 3, 3].map((turns) => conversationStart(turns))
    await store.append('r1', epoch, starts, false)
    const picked = await all(store.pick('r1', [2, 3], 4))
    expect(picked).toEqual(await all(store.read('r1', 2)))
    expect(JSON.stringify(picked[1])).toBe(JSON.stringify((await all(store.read('r1', 3)))[0]))
  })

  it('keeps the last outline of a run', async () => {
    const { store } = await withRun()
    expect(await store.outline('r1')).toBeNull()
    await store.keepOutline('r1', 'one')
    await store.keepOutline('r1', 'two')
    expect(await store.outline('r1')).toBe('two')
    await store.fork('r1', 1, 'f1')
    expect(await store.outline('f1')).toBeNull()
  })

  it("has a run's row", async () => {
    const { store } = await withRun()
    expect(await store.row('r1')).toEqual((await store.list())[0])
    await expect(later(() => store.row('nobody'))).rejects.toThrow(
      expect.objectContaining({ code: 'UNKNOWN_RUN' }),
    )
  })

  it('reads from and to where it is told', async () => {
    const { store, epoch } = await withRun()
    await store.append(
      'r1',
      epoch,
      ['a', 'b', 'c', 'd'].map((item) => note(item)),
      false,
    )
    const seqs = async (from?: number, to?: number) =>
      (await all(store.read('r1', from, to))).map((event) => event.seq)
    expect(await seqs()).toEqual([1, 2, 3, 4, 5])
    expect(await seqs(3)).toEqual([3, 4, 5])
    expect(await seqs(2, 3)).toEqual([2, 3])
    expect(await seqs(9)).toEqual([])
    expect(await seqs(4, 400)).toEqual([4, 5])
  })

  it('keeps the time and the path of each event that was committed with others', async () => {
    const { store, epoch } = await withRun()
    const drafts = [
      { ...note('a'), path: '1-1', atMs: 2_000 },
      { ...note('b'), path: '1-2#2-1', atMs: 2_000 },
      { ...note('c'), path: '1', atMs: 2_345 },
    ]
    await store.append('r1', epoch, drafts, false)
    await store.fork('r1', 3, 'f1')
    const read = async (id: string) =>
      (await all(store.read(id, 2))).map(({ seq, ts, path }) => `${seq} ${ts} ${path}`)
    const copied = ['2 1970-01-01T00:00:02.000Z 1-1', '3 1970-01-01T00:00:02.000Z 1-2#2-1']
    expect(await read('r1')).toEqual([...copied, '4 1970-01-01T00:00:02.345Z 1'])
    expect((await read('f1')).slice(0, 2)).toEqual(copied)
    expect((await store.list()).find(({ id }) => id === 'r1')).toMatchObject({
      seq: 4,
      changedAt: '1970-01-01T00:00:02.345Z',
    })
  })

  it('refuses a run that exists already', async () => {
    const { store } = await withRun()
    await expect(later(() => store.create(RUN, { ...FIRST }))).rejects.toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
    expect(await all(store.read('r1'))).toHaveLength(1)
  })

  it('refuses an append by one who lost the run, and writes nothing', async () => {
    const { store, epoch } = await withRun()
    await store.release('r1', epoch)
    const next = await store.acquire('r1')
    expect(next).toBeGreaterThan(epoch)
    await expect(later(() => store.append('r1', epoch, [note('late')], false))).rejects.toThrow(
      expect.objectContaining({ code: 'OWNERSHIP_LOST' }),
    )
    await store.release('r1', epoch)
    expect(await all(store.read('r1'))).toHaveLength(1)
    expect(await store.append('r1', next, [note('mine')], false)).toBe(2)
  })

  it('appends all of a batch or nothing', async () => {
    const { store, epoch } = await withRun()
    const batch = [note('good'), note('bad', 1n)]
    if (!store.instant) await expect(later(() => store.append('r1', epoch, batch, false))).rejects.toThrow()
    await store.append('r1', epoch, [note('next')], false)
    if (!store.instant) expect((await all(store.read('r1'))).map((event) => event.seq)).toEqual([1, 2])
  })

  it('throws UNKNOWN_RUN for a run that is not there, whatever is asked of it', async () => {
    const made = await store()
    expect(await made.has('nobody')).toBe(false)
    for (const ask of [
      () => all(made.read('nobody')),
      () => made.acquire('nobody'),
      () => made.append('nobody', 1, [note('a')], false),
      () => made.fork('nobody', 1, 'other'),
      () => made.send('nobody', '1', 'answer', 1),
      () => made.pending('nobody'),
    ]) {
      await expect(later(ask)).rejects.toThrow(expect.objectContaining({ code: 'UNKNOWN_RUN' }))
    }
  })

  it('lists runs, the newest first, with status, length and whether somebody owns them', async () => {
    const { store, epoch } = await withRun()
    await store.create(
      { ...RUN, id: 'r2', goal: { intent: 'i', deliverable: 'd', metric: 'm', constraint: 'c' } },
      { ...FIRST },
    )
    await store.append('r1', epoch, [{ type: 'run-end', status: 'partial', path: '1', atMs: 9_000 }], false)
    await store.release('r1', epoch)
    const rows = await store.list()
    expect(rows.map((row) => row.id)).toEqual(['r2', 'r1'])
    expect(rows[0]).toMatchObject({
      goal: { intent: 'i' },
      status: 'running',
      seq: 1,
      owned: true,
      forkOf: null,
    })
    expect(rows[1]).toMatchObject({
      goal: 'a goal',
      status: 'partial',
      seq: 2,
      owned: false,
      strategy: 'minimal',
    })
    expect(rows[1]?.changedAt).toBe('1970-01-01T00:00:09.000Z')
  })

  it('lists a run as waiting from run-wait until it is resumed; a fork of it does not wait', async () => {
    const { store, epoch } = await withRun()
    const wait = { type: 'run-wait' as const, steps: [], path: '1', atMs: 2_000 }
    await store.append('r1', epoch, [wait], false)
    await store.release('r1', epoch)
    expect(await store.list()).toMatchObject([{ id: 'r1', status: 'waiting', owned: false }])
    await store.fork('r1', 2, 'f1')
    expect((await store.list()).find(({ id }) => id === 'f1')).toMatchObject({ status: 'stopped' })
    const next = await store.acquire('r1')
    await store.append('r1', next, [{ type: 'run-resume', epoch: next, path: '1', atMs: 3_000 }], false)
    expect((await store.list()).find(({ id }) => id === 'r1')).toMatchObject({
      status: 'running',
      owned: true,
    })
  })

  it('forks up to an event: a copy that goes its own way, owned by nobody', async () => {
    const { store, epoch } = await withRun()
    await store.append('r1', epoch, [note('a'), note('b'), note('c')], false)
    await store.fork('r1', 3, 'f1')
    const forked = await all(store.read('f1'))
    expect(forked.map((event) => event.type)).toEqual(['run-start', 'note', 'note', 'run-fork'])
    expect(forked.every((event) => event.run === 'f1')).toBe(true)
    expect(forked[3]).toMatchObject({ seq: 4, from: 'r1', at: 3, edited: false })
    expect(await store.append('f1', await store.acquire('f1'), [note('own way')], false)).toBe(5)
    expect(await all(store.read('r1'))).toHaveLength(4)
    expect((await store.list())[0]).toMatchObject({ id: 'f1', forkOf: 'r1', status: 'running' })
  })

  it('forks an ended run as one that has not ended', async () => {
    const { store, epoch } = await withRun()
    await store.append(
      'r1',
      epoch,
      [note('a'), { type: 'run-end', status: 'completed', path: '1', atMs: 3_000 }],
      false,
    )
    await store.fork('r1', 2, 'f1')
    expect((await store.list()).map((row) => [row.id, row.status])).toEqual([
      ['f1', 'stopped'],
      ['r1', 'completed'],
    ])
  })

  it('forks at any event of a commit, with an edit or without', async () => {
    const { store, epoch } = await withRun()
    const names = ['a', 'b', 'c', 'd', 'e']
    await store.append(
      'r1',
      epoch,
      names.map((name, i) => note(name, 'x'.repeat(i * 90_000))),
      false,
    )
    for (let at = 2; at <= 6; at++) {
      await store.fork('r1', at, `f${at}`)
      await store.fork('r1', at, `e${at}`, { name: 'edited' })
      const copied = await all(store.read(`f${at}`))
      expect(copied.slice(0, at)).toEqual(
        (await all(store.read('r1', 1, at))).map((event) => ({ ...event, run: `f${at}` })),
      )
      const edited = await all(store.read(`e${at}`))
      expect(edited.map(({ seq }) => seq)).toEqual([...Array(at + 1).keys()].map((seq) => seq + 1))
      expect(edited[at - 1]).toEqual({ ...copied[at - 1], run: `e${at}`, name: 'edited' })
      expect(edited[at]).toMatchObject({ type: 'run-fork', from: 'r1', at, edited: true })
    }
  })

  it('forks with an edit of the last event only, and only of what can be edited', async () => {
    const { store, epoch } = await withRun()
    const end: Draft = {
      type: 'tool-end',
      n: 1,
      result: { ok: false, error: { code: 'TOOL_ERROR', message: 'no' } },
      usage: { calls: 1, inputTokens: 0, outputTokens: 0 },
      left: { calls: 1, tokens: 1, timeMs: 1, costUsd: 1 },
      path: '1',
      atMs: 3_000,
    }
    await store.append('r1', epoch, [note('a'), end], false)
    await store.fork('r1', 3, 'f1', { value: 'edited' })
    const edited = await all(store.read('f1'))
    expect(edited[2]).toMatchObject({
      result: { ok: true, value: 'edited' },
      ts: '1970-01-01T00:00:03.000Z',
    })
    expect(edited[3]).toMatchObject({ type: 'run-fork', edited: true })
    expect(((await all(store.read('r1')))[2] as Event & { result: { ok: boolean } }).result.ok).toBe(false)
    for (const edit of [{ seq: 9 }, { type: 'note' }, { nonsense: 1 }, { path: '1-1' }]) {
      await expect(later(() => store.fork('r1', 3, 'f2', edit))).rejects.toThrow(
        expect.objectContaining({ code: 'BAD_INPUT' }),
      )
    }
    expect(await store.has('f2')).toBe(false)
    // A refused fork leaves nothing behind that a later run of that name could stumble over.
    await store.create({ ...RUN, id: 'f2' }, { ...FIRST })
    expect((await all(store.read('f2'))).map((event) => event.run)).toEqual(['f2'])
  })

  it('forks with an edited request, which has its parts and goes on into forks of the fork; a wrong one leaves nothing', async () => {
    const s = await store()
    const epoch = await s.create(RUN, FIRST)
    const start = conversationStart(8)
    await s.append('r1', epoch, [start, note('after')], false)
    const { messages } = start.request
    const edited = [
      ...messages.slice(0, -1),
      { role: 'user' as const, content: ['one part ', 'another '.repeat(200)] },
    ]
    await s.fork('r1', 2, 'f1', { request: { messages: edited } })
    await s.fork('f1', 2, 'f2', { request: { settings: { temperature: 0.5 } } })
    for (const [run, settings] of [
      ['f1', undefined],
      ['f2', { temperature: 0.5 }],
    ] as const) {
      const [event, fork] = await all(s.read(run, 2))
      expect(event).toMatchObject({
        type: 'model-start',
        edited: true,
        reserve: { calls: 0, tokens: 0, costUsd: 0 },
      })
      expect((event as Extract<Event, { type: 'model-start' }>).request).toEqual({
        ...start.request,
        messages: edited,
        ...(settings && { settings }),
      })
      expect(fork).toMatchObject({ type: 'run-fork', at: 2, edited: true })
    }
    await expect(later(() => s.fork('r1', 2, 'f3', { request: { messages: [] } }))).rejects.toThrow(
      'is empty',
    )
    expect(await s.has('f3')).toBe(false)
  })

  it('refuses to fork at an event that is not there, or under a name that is taken', async () => {
    const { store } = await withRun()
    for (const at of [0, -1, 2, 1.5, Number.NaN]) {
      await expect(later(() => store.fork('r1', at, 'f1'))).rejects.toThrow(
        expect.objectContaining({ code: 'BAD_INPUT' }),
      )
    }
    await expect(later(() => store.fork('r1', 1, 'r1'))).rejects.toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
    expect(await store.list()).toHaveLength(1)
  })

  it('numbers signals per path and name, and keeps them until an event has taken them', async () => {
    const { store, epoch } = await withRun()
    expect(await store.send('r1', '1', 'answer', { yes: true })).toEqual({
      path: '1',
      name: 'answer',
      number: 1,
      value: { yes: true },
    })
    expect((await store.send('r1', '1', 'answer', 'again')).number).toBe(2)
    expect((await store.send('r1', '1-1', 'answer', 'below')).number).toBe(1)
    expect((await store.send('r1', '1', 'skip', null)).number).toBe(1)
    const left = { calls: 1, tokens: 1, timeMs: 1, costUsd: 1 }
    const taken: Draft[] = [
      {
        type: 'signal-answered',
        n: 1,
        name: 'answer',
        number: 1,
        result: { ok: true, value: 1 },
        left,
        path: '1',
        atMs: 1,
      },
      { type: 'signal-taken', name: 'answer', number: 1, to: '1-1', value: 'below', path: '1', atMs: 1 },
    ]
    await store.append('r1', epoch, taken, false)
    expect((await store.pending('r1')).map(({ path, name, number }) => `${path} ${name} ${number}`)).toEqual([
      '1 answer 2',
      '1 skip 1',
    ])
    expect((await store.send('r1', '1', 'answer', 'third')).number).toBe(3)
  })

  it('gives a signal without a value as null, to whoever sent it and to whoever takes it', async () => {
    const { store } = await withRun()
    expect((await store.send('r1', '1', 'skip', undefined)).value).toBeNull()
    expect((await store.pending('r1'))[0]?.value).toBeNull()
  })

  it('keeps messages and tools of requests whole, whether they are short or long', async () => {
    const { store, epoch } = await withRun()
    const long = 'the same long text '.repeat(100)
    const messages = [
      { role: 'system' as const, content: long },
      { role: 'user' as const, content: ['short', long, ''] },
    ]
    const tools = [{ name: 't', description: long, schema: { type: 'object' } }]
    const start: Draft = {
      type: 'model-start',
      n: 1,
      request: { kind: 'k', version: 1, role: 'plan', messages, tools },
      reserve: { calls: 1, tokens: 1, costUsd: 0 },
      path: '1',
      atMs: 2_000,
    }
    const few = { ...start.request, tools: [{ name: 't', description: 'd', schema: {} }] }
    await store.append('r1', epoch, [start, { ...start, n: 2 }, { ...start, n: 3, request: few }], false)
    const requests = (await all(store.read('r1', 2))).map(
      (event) => event.type === 'model-start' && event.request,
    )
    expect(requests).toEqual([start.request, start.request, few])
  })

  it('keeps bodies of any size and any text', async () => {
    const { store, epoch } = await withRun()
    const large = { text: 'ü€😀\u0000"\\ '.repeat(60_000) }
    await store.append('r1', epoch, [note('large', large), note('small')], false)
    const [event] = await all(store.read('r1', 2, 2))
    expect(event?.type === 'note' && event.data).toEqual(large)
    await store.fork('r1', 2, 'f1')
    const [copy] = await all(store.read('f1', 2, 2))
    expect(copy?.type === 'note' && copy.data).toEqual(large)
  })
})
