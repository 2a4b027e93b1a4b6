/** What a store that processes share promises (SharedStore). */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgresServer } from '../../src/cluster/postgres-server.ts'
import type { Draft, SharedStore, SharedTransaction } from '../../src/kernel/store.ts'
import type { Event } from '../../src/protocol/index.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { freshDatabase, queryDatabase } from '../postgres.ts'
import { countUp, note } from './shared-counting.ts'

const PROGRAM = join(import.meta.dirname, 'shared-program.ts')
const RUN = 'run-1'
const NEW = { id: RUN, goal: 'why', strategy: 'minimal' }
const START = { path: '1', n: 1, kind: 'start' } as const

describe('a store that processes share', () => {
  let url: string
  const opened: SharedStore[] = []
  const children: ChildProcess[] = []

  beforeEach(async () => {
    url = await freshDatabase()
  })

  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child)
    for (const store of opened.splice(0)) await store.close()
  })

  /** As in a process of its own. */
  async function open(): Promise<SharedStore> {
    const store = await postgresStore(url)
    opened.push(store)
    return store
  }

  async function openRun(): Promise<SharedStore> {
    const store = await open()
    await store.transact(NEW, (tx) => tx.append(note('first'), START))
    return store
  }

  function write(name: string, writers: number, times: number) {
    return writer(children, url, name, writers, times)
  }

  // --- one process

  it('creates a run once, with its first events', async () => {
    const [one, other] = [await open(), await open()]
    const create = (tx: SharedTransaction) => (tx.seq > 0 ? 'there' : tx.append(note('first'), START).seq)
    const made = await Promise.all([one, other, one].map((store) => store.transact(NEW, create)))
    expect(made.toSorted()).toEqual([1, 'there', 'there'])
    expect(await one.row(RUN)).toMatchObject({ ...NEW, status: 'running', seq: 1 })
  })

  it('shows every process what was committed before', async () => {
    const [one, other] = [await openRun(), await open()]
    for (let n = 2; n < 6; n++) {
      await one.transact(RUN, (tx) => tx.append(note(n), { path: '1', n, kind: 'start' }))
      expect(await other.peek(RUN, (reader) => [reader.seq, reader.find('1', n, 'start')?.seq])).toEqual([
        n,
        n,
      ])
      expect(await other.transact(RUN, (tx) => tx.find('1', n + 1, 'start'))).toBe(null)
    }
  })

  it('lets the first one win', async () => {
    const [one, other] = [await openRun(), await open()]
    const end = { ...START, kind: 'end' } as const
    const record = (who: string) => (tx: SharedTransaction) =>
      tx.find('1', 1, 'end') ?? tx.append(note(who), end)
    const ends = await Promise.all([one.transact(RUN, record('one')), other.transact(RUN, record('other'))])
    expect(ends[0]).toEqual(ends[1])
    expect(await events(one)).toHaveLength(2)
  })

  it('writes all or nothing', async () => {
    const store = await openRun()
    const failing = async () => {
      await store.transact(RUN, (tx) => {
        tx.append(note('lost'), { ...START, kind: 'end' })
        tx.setNote('lost', 1)
        throw new Error('no')
      })
    }
    await expect(failing()).rejects.toThrow('no')
    for (const one of [store, await open()]) {
      const seen = await one.peek(RUN, (reader) => [
        reader.seq,
        reader.find('1', 1, 'end'),
        reader.note('lost'),
      ])
      expect(seen).toEqual([1, null, null])
    }
  })

  it('isolates those that are committed together', async () => {
    const store = await openRun()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, async (_, i) =>
        store.transact(RUN, (tx) => {
          const count = countUp(tx, '2', i + 1)
          if (i % 3 === 0) throw new Error('no')
          return count
        }),
      ),
    )
    const values = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(values).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    expect(await (await open()).peek(RUN, (reader) => [reader.seq, reader.note('count')])).toEqual([21, 20])
  })

  it('sees in a transaction what it has written itself', async () => {
    const store = await openRun()
    const seen = await store.transact(RUN, (tx) => {
      const event = tx.append(note('second'), { path: '1', n: 2, kind: 'start' })
      tx.setNote('key', { a: 1 })
      const own = [tx.seq, tx.find('1', 2, 'start'), tx.note('key'), tx.records('1').map(({ n }) => n)]
      return [own, [2, event, { a: 1 }, [1, 2]]]
    })
    expect(seen[0]).toEqual(seen[1])
  })

  it('gives a note to whoever asks, however long, each time a copy; null is none', async () => {
    const [one, other] = [await openRun(), await open()]
    const large = { text: 'x'.repeat(100_000), strange: 'a\u0000b \ud800 \u2028 "' }
    await one.transact(RUN, (tx) => {
      tx.setNote('large', large)
      tx.setNote('small', { list: [] })
      tx.setNote('gone', 1)
    })
    const spoiled = await other.peek(RUN, (reader) => reader.note<{ list: number[] }>('small'))
    spoiled?.list.push(1)
    await one.transact(RUN, (tx) => tx.setNote('gone', null))
    for (const store of [one, other]) {
      const notes = await store.peek(RUN, (reader) =>
        ['large', 'small', 'gone', 'none'].map((key) => reader.note(key)),
      )
      expect(notes).toEqual([large, { list: [] }, null, null])
    }
    await one.transact(RUN, (tx) => tx.setNote('large', { ...large, text: 'y'.repeat(100_000) }))
    expect(await other.peek(RUN, (reader) => reader.note<typeof large>('large')?.text[0])).toBe('y')
  })

  it('gives an event as it was appended, to whoever asks', async () => {
    const [one, other] = [await openRun(), await open()]
    const text = `${'a long text '.repeat(200)}\u0000 \ud800 ¶`
    const messages = Array.from({ length: 20 }, (_, i) => ({ role: 'user', content: `${text} ${i}` }))
    const request = { kind: 'ask', messages, tools: undefined }
    const drafts = [
      note({ text, nothing: undefined }),
      {
        type: 'model-start',
        path: '1.2',
        atMs: 5_000,
        n: 1,
        request,
        reserve: { calls: 1, tokens: 5, costUsd: 0 },
      } as unknown as Draft,
      { ...note(text), inactiveMs: 3 },
    ]
    const appended = await one.transact(RUN, (tx) =>
      drafts.map((draft, i) => tx.append(draft, { path: '5', n: i, kind: 'start' })),
    )
    expect(appended.map(({ seq, path }) => [seq, path])).toEqual([
      [2, '1'],
      [3, '1.2'],
      [4, '1'],
    ])
    expect(await one.peek(RUN, (reader) => reader.records('5').map(({ event }) => event))).toEqual(appended)
    expect(await other.peek(RUN, (reader) => reader.records('5').map(({ event }) => event))).toEqual(appended)
    expect((await events(other)).slice(1)).toEqual(appended)
  })

  it('has its texts also when those of a deleted run are freed while it writes', async () => {
    const [one, other] = [await openRun(), await open()]
    const text = (n: number) => `${n} ${'a text that is stored once '.repeat(100)}`
    let said = 0
    const say = async () => {
      said++
      await one.transact(RUN, (tx) => tx.append(note(text(said % 5))))
    }
    await other.transact({ ...NEW, id: 'run-2' }, (tx) => {
      for (let n = 0; n < 100; n++) tx.append(note(text(n)))
      tx.append({ type: 'run-end', status: 'completed', path: '1', atMs: Date.now() })
    })
    await other.delete('run-2')
    for await (const _ of other.sweep()) await say()
    for (let more = 0; more < 5; more++) await say()
    const texts = (await events(other)).slice(1).map((event) => (event as { data?: string }).data)
    expect(texts).toEqual(Array.from({ length: said }, (_, i) => text((i + 1) % 5)))
  })

  it('takes signals out of the inbox with the event that says so, and numbers them', async () => {
    const [one, other] = [await openRun(), await open()]
    expect(await one.peek(RUN, (reader) => reader.nextNumber('1', 'go'))).toBe(1)
    await other.send(RUN, '1', 'go', { a: 1 })
    await other.send(RUN, '1', 'go', 'second')
    await other.send(RUN, '1', 'message', null)
    const taken = { type: 'signal-taken', name: 'go', number: 1, to: '1', value: { a: 1 } } as const
    const seen = await one.transact(RUN, (tx) => {
      const before = tx.pending()
      tx.append({ ...taken, path: '1', atMs: Date.now() })
      return [before, tx.pending()]
    })
    const second = { path: '1', name: 'go', number: 2, value: 'second' }
    const message = { path: '1', name: 'message', number: 1, value: null }
    expect(seen).toEqual([
      [{ path: '1', name: 'go', number: 1, value: { a: 1 } }, second, message],
      [second, message],
    ])
    for (const store of [one, other, await open()]) {
      const left = await store.peek(RUN, (reader) => [reader.pending(), reader.nextNumber('1', 'go')])
      expect(left).toEqual([[second, message], 3])
      expect(await store.pending(RUN)).toEqual([second, message])
    }
  })

  it('changes the status of a run with the event that says so', async () => {
    const store = await openRun()
    const end: Draft = { type: 'run-end', status: 'completed', path: '1', atMs: Date.now() }
    await store.transact(RUN, (tx) => tx.append(end))
    expect(await store.row(RUN)).toMatchObject({ status: 'completed', seq: 2 })
  })

  it('refuses runs that are not there, and those of a local host', async () => {
    const store = await open()
    const count = (run: string | typeof NEW) => async () => store.transact(run, (tx) => tx.setNote('a', 1))
    await expect(count('none')()).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
    await store.create({ ...NEW, id: 'local' }, note('first'))
    await expect(count('local')()).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(count({ ...NEW, id: 'local' })()).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(await events(store, 'local')).toHaveLength(1)
  })

  it('calls who watches when another process has written', async () => {
    const [one, other] = [await openRun(), await open()]
    let [run, any] = [0, 0]
    const ends = [other.watch(RUN, () => run++), other.watch(null, () => any++)]
    await expect
      .poll(async () => {
        await one.transact(RUN, (tx) => tx.setNote('count', run))
        return run > 1 && any > 1
      })
      .toBe(true)
    for (const end of ends) end()
  })

  // --- several processes

  it('loses no update of 8 writers in 3 processes', async () => {
    const store = await openRun()
    const said = await Promise.all(
      [write('3', 3, 15), write('4', 3, 15), write('5', 2, 15)].map((one) => one.ended),
    )
    const counts = said.flat().map((line) => Number(line.split(' ')[2]))
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1))
    await assertConsistent(store, 120)
  })

  it('lets the first of 3 processes win, and tells the others what it was', async () => {
    const store = await openRun()
    const said = await Promise.all([1, 2, 3].map(() => write('3', 2, 15).ended))
    for (const lines of said) expect(lines.toSorted()).toEqual(said[0]?.toSorted())
    await assertConsistent(store, 30, said[0])
  })

  it('has everything that a process was told before it was killed, and nothing by halves', async () => {
    const store = await openRun()
    const [victim, other] = [write('3', 4, 10_000), write('4', 2, 20)]
    while (victim.said.length < 30) await once(victim.lines, 'line')
    await kill(victim.child)
    await other.ended
    const count = (await store.peek(RUN, (reader) => reader.note<number>('count'))) ?? 0
    const told = [...victim.said, ...other.said]
    expect(count).toBeGreaterThanOrEqual(told.length)
    await assertConsistent(store, count, told)
  })
})

