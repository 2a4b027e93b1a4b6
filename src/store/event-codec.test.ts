// What is stored takes as much as was said, and is read back as it was written.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Message, NO_USAGE } from '../protocol/index.ts'
import { sqliteStore } from './sqlite.ts'

const RUN = { id: 'r1', goal: 'a goal', strategy: 'minimal' }
const LEFT = { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
const TURNS = 200

let folder = ''
let file = ''
let store: Store
let epoch = 0
const written: Draft[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-codec-'))
  file = join(folder, 'store.db')
  store = sqliteStore(file)
  const first: Draft = {
    type: 'run-start',
    format: 1,
    goal: 'a goal',
    strategy: 'minimal@1',
    options: {},
    limits: { ...DEFAULT_LIMITS },
    seed: 's',
    config: { thinkon: '0' },
    path: '1',
    atMs: 1,
  }
  epoch = store.create(RUN, first)
  written.splice(0, written.length, first)
})

afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Closes the store and opens it again, as a later process does. */
function reopen(): void {
  store.close()
  store = sqliteStore(file)
  epoch = store.acquire('r1')
}

function append(...drafts: Draft[]): void {
  store.append('r1', epoch, drafts, false)
  written.push(...drafts)
}

/** The fields of the events, as they were written. */
function expectAsWritten(id = 'r1'): void {
  const events = [...store.read(id, 1, written.length)]
  expect(events.map(({ seq: _, ts: __, run: ___, ...event }) => event)).toEqual(
    written.map(({ atMs: _, ...draft }) => draft),
  )
}

function inFile<T>(question: string): T {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(question).get() as T
  } finally {
    database.close()
  }
}

/** All bodies together. */
function bytesStored(): number {
  const bytes = (table: string) =>
    inFile<{ n: number }>(`SELECT sum(length(CAST(body AS BLOB))) AS n FROM ${table}`).n ?? 0
  return bytes('events') + bytes('blobs')
}

/** Words that no compression makes short. */
function words(seed: number, chars: number): string {
  let text = ''
  for (let i = 0; text.length < chars; i++) text += `${Math.imul(seed * 7919 + i, 0x9e3779b1) >>> 0} `
  return text.slice(0, chars)
}

/** A conversation in which the model calls a tool each time. Its messages are made anew, as a strategy that is executed again makes them. */
function conversation(turns: number): Message[] {
  const messages: Message[] = [
    { role: 'system', content: words(1, 900) },
    { role: 'user', content: ['goal ', words(2, 700)] },
  ]
  for (let i = 1; i <= turns; i++) messages.push(...turn(i))
  return messages
}

function turn(i: number): Message[] {
  const call = { id: `call-${i}`, name: 'read', input: { path: `${i}.txt` } }
  const reasoning = [{ text: words(i + 3_000, 100), provider: { signed: { signature: `s${i}` } } }]
  return [
    { role: 'assistant', content: reply(i), toolCalls: [call], reasoning },
    { role: 'tool', content: result(i), answers: { id: call.id, name: call.name } },
  ]
}

const reply = (i: number) => words(i + 1_000, 200)
const result = (i: number) => words(i + 2_000, 600)

function start(turns: number, messages = conversation(turns)): Extract<Draft, { type: 'model-start' }> {
  const question: Message = { role: 'user', content: `Iteration ${turns + 1}. What next?` }
  const tools = [{ name: 'read', description: words(9, 300), schema: { type: 'object' } }]
  const request = { kind: 'k', version: 1, role: 'act' as const, messages: [...messages, question], tools }
  return {
    type: 'model-start',
    n: turns,
    request,
    reserve: { calls: 1, tokens: 1, costUsd: 0 },
    path: '1',
    atMs: turns,
  }
}

/** One iteration of a loop: the request, the reply, and what the tool gave. */
function iteration(i: number): Draft[] {
  const usage = { ...NO_USAGE }
  const value = { text: reply(i), toolCalls: (turn(i)[0] as Message).toolCalls ?? [], usage }
  return [
    start(i - 1),
    { type: 'part-end', n: i, part: 1, value, usage, path: '1', atMs: i },
    { type: 'model-end', n: i, result: { ok: true, value }, usage, left: LEFT, path: '1', atMs: i },
    { type: 'tool-end', n: i, result: { ok: true, value: result(i) }, usage, left: LEFT, path: '1', atMs: i },
  ]
}

