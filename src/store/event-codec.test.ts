// What is stored takes as much as was said, and is read back as it was written.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { DEFAULT_LIMITS, type Event, type Message, NO_USAGE } from '../protocol/index.ts'
import { Conversations } from './conversations.ts'
import { EventDecoder, EventEncoder, type NewRow } from './event-codec.ts'
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
  return inFile<{ n: number }>('SELECT sum(length(CAST(body AS BLOB))) AS n FROM events').n ?? 0
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

  it('goes on in another process, whose first request is stored whole', () => {
    for (let i = 1; i <= 20; i++) append(...iteration(i))
    reopen()
    for (let i = 21; i <= 40; i++) append(...iteration(i))
    expectAsWritten()
  })

  it('goes on in a fork', () => {
    for (let i = 1; i <= 20; i++) append(...iteration(i))
    store.fork('r1', written.length, 'f1')
    expectAsWritten('f1')
  })

  it('is read event by event, backwards, by a process that has read nothing else', () => {
    for (let i = 1; i <= 40; i++) append(...iteration(i))
    reopen()
    for (let seq = written.length; seq >= 2; seq -= 4) {
      const [event] = store.read('r1', seq - 3, seq - 3)
      expect(event).toMatchObject({ type: 'model-start', request: start((seq - 5) / 4).request })
    }
  })

  it('has two kinds of requests, each of which goes on', () => {
    const grown: number[] = []
    for (let i = 1; i <= TURNS; i++) {
      const before = bytesStored()
      const other = start(i)
      append(start(i), {
        ...other,
        request: { ...other.request, kind: 'other', messages: other.request.messages.slice(1) },
      })
      grown.push(bytesStored() - before)
    }
    expect(grown[TURNS - 1]).toBeLessThan((grown[19] as number) * 1.1)
    reopen()
    expectAsWritten()
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

describe('any text is read back as it was', () => {
  const long = words(6, 2_000)
  it.each([
    ['a mark', `¶t${long}`],
    ['a short mark', '¶tAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['two marks', '¶¶'],
    ['half a surrogate pair', `\ud83d${long}`],
    ['a zero', `${long}\u0000${long}`],
    ['a zero in a text that is not compressed', `${words(7, 200)}\u0000${words(8, 200)}`],
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

it('a request is not stored as one that goes on with what was rolled back, or with what another process has written there', () => {
  append(start(1))
  expect(() => store.append('r1', epoch, [start(2), { ...start(3), reserve: 1n } as never], false)).toThrow()
  append(start(3), start(4))
  const other = sqliteStore(file)
  store.release('r1', epoch)
  const taken = other.acquire('r1')
  other.append('r1', taken, [start(5), start(6)], false)
  written.push(start(5), start(6))
  other.release('r1', taken)
  other.close()
  epoch = store.acquire('r1')
  append(start(7), start(8))
  expectAsWritten()
  reopen()
  expectAsWritten()
})

it('the keys of a request stay in their order', () => {
  const { messages, ...rest } = start(1).request
  for (const request of [
    start(1).request,
    { ...rest, messages },
    { ...rest, messages: [...messages, ...messages] },
  ])
    append({ ...start(1), request })
  reopen()
  const requests = [...store.read('r1', 2)].map((event) => event.type === 'model-start' && event.request)
  expect(JSON.stringify(requests)).toBe(
    JSON.stringify(written.slice(1).map((draft) => draft.type === 'model-start' && draft.request)),
  )
})

it('each of 1,000 turns is put together from the one before it: nothing is looked up', () => {
  const row = () => {
    throw new Error('a row was looked up')
  }
  const reading = { run: 'r1', budget: new DecodingBudget('run r1'), conversations: new Conversations(), row }
  const [encoder, decoder] = [new EventEncoder(), new EventDecoder(reading)]
  for (let i = 1; i <= 1_000; i++) {
    const [row, ...more] = encoder.encode(1, i, [start(i)])
    expect(more).toEqual([])
    const [event] = decoder.decode({ ...(row as NewRow), seq: i })
    if (i % 100 === 0) expect(event).toMatchObject({ request: start(i).request })
  }
})

describe('a reference to an earlier request', () => {
  const path = '1'
  /** Two requests, and an event that is none; the second one has this reference. */
  function read(previous: object, at = 3): Event[] {
    const request = start(1).request
    const rows = [
      { seq: 1, type: 'note', fields: { n: 1, name: 'x', data: null }, path },
      { seq: 2, type: 'model-start', fields: start(1), path },
      {
        seq: 3,
        type: 'model-start',
        fields: { ...start(2), request: { ...request, messages: [] }, previous },
        path,
      },
      { seq: 4, type: 'model-start', fields: start(1), path: '1-1' },
    ].map(({ seq, type, fields, path }) => ({ seq, at: 1, type, path, body: JSON.stringify([0, fields]) }))
    const decoder = new EventDecoder({
      run: 'r1',
      budget: new DecodingBudget('run r1'),
      conversations: new Conversations(),
      row: (seq) => rows.find((row) => row.seq === seq) ?? rows[0]!,
    })
    return [...decoder.decode(rows[at - 1]!)]
  }
  const right = { seq: 2, messages: 2, parts: 0, same: ['tools'] }

  it('gives the messages and fields that it names', () => {
    const [event] = read(right)
    const { messages, tools } = start(1).request
    expect(event).toMatchObject({ request: { messages: messages.slice(0, 2), tools } })
  })

  it.each([
    ['to itself', { seq: 3 }],
    ['to a later event', { seq: 4 }],
    ['to an event that is no request', { seq: 1 }],
    ['to no number', { seq: '2' }],
    ['to more messages than there are', { messages: 9 }],
    ['to less than no messages', { messages: -1 }],
    ['to parts of a message without parts', { messages: 0, parts: 1 }],
    ['to another field', { same: ['kind'] }],
    ['to no list of fields', { same: null }],
  ])('%s is damage', (_, change) => {
    expect(() => read({ ...right, ...change })).toThrow(TypeError)
  })
})

it.each([
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
