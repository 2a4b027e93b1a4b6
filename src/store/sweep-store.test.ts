// A sweep deletes the events of deleted runs, and no others, while other processes write.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Message } from '../protocol/index.ts'
import { sqliteStore } from './sqlite.ts'

let file = ''
let folder = ''
const stores: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-sweep-'))
  file = join(folder, 'store.db')
})

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a sweep', () => {
  it('frees everything when no run is left', () => {
    const store = open()
    for (const id of ['a', 'b']) work(store, id, everything('x'))
    for (const id of ['a', 'b']) store.delete(id)
    const { freedBytes } = sweep(store)
    expect(counts()).toEqual({ events: 0, inbox: 0, unlisted: 0 })
    expect(freedBytes).toBeGreaterThan(4_000)
  })

  it('keeps all other runs, and the forks of those that are deleted', () => {
    const store = open()
    for (const id of ['a', 'b']) work(store, id, everything('shared'))
    work(store, 'c', everything('other'))
    store.fork('c', 6, 'f', { data: long('edited') })
    const [b, f] = [journal(store, 'b'), journal(store, 'f')]
    const before = counts().events
    for (const id of ['a', 'c']) store.delete(id)
    sweep(store)
    expect(journal(open(), 'b')).toBe(b)
    expect(journal(open(), 'f')).toBe(f)
    expect(counts().events).toBeLessThan(before)
    const { events } = counts()
    sweep(store)
    expect(counts().events).toBe(events)
  })

  it('frees what an import left that nobody ended', () => {
    const store = open()
    const run = { id: 'i', goal: 'g', strategy: 's', createdMs: 1, forkOf: null, inbox: [] }
    store.import(run).append([START, ...everything('i')])
    const other = open()
    sweep(other)
    expect(counts().unlisted).toBe(1)
    store.close()
    sweep(other)
    expect(counts()).toEqual({ events: 0, inbox: 0, unlisted: 0 })
  })

  it.each([2, 3, 5])('loses nothing that others write between its steps (every %i)', (every) => {
    const writer = open()
    const topics = Array.from({ length: 10 }, (_, i) => `topic ${i}`)
    for (const topic of topics) work(writer, `old ${topic}`, everything(topic))
    const sweeper = open()
    for (const topic of topics) sweeper.delete(`old ${topic}`)
    const epoch = writer.create({ id: 'growing', goal: 'g', strategy: 's' }, START)
    let step = 0
    for (const _ of sweeper.sweep()) {
      step++
      if (step % every !== 0) continue
      const topic = topics[step % topics.length] as string
      writer.append('growing', epoch, everything(topic), false)
      work(writer, `new ${step}`, everything(topic))
      writer.fork(`new ${step}`, 9, `fork ${step}`)
      const coming = writer.import({ ...IMPORTED, id: `import ${step}` })
      coming.append([START, ...everything(topic)])
      if (step % 2 === 0) coming.commit()
    }
    expect(step).toBeGreaterThan(3)
    const fresh = open()
    const expected = topics.map((topic) => JSON.stringify(everything(topic).map(plain)))
    for (const { id } of fresh.list()) {
      const found = [...fresh.read(id)].slice(1, 9).map(plain)
      expect(expected).toContain(JSON.stringify(found))
    }
  })

  it('can be done by two at once', () => {
    const store = open()
    for (let i = 0; i < 20; i++) work(store, `r${i}`, everything(String(i)))
    const whole = journal(store, 'r19')
    for (let i = 0; i < 19; i++) store.delete(`r${i}`)
    const [one, other] = [open().sweep()[Symbol.iterator](), open().sweep()[Symbol.iterator]()]
    while (!(one.next().done && other.next().done));
    expect(journal(open(), 'r19')).toBe(whole)
    store.delete('r19')
    sweep(store)
    expect(counts()).toEqual({ events: 0, inbox: 0, unlisted: 0 })
  })

  it('may be left in the middle, and the next one goes on', () => {
    const store = open()
    for (let i = 0; i < 5; i++) work(store, `r${i}`, everything(String(i)))
    for (let i = 0; i < 5; i++) store.delete(`r${i}`)
    for (const _ of store.sweep()) break
    sweep(store)
    expect(counts()).toEqual({ events: 0, inbox: 0, unlisted: 0 })
  })
})

describe('the number of a run', () => {
  it('is not used again, so that nobody who remembers it meets another run', () => {
    const [one, other] = [open(), open()]
    work(one, 'a', [note('mine')])
    const reading = one.read('a', 2)[Symbol.iterator]()
    other.delete('a')
    work(other, 'b', [note("somebody else's")])
    expect(() => reading.next()).toThrow(expect.objectContaining({ code: 'UNKNOWN_RUN' }))
    expect(() => one.read('a')[Symbol.iterator]().next()).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_RUN' }),
    )
    sweep(other)
    work(other, 'c', [note('x')])
    expect(inFile('SELECT group_concat(no) AS numbers FROM runs')).toEqual({ numbers: '2,3' })
  })
})

