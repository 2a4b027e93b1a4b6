// What a store in PostgreSQL promises besides what every store does (store.test.ts): other processes, connections that break, sweeps in between.

import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { emptiedDatabase, queryDatabase, restartPostgres } from '../../../tests/postgres.ts'
import { all } from '../../../tests/stores.ts'
import type { AsyncStore, Draft } from '../../kernel/store.ts'
import { whenFree } from '../../kernel/when-free.ts'
import { DEFAULT_LIMITS } from '../../protocol/index.ts'
import { type PostgresOptions, postgresStore } from './postgres.ts'

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
const run = (id: string) => ({ id, goal: 'a goal', strategy: 'minimal' })
const LONG = (text: string) => `${text} and more of it, long enough to be stored once `.repeat(20)

const opened: AsyncStore[] = []
async function open(url: string, options?: PostgresOptions): Promise<AsyncStore> {
  const store = await postgresStore(url, options)
  opened.push(store)
  return store
}
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

const dataOf = async (store: AsyncStore, id: string) =>
  (await all(store.read(id, 2))).map((event) => (event.type === 'note' ? event.data : event.type))

/** Ends every connection to the database: those of pools, and those that hold locks. */
const breakAll = (url: string) =>
  queryDatabase(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )

describe('a store in PostgreSQL', () => {
  it('takes appends to many runs at once, more than it has connections', async () => {
    const store = await open(await emptiedDatabase(), { maxConnections: 2 })
    const ids = Array.from({ length: 20 }, (_, i) => `r${i}`)
    await Promise.all(
      ids.map(async (id) => {
        const epoch = await store.create(run(id), { ...FIRST })
        // Not awaited one by one: they come in the order in which they were asked for.
        await Promise.all(
          [1, 2, 3].map((n) => store.append(id, epoch, [note(n), note(LONG('same'))], n === 2)),
        )
      }),
    )
    for (const id of ids) {
      expect(await dataOf(store, id)).toEqual([1, 2, 3].flatMap((n) => [n, LONG('same')]))
    }
    expect(await store.count({ status: 'running' })).toBe(20)
  })

  it('keeps every string exactly: NUL, half of a surrogate pair, what looks like a reference', async () => {
    const url = await emptiedDatabase()
    const store = await open(url)
    const texts = [
      '\0',
      '\ud800',
      '\udc00x',
      '¶tabc',
      `¶t${'a'.repeat(24)}`,
      `"${'b'.repeat(24)}"`,
      '\\u0000',
      '\u0001',
    ]
    const strings = texts.flatMap((text) => [text, text.repeat(300), `${text}${'x'.repeat(2_000)}`])
    const epoch = await store.create({ ...run('r'), goal: strings.join('') }, { ...FIRST })
    await store.append('r', epoch, [note(strings), ...strings.map(note)], false)
    await store.send('r', '1', 'message', strings)
    expect(await dataOf(store, 'r')).toEqual([strings, ...strings])
    expect((await store.row('r')).goal).toBe(strings.join(''))
    expect(await store.pending('r')).toMatchObject([{ value: strings }])
    expect(await store.count({ search: '\0' })).toBe(1)
    expect(await store.count({ search: '\ud800\u0001nowhere' })).toBe(0)
  })

  it('keeps events of 30 MB', async () => {
    const store = await open(await emptiedDatabase())
    const epoch = await store.create(run('r'), { ...FIRST })
    const large = 'thirty million characters, '.repeat(1_150_000)
    expect(large.length).toBeGreaterThan(30_000_000)
    await store.append('r', epoch, [note(large)], true)
    const [read] = await dataOf(store, 'r')
    expect(read === large).toBe(true)
  })

  it('leaves a run to its owner while that lives, and gives it to one of those who ask when it is dead', async () => {
    const url = await emptiedDatabase()
    const [first, second, third] = await Promise.all([open(url), open(url), open(url)])
    const epoch = await first.create(run('r'), { ...FIRST })
    const locked = expect.objectContaining({
      code: 'RUN_LOCKED',
      message: expect.stringContaining(`${process.pid}`),
    })
    await expect(second.acquire('r')).rejects.toThrow(locked)
    await expect(second.delete('r')).rejects.toThrow(locked)
    expect(await second.list({ status: 'running' })).toMatchObject([{ owned: true }])
    // It closes without having released the run, as one that dies.
    await first.close()
    expect(await second.list({ status: 'stopped' })).toMatchObject([{ owned: false }])
    const taken = await Promise.allSettled([second.acquire('r'), third.acquire('r')])
    expect(taken.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(second.append('r', epoch, [note('late')], false)).rejects.toMatchObject({
      code: 'OWNERSHIP_LOST',
    })
    expect(await dataOf(second, 'r')).toEqual([])
  })

  it('goes on after all its connections broke, and writes nothing twice', async () => {
    const url = await emptiedDatabase()
    const store = await open(url)
    const epoch = await store.create(run('r'), { ...FIRST })
    const written: number[] = []
    const writing = (async () => {
      for (let n = 0; n < 60; n++) {
        await whenFree(() => store.append('r', epoch, [note(n), note(LONG('text'))], false))
        written.push(n)
      }
    })()
    for (let i = 0; i < 5; i++) {
      const before = written.length
      await expect.poll(() => written.length).toBeGreaterThan(Math.min(before + 3, 58))
      await breakAll(url)
    }
    await writing
    expect(await dataOf(store, 'r')).toEqual(written.flatMap((n) => [n, LONG('text')]))
    // The lock as well: it is held again with the next append.
    await breakAll(url)
    await store.append('r', epoch, [note('last')], false)
    await expect((await open(url)).acquire('r')).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  })

  it('creates a run for one of two callers, whoever is answered first', async () => {
    const url = await emptiedDatabase()
    const proxy = await cuttingProxy(Number(new URL(url).port))
    const near = new URL(url)
    near.port = String(proxy.port)
    const store = await open(near.href)
    // Both are connected.
    await Promise.all([store.count(), store.count(), store.create(run('other'), { ...FIRST })])
    proxy.delayFirst()
    const made = await Promise.allSettled([1, 2].map(() => store.create(run('r'), { ...FIRST })))
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    proxy.close()
  })

  it('knows of an append whose answer was lost that it was committed', async () => {
    const url = await emptiedDatabase()
    const proxy = await cuttingProxy(Number(new URL(url).port))
    const near = new URL(url)
    near.port = String(proxy.port)
    const store = await open(near.href)
    const epoch = await store.create(run('r'), { ...FIRST })
    await store.append('r', epoch, [note('before')], false)
    proxy.holdAnswers()
    const appended = store.append('r', epoch, [note(LONG('lost')), note('too')], false)
    await expect
      .poll(async () => (await queryDatabase(url, 'SELECT seq FROM thinkon.runs'))[0])
      .toEqual({ seq: 4 })
    proxy.cut()
    expect(await appended).toBe(3)
    await store.append('r', epoch, [note(LONG('lost'))], false)
    expect(await dataOf(store, 'r')).toEqual(['before', LONG('lost'), 'too', LONG('lost')])
    proxy.close()
  })

  it('waits for a server that is restarted', async () => {
    const url = await emptiedDatabase()
    const store = await open(url)
    const epoch = await store.create(run('r'), { ...FIRST })
    await store.append('r', epoch, [note(0)], true)
    const restarted = restartPostgres()
    for (let n = 1; n <= 20; n++) await whenFree(() => store.append('r', epoch, [note(n)], true))
    await restarted
    expect(await dataOf(store, 'r')).toEqual([...Array(21).keys()])
    expect(await store.row('r')).toMatchObject({ seq: 22 })
  })

  it('numbers signals that are sent at once, from several processes, without gaps', async () => {
    const url = await emptiedDatabase()
    const stores = await Promise.all([open(url), open(url)])
    await stores[0]?.create(run('r'), { ...FIRST })
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (stores[i % 2] as AsyncStore).send('r', '1', 'message', i)),
    )
    expect(sent.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    const pending = (await stores[1]?.pending('r')) ?? []
    expect(pending.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  })

  it('has another version when anything was written, and the same while nothing is', async () => {
    const url = await emptiedDatabase()
    const [store, other] = await Promise.all([open(url), open(url)])
    await other.create(run('r'), { ...FIRST })
    // PostgreSQL itself may still be writing, after so many tables were emptied.
    let before = 0
    const isQuiet = async () => {
      const last = before
      before = await store.version()
      return before === last
    }
    await expect.poll(isQuiet).toBe(true)
    await other.send('r', '1', 'message', 'hello')
    expect(await store.version()).not.toBe(before)
  })
})

it('a sweep in PostgreSQL frees the events of deleted runs, and nothing else', async () => {
  const url = await emptiedDatabase()
  const store = await open(url)
  for (const id of ['a', 'b']) {
    const epoch = await store.create(run(id), { ...FIRST })
    await store.append(id, epoch, [note(LONG('both')), note(LONG(id))], false)
    await store.append(id, epoch, [note([LONG('both'), LONG(id)])], false)
    await store.release(id, epoch)
  }
  await store.delete('a')
  const steps = await all(store.sweep())
  expect(steps.at(-1)?.freedBytes).toBeGreaterThan(0)
  expect(steps.every(({ done, of }) => done <= of)).toBe(true)
  expect(await dataOf(store, 'b')).toEqual([LONG('both'), LONG('b'), [LONG('both'), LONG('b')]])
  await store.delete('b')
  await all(store.sweep())
  expect(
    await queryDatabase(url, 'SELECT run FROM thinkon.events UNION ALL SELECT run FROM thinkon.unlisted'),
  ).toEqual([])
})

/** Between a store and its server. */
async function cuttingProxy(to: number) {
  let holds = false
  let delaysNext = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connectTo(to, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.on('data', (data) => far.write(data)).on('close', () => far.destroy())
    far.on('data', (data) => holds || later(far, () => near.write(data))).on('close', () => near.destroy())
  })
  /** What answers first is passed on after the answer that follows it. */
  let delayed: (() => void) | null = null
  function later(far: Socket, pass: () => void): void {
    if (delaysNext) {
      delaysNext = false
      far.pause()
      delayed = () => {
        pass()
        far.resume()
      }
      return
    }
    pass()
    if (delayed !== null) setImmediate(delayed)
    delayed = null
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    delayFirst() {
      delaysNext = true
    },
    port: (server.address() as AddressInfo).port,
    holdAnswers() {
      holds = true
    },
    cut() {
      holds = false
      for (const socket of sockets) socket.destroy()
    },
    close: () => server.close(),
  }
}