describe('a loop of 200 turns', () => {
  it('takes as much for its last turn as for its twentieth, and is read back as it was', () => {
    const grown: number[] = []
    for (let i = 1; i <= TURNS; i++) {
      const before = bytesStored()
      append(...iteration(i))
      grown.push(bytesStored() - before)
    }
    const [twentieth = 0, last = 0] = [grown[19], grown[TURNS - 1]]
    expect(last).toBeLessThan(twentieth * 1.1)
    const said = reply(1).length + result(1).length
    expect(last).toBeLessThan(2 * said + 1_000)
    expectAsWritten()
  })

  it('goes on in another process without storing anything again', () => {
    for (let i = 1; i <= 20; i++) append(...iteration(i))
    const before = inFile('SELECT count(*) AS n FROM blobs')
    reopen()
    append({ ...start(19), n: 21 })
    expect(inFile('SELECT count(*) AS n FROM blobs')).toEqual(before)
    expectAsWritten()
  })

  it('shares its messages with a fork', () => {
    for (let i = 1; i <= 20; i++) append(...iteration(i))
    const before = inFile('SELECT count(*) AS n FROM blobs')
    store.fork('r1', written.length, 'f1')
    expect(inFile('SELECT count(*) AS n FROM blobs')).toEqual(before)
    expectAsWritten('f1')
  })

  it('has lost nothing when a commit in the middle of it was rolled back', () => {
    append(...iteration(1))
    const bad: Draft = { type: 'note', n: 1, name: 'bad', data: 1n, path: '1', atMs: 1 }
    expect(() => store.append('r1', epoch, [...iteration(2), bad], false)).toThrow()
    append(...iteration(2), ...iteration(3))
    reopen()
    expectAsWritten()
  })

  it('that is compacted or belongs to another block begins a list of its own', () => {
    append(start(5))
    append(start(5, [...conversation(0), { role: 'user', content: 'Summary of 5 turns' }]))
    append({ ...start(3), path: '1-1' }, { ...start(4), path: '1-2' }, { ...start(4), path: '1-1' })
    reopen()
    expectAsWritten()
  })
})

it('a message that grows part by part takes as much for its 200th part as for its twentieth', () => {
  const grown: number[] = []
  const parts: string[] = []
  for (let i = 1; i <= TURNS; i++) {
    parts.push(`Result ${i}:\n`, words(i, 600))
    const before = bytesStored()
    append(
      start(i, [
        { role: 'system', content: 'rules' },
        { role: 'user', content: [...parts] },
      ]),
    )
    grown.push(bytesStored() - before)
  }
  expect(grown[TURNS - 1]).toBeLessThan((grown[19] as number) * 1.1)
  reopen()
  expectAsWritten()
})

describe('what an event says is stored once', () => {
  const report = words(5, 3_000)

  it('a structured reply that comes as a part, as a text and as a value, and what is made of it', () => {
    const value = { type: 'RETURN', description: `"${report}"\n` }
    const said = { text: `Here it is:\n${JSON.stringify(value, null, 2)}\n`, value }
    const usage = { ...NO_USAGE }
    append(
      { type: 'part-end', n: 1, part: 1, value: { text: said.text }, usage, path: '1', atMs: 1 },
      {
        type: 'model-end',
        n: 1,
        result: { ok: true, value: { ...said, usage } },
        usage,
        left: LEFT,
        path: '1',
        atMs: 1,
      },
      { type: 'note', n: 1, name: 'made', data: { of: [value.description] }, path: '1', atMs: 1 },
      { type: 'todo-set', n: 1, todo: value.description, path: '1', atMs: 1 },
    )
    expect(inFile<{ n: number }>('SELECT count(*) AS n FROM blobs')).toEqual({ n: 1 })
    expect(inFile<{ n: number }>('SELECT sum(length(body)) AS n FROM events').n).toBeLessThan(1_500)
    expectAsWritten()
  })

  it('a value that its text does not say is kept', () => {
    const usage = { ...NO_USAGE }
    for (const text of ['{broken', '{"a":1} and {"a":2}', `{"a":3}${report}`, `["a"]${report}`]) {
      const value = { text, value: { a: 1 }, usage }
      append({ type: 'model-end', n: 1, result: { ok: true, value }, usage, left: LEFT, path: '1', atMs: 1 })
    }
    expectAsWritten()
  })
})

