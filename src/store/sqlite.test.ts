// What only a store on a disk can promise.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS } from '../protocol/index.ts'
import { type CheckedEventRow, eventsChecksum } from './checksums.ts'
import { sqliteStore } from './sqlite.ts'

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

const note = (data: unknown): Draft => ({ type: 'note', n: 1, name: 'note', data, path: '1', atMs: 2_000 })

let folder = ''
let file = ''
const stores: Store[] = []

function open(): Store {
  const store = sqliteStore(file)
  stores.push(store)
  return store
}

function inFile<T>(action: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file)
  try {
    return action(database)
  } finally {
    database.close()
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-sqlite-'))
  file = join(folder, 'store.db')
})

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a SQLite store', () => {
  it('refuses a path whose folders are not there, but makes the last one', () => {
    file = join(folder, 'not', 'there', 'store.db')
    expect(open).toThrow(expect.objectContaining({ code: 'STORE_IO' }))
  })

  it('refuses a folder, and says what to name', () => {
    file = folder
    expect(open).toThrow(
      `the store ${folder} is a folder: name a file in it, such as ${join(folder, 'runs.db')}`,
    )
  })

  it('is there again when it is opened again, its folder made when it is missing', () => {
    file = join(folder, 'new', 'store.db')
    const first = open()
    first.append('r1', first.create(RUN, { ...FIRST }), [note('kept')], true)
    first.close()
    expect([...open().read('r1')]).toHaveLength(2)
  })

  it('refuses a run while its owner lives, and gives it when the owner is gone', () => {
    const owner = open()
    owner.append('r1', owner.create(RUN, { ...FIRST }), [note('mine')], false)
    const other = open()
    expect(() => other.acquire('r1')).toThrow(expect.objectContaining({ code: 'RUN_LOCKED' }))
    expect(other.list()[0]).toMatchObject({ owned: true })
    expect([...other.read('r1')]).toHaveLength(2)
    owner.close()
    expect(other.list()[0]).toMatchObject({ owned: false })
    expect(other.append('r1', other.acquire('r1'), [note('now mine')], false)).toBe(3)
  })

  it('gives a run that was released while its owner lives', () => {
    const owner = open()
    owner.release('r1', owner.create(RUN, { ...FIRST }))
    expect(open().acquire('r1')).toBe(2)
  })

  it('takes signals from others for a run it does not own, and shows that something has changed', () => {
    const owner = open()
    owner.create(RUN, { ...FIRST })
    const before = owner.version()
    open().send('r1', '1', 'answer', 'from outside')
    expect(owner.version()).not.toBe(before)
    expect(owner.pending('r1')).toEqual([{ path: '1', name: 'answer', number: 1, value: 'from outside' }])
  })

  it('leaves no lock file behind when it is closed', () => {
    const store = open()
    store.create(RUN, { ...FIRST })
    expect(readdirSync(folder).filter((name) => name.includes('owner'))).not.toEqual([])
    store.close()
    expect(readdirSync(folder).filter((name) => name.includes('owner'))).toEqual([])
  })

  it('writes one row for each commit, unless it is long', () => {
    const store = open()
    const epoch = store.create(RUN, { ...FIRST })
    store.append('r1', epoch, [note('a'), note('b'), note('c')], false)
    store.append('r1', epoch, [note('d')], false)
    const rows = () =>
      inFile((database) => database.prepare('SELECT id & 0x7fffffff AS last FROM events').all())
    expect(rows().map(({ last }) => last)).toEqual([1, 4, 5])
    // Texts that are never stored once: half of a surrogate pair.
    const drafts = Array.from({ length: 5 }, (_, i) => note(`${'x'.repeat(100_000)}\ud800 ${i}`))
    expect(store.append('r1', epoch, drafts, false)).toBe(6)
    expect(rows().map(({ last }) => last)).toEqual([1, 4, 5, 7, 9, 10])
    expect([...store.read('r1', 7, 9)].map((event) => event.type === 'note' && event.data)).toEqual(
      drafts.slice(1, 4).map((draft) => draft.type === 'note' && draft.data),
    )
  })

  it('stores a part that comes again in many requests once', () => {
    const store = open()
    const epoch = store.create(RUN, { ...FIRST })
    const part = 'a long part of a prompt '.repeat(500)
    for (let n = 1; n <= 50; n++) {
      const request = {
        kind: 'k',
        version: 1,
        role: 'plan' as const,
        messages: [{ role: 'user' as const, content: [part, `${n}`] }],
      }
      const start: Draft = {
        type: 'model-start',
        n,
        request,
        reserve: { calls: 1, tokens: 1, costUsd: 0 },
        path: '1',
        atMs: n,
      }
      store.append('r1', epoch, [start], false)
    }
    store.close()
    const bytes = inFile((database) =>
      database.prepare('SELECT sum(length(body)) AS n FROM events').get(),
    ) as { n: number }
    expect(bytes.n).toBeLessThan(part.length)
    const last = [...open().read('r1')].at(-1)
    expect(last?.type === 'model-start' && last.request.messages[0]?.content).toEqual([part, '50'])
  })

  it('has not put down a part of a commit that failed', () => {
    const store = open()
    const epoch = store.create(RUN, { ...FIRST })
    const part = 'a long part of a prompt '.repeat(100)
    const request = {
      kind: 'k',
      version: 1,
      role: 'plan' as const,
      messages: [{ role: 'user' as const, content: part }],
    }
    const start: Draft = {
      type: 'model-start',
      n: 1,
      request,
      reserve: { calls: 1, tokens: 1, costUsd: 0 },
      path: '1',
      atMs: 1,
    }
    expect(() => store.append('r1', epoch, [{ ...start }, note(1n)], false)).toThrow()
    store.append('r1', epoch, [{ ...start }], false)
    const [event] = store.read('r1', 2, 2)
    expect(event?.type === 'model-start' && event.request.messages[0]?.content).toBe(part)
  })

  for (const [what, make] of [
    ['a text', () => writeFileSync(file, 'this is not a database, it is a text of some length '.repeat(50))],
    ['another SQLite file', () => inFile((database) => database.exec('CREATE TABLE theirs (a)'))],
  ] as const) {
    it(`refuses ${what}, says that it is no Thinkon store, and leaves it as it is`, () => {
      make()
      expect(open).toThrow(
        expect.objectContaining({ code: 'STORE_CORRUPT', message: expect.stringContaining(file) }),
      )
      expect(existsSync(file)).toBe(true)
    })
  }

  it('refuses a store that was cut to an empty file', () => {
    open().close()
    truncateSync(file)
    expect(open).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPT', message: expect.stringContaining('empty file') }),
    )
    expect(statSync(file).size).toBe(0)
  })

  it('refuses a store from before the first release, and says what to do', () => {
    open().close()
    inFile((database) => database.exec(`PRAGMA application_id = ${0x7448_4e4b}; PRAGMA user_version = 8`))
    expect(open).toThrow(
      expect.objectContaining({
        code: 'STORE_OLDER',
        message: expect.stringContaining('choose a new store'),
      }),
    )
  })

  it('refuses a store of a newer version, and says what to do', () => {
    open().close()
    inFile((database) => database.exec('PRAGMA user_version = 99'))
    expect(open).toThrow(
      expect.objectContaining({ code: 'STORE_NEWER', message: expect.stringContaining('update') }),
    )
  })

  it.each([
    `CREATE TRIGGER answer AFTER INSERT ON events BEGIN
       INSERT INTO inbox (run, path, name, number, value, at) VALUES (1, '1', 'approve', 1, '"yes"', 0); END`,
    `CREATE VIEW more AS SELECT * FROM runs`,
  ])('refuses a store that acts by itself: %.14s', (program) => {
    open().close()
    inFile((database) => database.exec(program))
    expect(open).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPT',
        message: expect.stringContaining('triggers or views'),
      }),
    )
  })

  it('a new run has nothing that was in the store before it', () => {
    open().close()
    inFile((database) => {
      database.exec(`INSERT INTO inbox (run, path, name, number, value, at, crc) VALUES (3, '1', 'approve', 1, '"yes"', 0, 0);
        INSERT INTO events (id, at, type, path, body, crc) VALUES (${5 * 2 ** 31 + 1}, 0, 'note', '1', '{}', 0)`)
    })
    const store = open()
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      store.create({ ...RUN, id }, FIRST)
      expect(store.pending(id)).toEqual([])
      expect([...store.read(id)].map(({ type, seq }) => [type, seq])).toEqual([['run-start', 1]])
    }
  })

  it('deletes no file elsewhere, whoever is said to own a run', () => {
    const other = join(folder, 'other.db')
    new DatabaseSync(other).close()
    mkdirSync(join(folder, 'store.db.owner-1-x'))
    const store = open()
    store.create(RUN, FIRST)
    inFile((database) => database.exec(`UPDATE runs SET owner = '1-x/../other.db'`))
    expect(store.list().map(({ owned }) => owned)).toEqual([false])
    store.delete(RUN.id)
    expect(existsSync(other)).toBe(true)
  })

  it('says that a damaged store is damaged', () => {
    const store = open()
    const epoch = store.create(RUN, { ...FIRST })
    for (let i = 0; i < 200; i++) store.append('r1', epoch, [note('x'.repeat(1_000))], false)
    store.close()
    truncateSync(file, 20_000)
    expect(() => [...open().read('r1')]).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })

  it.each([
    `status = 'mad'`,
    `goal = '{'`,
    `goal = '12'`,
    `goal = '{"intent":1}'`,
    `created = 9e15`,
    `created = 'never'`,
  ])('says that a run with %s is damage', (change) => {
    open().create(RUN, FIRST)
    inFile((database) => database.exec(`UPDATE runs SET ${change}`))
    const store = open()
    for (const look of [() => store.list(), () => store.row(RUN.id)])
      expect(look).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })

  it('says that what is nested too deeply to be read is damage', () => {
    open().create(RUN, FIRST)
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    inFile((database) => database.exec(`UPDATE events SET body = '${deep}'`))
    expect(() => [...open().read(RUN.id)]).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })

  it.each([
    ['can not be decompressed', `x'00ff00ff'`],
    ['is no JSON', `'[0,{"broken'`],
    ['is a number', '7'],
    ['has another number of events', `'[0]'`],
  ])('says that an event whose body %s is damage', (_, body) => {
    const store = open()
    store.append('r1', store.create(RUN, { ...FIRST }), [note('x'.repeat(300_000)), note('fine')], false)
    store.close()
    inFile((database) => {
      database.exec(`UPDATE events SET body = ${body} WHERE type GLOB 'note*'`)
      correctChecksums(database)
    })
    expect([...open().read('r1', 1, 1)]).toHaveLength(1)
    expect(() => [...open().read('r1', 2, 2)]).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })
})

function correctChecksums(database: DatabaseSync): void {
  for (const row of database.prepare('SELECT * FROM events').all() as unknown as CheckedEventRow[]) {
    const crc = typeof row.body === 'number' ? 0 : eventsChecksum(row.id % 2 ** 31, row)
    database.prepare('UPDATE events SET crc = ? WHERE id = ?').run(crc, row.id)
  }
}