describe('a shared store whose server dies', () => {
  let server: PostgresServer
  const children: ChildProcess[] = []

  beforeEach(async () => {
    server = await startPostgresServer()
  })

  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child)
    await server.end()
  })

  it('loses nothing of what it has said to be on disk, and goes on', async () => {
    const first = await postgresStore(server.url)
    await first.transact(NEW, (tx) => tx.append(note('first'), START))
    await first.close()
    const writers = ['3', '4', '5'].map((name) => writer(children, server.url, name, 2, 40))
    const some = async (count: number) => {
      for (const { said, lines } of writers) while (said.length < count) await once(lines, 'line')
    }
    for (const count of [5, 30]) {
      await some(count)
      await server.kill()
      await server.restart()
    }
    const told = (await Promise.all(writers.map(({ ended }) => ended))).flat()
    const store = await postgresStore(server.url)
    await assertConsistent(store, 240, told)
    await store.close()
  })
})

it('what is to be flushed is committed as the server has it set, and the rest without waiting for the disk', async () => {
  const url = await freshDatabase()
  await queryDatabase(
    url,
    `
    ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = 'remote_apply';
    CREATE TABLE seen (setting text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER see AFTER INSERT ON thinkon.records DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION see()`,
  )
  const store = await postgresStore(url)
  await store.transact(NEW, (tx) => tx.append(note('first'), START))
  await store.transact(RUN, (tx) => tx.append(note('second'), { path: '1', n: 2, kind: 'start' }), false)
  await store.transact(RUN, (tx) => tx.append(note('third'), { path: '1', n: 3, kind: 'start' }), true)
  const seen = await queryDatabase<{ setting: string }>(url, 'SELECT setting FROM seen')
  expect(seen.map(({ setting }) => setting)).toEqual(['remote_apply', 'off', 'remote_apply'])
  await store.close()
})