describe('any text is read back as it was', () => {
  const long = words(6, 2_000)
  it.each([
    ['a mark', `¶t${long}`],
    ['a short mark', '¶tAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['two marks', '¶¶'],
    ['what looks like a value that a text says', { text: `{"a":1} ${long}`, value: '¶s0-7' }],
    ['half a surrogate pair', `\ud83d${long}`],
    ['a zero', `${long}\u0000${long}`],
    ['a zero in a text that is not compressed', `${words(7, 200)}\u0000${words(8, 200)}`],
    ['what an earlier version took for a hash', { part: long, messages: ['x', { part: 'y' }] }],
    ['a key of the prototype', JSON.parse(`{"__proto__": {"text": "${long}"}}`)],
    ['a list of one', [[[long]]]],
    ['other languages', `${'分形思考：把目标拆开，再合起来。'.repeat(200)}`],
  ])('%s', (_, data) => {
    append(
      { type: 'note', n: 1, name: 'odd', data, path: '1', atMs: 1 },
      { type: 'note', n: 2, name: 'odd again', data: { twice: [data, data], long }, path: '1', atMs: 1 },
      start(1, [
        { role: 'system', content: typeof data === 'string' ? data : JSON.stringify(data) },
        { role: 'user', content: [String(data), long, '¶', ''] },
      ]),
    )
    reopen()
    expectAsWritten()
  })

  it('as the last message of a request, again and again', () => {
    for (const content of ['', '¶', long, long, words(7, 5_000), `¶${long}`, [long, '¶t', '']])
      for (const times of [1, 2])
        append({ ...start(times, []), n: times }, start(times, [{ role: 'user', content }]))
    reopen()
    expectAsWritten()
  })
})

describe('prompts that are made anew for each step', () => {
  const prompt = (n: number) => {
    const done = Array.from({ length: 10 }, (_, i) => `${n + i}. ${words(n + i, 60)}\n`)
    return `${words(1, 200)}\nDone so far (${n + 10}):\n${done.join('')}¶What next?`
  }
  const ask = (n: number, kind = 'k'): Draft => {
    const request = { kind, version: 1, role: 'plan' as const, messages: [message(prompt(n))] }
    return {
      type: 'model-start',
      n,
      request,
      reserve: { calls: 1, tokens: 1, costUsd: 0 },
      path: '1',
      atMs: n,
    }
  }
  const message = (content: string): Message => ({ role: 'user', content })

  it('take as much as is new in them, also in one commit, and are read back as they were', () => {
    const before = bytesStored()
    for (let n = 1; n <= 60; n += 2) append(ask(n), ask(n + 1))
    expect((bytesStored() - before) / 60).toBeLessThan(prompt(1).length / 2)
    expectAsWritten()
    reopen()
    expectAsWritten()
    for (let n = 61; n <= 70; n++) append(ask(n))
    expectAsWritten()
  })

  it('are read one by one, backwards, and in forks', () => {
    for (let n = 1; n <= 40; n++) append(ask(n, n % 3 === 0 ? 'other' : 'k'))
    reopen()
    for (let seq = 41; seq >= 2; seq--) {
      const [event] = store.read('r1', seq, seq)
      expect(event).toHaveProperty('request.messages', [message(prompt(seq - 1))])
    }
    store.fork('r1', 30, 'f1')
    store.fork('r1', 30, 'f2', { request: { settings: { seed: 7 } } })
    const requests = (id: string) =>
      [...store.read(id, 2, 30)].map((event) => event.type === 'model-start' && event.request.messages)
    expect(requests('f1')).toEqual(requests('r1'))
    expect(requests('f2')).toEqual(requests('r1'))
  })

  it('are not edits of what was rolled back, or of what another has written there', () => {
    append(ask(1))
    expect(() => store.append('r1', epoch, [ask(2), { ...ask(3), reserve: 1n } as never], false)).toThrow()
    append(ask(3), ask(4))
    const other = sqliteStore(file)
    store.release('r1', epoch)
    const taken = other.acquire('r1')
    other.append('r1', taken, [ask(5), ask(6)], false)
    written.push(ask(5), ask(6))
    other.release('r1', taken)
    other.close()
    epoch = store.acquire('r1')
    append(ask(7), ask(8))
    expectAsWritten()
    reopen()
    expectAsWritten()
  })
})

it.each([
  ['a text that does not match its hash', `UPDATE blobs SET body = replace(CAST(body AS TEXT), 'a', 'b')`],
  ['a row that does not match its checksum', `UPDATE events SET at = at + 1 WHERE type GLOB 'model-start*'`],
  ['a row that is missing', `DELETE FROM events WHERE type GLOB 'model-start*'`],
])('%s is damage of its run', (_, damage) => {
  append(start(3), { type: 'note', path: '1', atMs: 9, name: 'x' } as Draft)
  append(start(3), { type: 'note', path: '1', atMs: 9, name: 'x' } as Draft)
  append({ type: 'note', path: '1', atMs: 9, name: 'x' } as Draft)
  store.close()
  const database = new DatabaseSync(file)
  expect(Number(database.prepare(damage).run().changes)).toBeGreaterThan(0)
  database.close()
  store = sqliteStore(file)
  expect(() => [...store.read('r1')]).toThrow(
    expect.objectContaining({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('of run r1'),
      data: { store: file, run: 'r1' },
    }),
  )
})