describe('compacting', () => {
  it('gives the space back to the disk', () => {
    const store = open()
    for (let i = 0; i < 20; i++) work(store, `r${i}`, everything(String(i)))
    for (let i = 1; i < 20; i++) store.delete(`r${i}`)
    sweep(store)
    inFile('PRAGMA wal_checkpoint(TRUNCATE)')
    const before = statSync(file).size
    const bytes = store.compact()
    expect(bytes).toBeGreaterThan(before / 2)
    expect(statSync(file).size).toBe(before - bytes)
    expect([...store.read('r0')].length).toBeGreaterThan(8)
  })

  it('is refused while a process works on a run', () => {
    const [store, other] = [open(), open()]
    const epoch = other.create({ id: 'a', goal: 'g', strategy: 's' }, START)
    expect(() => store.compact()).toThrow(
      expect.objectContaining({ code: 'RUN_LOCKED', message: expect.stringContaining(`${process.pid}`) }),
    )
    other.release('a', epoch)
    expect(store.compact()).toBeGreaterThanOrEqual(0)
  })
})

const START: Draft = {
  type: 'run-start',
  format: 1,
  goal: 'g',
  strategy: 's@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
}
const END: Draft = { type: 'run-end', status: 'completed', path: '1', atMs: 3_000 }
const IMPORTED = { goal: 'g', strategy: 's', createdMs: 1, forkOf: null, inbox: [] }
const USAGE = { calls: 1, inputTokens: 1, outputTokens: 1 }
const LEFT = { calls: 1, tokens: 1, timeMs: 1, costUsd: 1 }

function note(data: unknown): Draft {
  return { type: 'note', n: 1, name: 'note', data, path: '1', atMs: 2_000 }
}

function long(topic: string, times = 40): string {
  return `something about ${topic}, over and over `.repeat(times)
}

/** Events of all sorts and lengths. */
function everything(topic: string): Draft[] {
  const reply = JSON.stringify({
    title: long(`the title of ${topic}`, 3),
    steps: [long(`a step of ${topic}`, 4)],
  })
  const parts = Array.from({ length: 40 }, (_, i) =>
    i % 2 === 0 ? long(`part ${i} of ${topic}`, 10) : `${i}`,
  )
  const messages: Message[] = [
    { role: 'system', content: long(`the rules of ${topic}`) },
    { role: 'user', content: parts },
    { role: 'assistant', content: `turn about ${topic}` },
    { role: 'tool', content: long(`a file on ${topic}`), answers: { id: '1', name: 'read' } },
    { role: 'user', content: long(`the last word on ${topic}`, 200) },
  ]
  const tools = [{ name: 't', description: long(`a tool for ${topic}`, 10), schema: { type: 'object' } }]
  const request = { kind: 'k', version: 1, role: 'plan' as const, messages, tools }
  const value = { text: reply, value: JSON.parse(reply), usage: USAGE }
  const result = { ok: true as const, value }
  return [
    { type: 'model-start', n: 1, request, reserve: { calls: 1, tokens: 1, costUsd: 0 }, path: '1', atMs: 1 },
    { type: 'model-end', n: 1, result, usage: USAGE, left: LEFT, path: '1', atMs: 1 },
    { type: 'todo-set', n: 2, todo: value.value.title, path: '1', atMs: 1 },
    note({ made: [value.value.steps[0]] }),
    note(long(`a note on ${topic}`)),
    note(`${topic} `.repeat(60_000)),
    note(`a short note on ${topic}`),
    note(topic),
  ]
}

/** What both an event and its draft have. */
function plain(event: object): unknown {
  const { type, n, request, result, data, todo } = event as Record<string, unknown>
  return { type, n, request, result, data, todo }
}

function work(store: Store, id: string, drafts: readonly Draft[]): void {
  const epoch = store.create({ id, goal: 'g', strategy: 's' }, { ...START })
  for (const draft of drafts) store.append(id, epoch, [{ ...draft }], false)
  store.append(id, epoch, [END], false)
  store.release(id, epoch)
  store.send(id, '1', 'message', 'late')
}

function open(): Store {
  const store = sqliteStore(file, { synchronous: 'normal' })
  stores.push(store)
  return store
}

const sweep = (store: Store) => [...store.sweep()].at(-1) ?? { freedBytes: 0 }
const journal = (store: Store, id: string) => JSON.stringify([...store.read(id)])

function inFile(sql: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(sql).get()
  } finally {
    database.close()
  }
}

function counts(): { events: number; inbox: number; unlisted: number } {
  return inFile(
    `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM inbox) AS inbox, (SELECT count(*) FROM unlisted) AS unlisted`,
  ) as ReturnType<typeof counts>
}