it('a run that a local host has taken over is refused, also by who has a mirror of it', async () => {
  const url = await freshDatabase()
  const store = await postgresStore(url)
  await store.transact(NEW, (tx) => tx.append(note('first'), START))
  await queryDatabase(url, `UPDATE thinkon.runs SET host = 'local', version = version + 1`)
  const written = store.transact(RUN, (tx) => tx.setNote('a', 1))
  await expect(written).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' })
  await store.close()
})

/** The journal has no gaps, and what was counted is what was recorded, each once; `told` lines are among it. */
async function assertConsistent(
  store: SharedStore,
  count: number,
  told: readonly string[] = [],
): Promise<void> {
  const all = await events(store)
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: count + 1 }, (_, i) => i + 1))
  expect(all.slice(1).map((event) => (event as { data?: unknown }).data)).toEqual(
    Array.from({ length: count }, (_, i) => i + 1),
  )
  const [noted, seq] = await store.peek(RUN, (reader) => [reader.note('count'), reader.seq])
  expect([noted, seq]).toEqual([count, count + 1])
  for (const line of told) {
    const [path = '', n, value] = line.split(' ')
    expect(await store.peek(RUN, (reader) => reader.find(path, Number(n), 'start'))).toMatchObject({
      data: Number(value),
    })
  }
}

async function events(store: SharedStore, run = RUN): Promise<Event[]> {
  const all: Event[] = []
  for await (const event of store.read(run)) all.push(event)
  return all
}

/** A process that counts. */
function writer(children: ChildProcess[], url: string, name: string, writers: number, times: number) {
  const args = [PROGRAM, url, RUN, name, String(writers), String(times)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const said: string[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  return { child, said, lines, ended: once(lines, 'close').then(() => said) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
