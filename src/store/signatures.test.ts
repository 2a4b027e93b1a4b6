// A run is own if all of it was written with the store's key, wherever the store is. What an attacker changes in the tables shows.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emptiedDatabase } from '../../tests/postgres.ts'
import { all } from '../../tests/stores.ts'
import type { AnyStore, Draft } from '../kernel/store.ts'
import { DEFAULT_LIMITS } from '../protocol/index.ts'
import {
  type CheckedEventRow,
  eventsChecksum,
  outlineChecksum,
  runChecksum,
  signalChecksum,
} from './checksums.ts'
import { exportRun } from './export-run.ts'
import { importRun } from './import-run.ts'
import { memoryStore } from './memory.ts'
import { postgresStore } from './postgres/postgres.ts'
import { Signer } from './signatures.ts'
import { sqliteStore } from './sqlite.ts'

const KEY = 'k'.repeat(32)
const OTHER_KEY = 'o'.repeat(32)
const RUN = { id: 'r1', goal: 'a goal', strategy: 'minimal' }
const FIRST: Draft = {
  type: 'run-start',
  format: 1,
  goal: 'a goal',
  strategy: 'minimal@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0', startedBy: 'service' },
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
const answered: Draft = {
  type: 'signal-answered',
  n: 1,
  name: 'approve',
  number: 1,
  result: { ok: true, value: 'no' },
  left: { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 },
  path: '1',
  atMs: 3_000,
} as Draft

interface Place {
  /** A connection of its own. */
  open(key?: string): Promise<AnyStore>
  sql(text: string): Promise<void>
}

async function inSqlite(): Promise<Place & { file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-signed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'runs.db')
  return {
    file,
    open: async (key) => closedAfter(sqliteStore(file, key === undefined ? {} : { key })),
    async sql(text) {
      const database = new DatabaseSync(file)
      database.exec(text)
      correctChecksums(database)
      database.close()
    },
  }
}

/** They are against damage: an attacker computes them. */
function correctChecksums(database: DatabaseSync): void {
  const all = (table: string) => database.prepare(`SELECT rowid, * FROM ${table}`).all() as never[]
  const put = (table: string, rowid: number, crc: number) =>
    database.prepare(`UPDATE ${table} SET crc = ? WHERE rowid = ?`).run(crc, rowid)
  for (const row of all('events') as CheckedEventRow[])
    put('events', row.id, eventsChecksum(row.id % 2 ** 31, row))
  for (const row of all('inbox') as (Parameters<typeof signalChecksum>[1] & { id: number; run: number })[])
    put('inbox', row.id, signalChecksum(row.run, row))
  for (const { run, outline } of all('outlines') as { run: number; outline: string }[])
    put('outlines', run, outlineChecksum(run, outline))
  for (const row of all('runs') as {
    no: number
    id: string
    goal: string
    strategy: string
    created: number
    fork_of: null
  }[])
    put('runs', row.no, runChecksum(row.id, row.goal, row.strategy, row.created, row.fork_of))
}

async function inPostgres(): Promise<Place> {
  const url = await emptiedDatabase()
  return {
    open: async (key) => closedAfter(await postgresStore(url, key === undefined ? {} : { key })),
    async sql(text) {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`SET search_path = thinkon; ${text}`)
      await client.end()
    },
  }
}

function closedAfter<Opened extends AnyStore>(store: Opened): Opened {
  onTestFinished(() => void store.close())
  return store
}

/** A run of four rows: one starts it, one has two events, one answers a question, one has a long text. */
async function writeRun(store: AnyStore, run = RUN): Promise<void> {
  const epoch = await store.create(run, FIRST)
  await store.append(run.id, epoch, [note('one'), note('two')], false)
  await store.append(run.id, epoch, [answered], false)
  await store.append(run.id, epoch, [note('long', { text: 'long '.repeat(1_000) })], true)
  await store.release(run.id, epoch)
}

const KINDS: [string, () => Promise<Place>][] = [
  ['in SQLite', inSqlite],
  ['in PostgreSQL', inPostgres],
]

describe.each(KINDS)('a run %s', (kind, makePlace) => {
  const isSqlite = kind === 'in SQLite'
  /** Of event `seq` of run number 1, as a condition. */
  const row = (seq: number) => (isSqlite ? `id = ${2 ** 31 + seq}` : `run = 1 AND seq = ${seq}`)
  const setSeq = (seq: number) => (isSqlite ? `id = ${2 ** 31 + seq}` : `seq = ${seq}`)

  it('is own, also when another process has resumed it', async () => {
    const { open } = await makePlace()
    await writeRun(await open(KEY))
    const second = await open(KEY)
    expect(await second.origin('r1')).toBe('own')
    const epoch = await second.acquire('r1')
    await second.append('r1', epoch, [note('three')], false)
    await second.append('r1', epoch, [note('four')], false)
    expect(await (await open(KEY)).origin('r1')).toBe('own')
  })

  it('is that of another key, unsigned or unchecked', async () => {
    const { open } = await makePlace()
    await writeRun(await open(KEY))
    await writeRun(await open(), { ...RUN, id: 'r2' })
    expect(await (await open(OTHER_KEY)).origin('r1')).toBe('other-key')
    expect(await (await open(KEY)).origin('r2')).toBe('unsigned')
    expect(await (await open()).origin('r1')).toBe('unchecked')
    await expect((async () => (await open(KEY)).origin('none'))()).rejects.toMatchObject({
      code: 'UNKNOWN_RUN',
    })
  })

  it.each([
    ['an answer', `UPDATE events SET body = replace(body, '"no"', '"yes"') WHERE ${row(4)}`],
    ['a time', `UPDATE events SET at = at + 1 WHERE ${row(3)}`],
    ['a type', `UPDATE events SET type = 'signal-taken' WHERE ${row(4)}`],
    ['a path', `UPDATE events SET path = '1.1' WHERE ${row(4)}`],
    ['a long text', `UPDATE events SET body = substr(body, 1, 50) WHERE ${row(5)}`],
    ['the first row', `UPDATE events SET body = replace(body, 'minimal', 'maximal') WHERE ${row(1)}`],
    ['a row less', `DELETE FROM events WHERE ${row(3)}`],
    ['the place of a row', `UPDATE events SET ${setSeq(9)} WHERE ${row(5)}`],
    ['the id of the run', `UPDATE runs SET id = 'r9' WHERE id = 'r1'`],
    [
      'a signature of another row',
      `UPDATE events SET signature = (SELECT signature FROM events WHERE ${row(3)}) WHERE ${row(4)}`,
    ],
  ])('is altered: %s', async (what, sql) => {
    const { open, sql: execute } = await makePlace()
    await writeRun(await open(KEY))
    await execute(sql)
    expect(await (await open(KEY)).origin(what === 'the id of the run' ? 'r9' : 'r1')).toBe('altered')
  })

  it.each([
    ['has no signature', 'NULL'],
    ['has that of the last row', `(SELECT signature FROM events WHERE ${row(5)})`],
    ['has one that was made up', `'${'A'.repeat(28)}'`],
  ])('is not own with an inserted answer that %s', async (_, signature) => {
    const { open, sql } = await makePlace()
    await writeRun(await open(KEY))
    const [columns, key] = isSqlite ? ['id', `${2 ** 31 + 6}`] : ['run, seq', '1, 6']
    await sql(
      `INSERT INTO events (${columns}, at, type, path, body, signature${isSqlite ? ', crc' : ''})
       SELECT ${key}, at, type, path, replace(body, '"no"', '"yes"'), ${signature}${isSqlite ? ', 0' : ''} FROM events WHERE ${row(4)}`,
    )
    expect(await (await open(KEY)).origin('r1')).not.toBe('own')
  })

  it('is not own with an answer in the inbox that was inserted or altered', async () => {
    const { open, sql } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    await store.send('r1', '1', 'approve', 'no')
    expect(await store.origin('r1')).toBe('own')
    await sql(`UPDATE inbox SET value = '"yes"'`)
    expect(await (await open(KEY)).origin('r1')).toBe('altered')
    await sql(`UPDATE inbox SET signature = NULL`)
    expect(await (await open(KEY)).origin('r1')).toBe('unsigned')
    await sql('DELETE FROM inbox')
    await (await open(OTHER_KEY)).send('r1', '1', 'approve', 'yes')
    expect(await (await open(KEY)).origin('r1')).toBe('other-key')
  })

  it('keeps its origin in a fork, up to the event that is forked at', async () => {
    const { open, sql } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    // In the middle of a row, at the end of one, and with an edit.
    for (const [at, edit] of [[2], [4], [4, { value: 'yes' }]] as const) {
      const id = `f${at}${edit === undefined ? '' : '-edited'}`
      await store.fork('r1', at, id, edit)
      expect(await store.origin(id)).toBe('own')
    }
    await sql(`UPDATE events SET body = replace(body, '"no"', '"yes"') WHERE ${row(4)}`)
    const again = await open(KEY)
    await again.fork('r1', 3, 'before')
    expect(await again.origin('before')).toBe('own')
    await again.fork('r1', 4, 'after')
    expect(await again.origin('after')).toBe('unsigned')
  })

  it('is own if its events were taken from an own run of this store, as those of a redo are', async () => {
    const { open } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    await writeRun(await open(), { ...RUN, id: 'r2' })
    for (const [takenFrom, origin] of [
      ['r1', 'own'],
      ['r2', 'unsigned'],
    ] as const) {
      const id = `of-${takenFrom}`
      const made = await store.import({ ...RUN, id, createdMs: 1, forkOf: takenFrom, inbox: [], takenFrom })
      await made.append([FIRST, note('one')])
      await made.append([note('two')])
      await made.commit()
      expect(await store.origin(id)).toBe(origin)
    }
  })

  it('is unsigned once it was exported and imported, and nothing in the file tells who started it', async () => {
    const { open } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    const lines = await all(exportRun(store, 'r1'))
    expect(lines.join('')).not.toMatch(/signature|startedBy/)
    await importRun(store, lines, { as: 'r2' })
    expect(await store.origin('r2')).toBe('unsigned')
    // What is written to it later does not make it own.
    await store.append('r2', await store.acquire('r2'), [note('three')], false)
    expect(await store.origin('r2')).toBe('unsigned')
  })

  it('is not own any more once a process without the key has written to it', async () => {
    const { open } = await makePlace()
    await writeRun(await open(KEY))
    const other = await open()
    await other.append('r1', await other.acquire('r1'), [note('three')], false)
    expect(await (await open(KEY)).origin('r1')).toBe('unsigned')
  })

  it('has an outline that is read only with the key that it was kept with', async () => {
    const { open, sql } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    await store.keepOutline('r1', '{"at":1}')
    expect(await (await open(KEY)).outline('r1')).toBe('{"at":1}')
    expect(await (await open(OTHER_KEY)).outline('r1')).toBe(null)
    expect(await (await open()).outline('r1')).toBe('{"at":1}')
    await sql(`UPDATE outlines SET outline = replace(outline, '1}', '2}')`)
    expect(await (await open(KEY)).outline('r1')).toBe(null)
    await sql(`UPDATE outlines SET outline = '{"at":3}'`)
    expect(await (await open(KEY)).outline('r1')).toBe(null)
  })

  it('has no signature in its events', async () => {
    const { open } = await makePlace()
    const store = await open(KEY)
    await writeRun(store)
    expect(JSON.stringify(await all(store.read('r1')))).not.toContain('signature')
  })
})

it('a store that was copied on this machine has the same runs', async () => {
  const { file, open } = await inSqlite()
  const store = await open(KEY)
  await writeRun(store)
  store.close()
  copyFileSync(file, `${file}.copy`)
  expect(closedAfter(sqliteStore(`${file}.copy`, { key: KEY })).origin('r1')).toBe('own')
})

it('a run in memory is own', () => {
  const store = memoryStore()
  store.create(RUN, FIRST)
  expect(store.origin('r1')).toBe('own')
})

it('a key has at least 32 characters', () => {
  expect(() => sqliteStore('/nowhere/x.db', { key: 'short' })).toThrow('at least 32 characters')
  expect(() => new Signer(() => 'short').seal('r1', '{}')).toThrow('at least 32 characters')
})
