import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type Model } from '../../src/index.ts'
import { foldEvents } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { endAll, serveHere } from '../server/serve-here.ts'

const BIN = join(import.meta.dirname, '../../bin/thinkon.js')
const HOLDER = join(import.meta.dirname, 'holder.ts')

/** Small file systems of our own; making them takes a privilege that not every machine gives. */
const mayMount = tryMount()

describe.skipIf(!mayMount)('a disk that fails (needs the right to mount a tmpfs)', () => {
  const mounted: string[] = []

  afterEach(() => {
    for (const folder of mounted.splice(0)) {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('ends a run with a clear error when it is full, and the journal is intact', async () => {
    const folder = mount('640k')
    const store = join(folder, 'runs.db')
    const engine = createEngine({ model: talkative, store })
    const run = await engine.start('fill the disk', { id: 'full', strategy: 'minimal' })
    await expect(run.outcome).rejects.toMatchObject({
      code: 'STORE_FULL',
      message: expect.stringContaining('thinkon resume'),
    })
    await engine.close()
    // A copy on a disk with room goes on where it stopped.
    const copy = mkdtempSync(join(tmpdir(), 'thinkon-copy-'))
    cpSync(folder, copy, { recursive: true })
    const before = journal(join(copy, 'runs.db'))
    expect(before.map((event) => event.seq)).toEqual(before.map((_, index) => index + 1))
    expect(foldEvents(before).outcome).toBeNull()
    const roomy = createEngine({ model: talkative, store: join(copy, 'runs.db') })
    const outcome = await (await roomy.resume('full')).outcome
    await roomy.close()
    const paid = journal(join(copy, 'runs.db')).filter((event) => event.type === 'model-end')
    expect(outcome).toMatchObject({ status: 'completed', usage: { calls: paid.length } })
    expect(new Set(paid.map((event) => event.n)).size).toBe(paid.length)
    expect(paid.length).toBe(answered.size)
    rmSync(copy, { recursive: true, force: true })
  })

  it('imports nothing when it is full, deletes what it can, and keeps the other runs whole', async () => {
    const folder = mount('4m')
    const engine = createEngine({ model: talkative, store: join(folder, 'runs.db') })
    for (const id of ['first', 'second'])
      await (await engine.start(id, { id, strategy: 'minimal', budget: { calls: 8 } })).outcome
    let file = ''
    for await (const line of await engine.export('second')) file += line
    const before = JSON.stringify([...(await engine.events('second'))])
    const elsewhere = createEngine({ model: talkative })
    await (await elsewhere.start('large', { id: 'large', strategy: 'minimal' })).outcome
    let large = ''
    for await (const line of await elsewhere.export('large')) large += line
    await elsewhere.close()
    const ballast = join(folder, 'ballast')
    fill(ballast)
    await expect(engine.import([large])).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect((await engine.list()).map(({ id }) => id)).toEqual(['second', 'first'])
    // Deleting writes, too, if only a little.
    await engine.delete('first').catch((error) => expect(error).toMatchObject({ code: 'STORE_FULL' }))
    expect(JSON.stringify([...(await engine.events('second'))])).toBe(before)
    rmSync(ballast)
    await engine.prune({ keep: 1 })
    expect((await engine.list()).map(({ id }) => id)).toEqual(['second'])
    expect(JSON.stringify([...(await engine.events('second'))])).toBe(before)
    expect(await engine.import([file])).toMatchObject({ existed: true })
    expect(await engine.import([large])).toMatchObject({ existed: false })
    await engine.close()
  })

  it('keeps house nowhere when it is read-only, and exports all the same', async () => {
    const folder = mount('4m')
    const store = join(folder, 'runs.db')
    const writable = createEngine({ store })
    const { run } = await (await writable.start('1 + 2')).outcome
    await writable.close()
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const engine = createEngine({ store })
    let file = ''
    for await (const line of await engine.export(run)) file += line
    const refused = { code: 'STORE_READ_ONLY' }
    await expect(engine.delete(run)).rejects.toMatchObject(refused)
    await expect(engine.prune({ keep: 0 })).rejects.toMatchObject(refused)
    await expect(engine.compact()).rejects.toMatchObject(refused)
    await expect(engine.import([file], { as: 'copy' })).rejects.toMatchObject(refused)
    expect(await engine.prune({ keep: 0, dryRun: true })).toMatchObject({ runs: [{ id: run }] })
    await engine.close()
    const other = createEngine()
    expect(await other.import([file])).toMatchObject({ run, existed: false })
    await other.close()
  })

  it('refuses a run with a clear error when it is read-only', async () => {
    const folder = mount('4m')
    const store = join(folder, 'runs.db')
    const writable = createEngine({ store })
    await writable.list()
    await writable.close()
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const engine = createEngine({ store })
    await expect(engine.start('1 + 2')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await engine.close()
  })

  it('shows what is there when it is read-only', async () => {
    const folder = mount('4m')
    const store = join(folder, 'runs.db')
    const writable = createEngine({ model: talkative, store })
    await (await writable.start('write', { id: 'written', strategy: 'minimal', budget: { calls: 2 } }))
      .outcome
    await writable.close()
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const engine = createEngine({ store })
    expect((await engine.list()).map((row) => row.id)).toEqual(['written'])
    expect((await engine.state('written')).outcome).not.toBeNull()
    await engine.close()
  })

  for (const [shm, how] of [
    [true, 'with all its files'],
    [false, 'without the file that only a running process needs'],
  ] as const) {
    it(`shows the newest run of a killed process when it is read-only (${how})`, async () => {
      const { store, before } = await readOnlyAfterKill(shm)
      const engine = createEngine({ store, model: { ...talkative, id: 'never' } })
      expect((await engine.list()).map((row) => row.id)).toEqual(['held', before])
      expect((await engine.state('held')).status).toBe('stopped')
      await expect(engine.resume('held')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
      await expect(engine.signal('held', '1', 'cancel')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
      await engine.close()
    })
  }

  it('refuses a store without its -wal when it is read-only', async () => {
    const { store } = await readOnlyAfterKill(false)
    const folder = mount('8m')
    const alone = join(folder, 'runs.db')
    cpSync(store, alone)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    expect(() => sqliteStore(alone)).toThrow(expect.objectContaining({ code: 'STORE_WAL_MISSING' }))
  })

  it('a service on one that is full or read-only says so, shows what it has, and goes on when there is room', async () => {
    const folder = mount('4m')
    const store = join(folder, 'runs.db')
    const { fetch, post, service } = await serveHere({ store })
    await (await service.start('a', { id: 'first' })).outcome
    const ballast = join(folder, 'ballast')
    fill(ballast)
    const full = await post('/api/runs', { goal: 'x'.repeat(200_000) })
    expect([full.status, await full.json()]).toMatchObject([507, { code: 'STORE_FULL' }])
    expect((await fetch('/api/runs/first')).status).toBe(200)
    rmSync(ballast)
    expect((await post('/api/runs', { goal: 'c' })).status).toBe(201)
    await endAll()
    execFileSync('mount', ['-o', 'remount,ro', folder])
    const second = await serveHere({ store })
    const refused = await second.post('/api/runs', { goal: 'd' })
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'STORE_READ_ONLY' }])
    expect((await second.fetch('/api/runs/first/events')).status).toBe(200)
    await endAll()
  })

  it('says what it can not show', async () => {
    const { store, before } = await readOnlyAfterKill(false)
    const seen = spawnSync(process.execPath, [BIN, 'list', '--store', store], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: '/nowhere' },
    })
    expect(seen.stdout).toContain(before)
    expect(seen.stdout).not.toContain('held')
    expect(seen.stderr).toContain(`the store ${store} is shown without what was written to it last`)
    expect(seen.status).toBe(0)
  })

  /** A run that has ended, then one whose process was killed; its events are in the WAL alone. */
  async function readOnlyAfterKill(withShm: boolean): Promise<{ store: string; before: string }> {
    const folder = mount('8m')
    const store = join(folder, 'runs.db')
    const engine = createEngine({ store })
    const { run: before } = await (await engine.start('1 + 2')).outcome
    await engine.close()
    const holder = spawn(process.execPath, [HOLDER, store, 'start', 'held'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    await expect.poll(() => statSync(`${store}-wal`).size).toBeGreaterThan(4_000)
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    if (!withShm) rmSync(`${store}-shm`)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    return { store, before }
  }

  /** Takes all the space that is left. */
  function fill(path: string): void {
    for (const bytes of [65_536, 4_096]) {
      try {
        for (;;) appendFileSync(path, Buffer.alloc(bytes))
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    }
  }

  function mount(size: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
    mounted.push(folder)
    return folder
  }
})

const CALLS = 60

/** The steps that the model was asked in. */
const answered = new Set<number>()

/** Notes of 20 kB, so that a small disk is soon full. */
const talkative: Model = {
  id: 'talkative',
  async call({ messages }, { n }) {
    answered.add(n)
    const text =
      n < CALLS * 2 - 1 ? note(n + String(messages.length)) : '{"do":"return","result":"said it all"}'
    return { text, usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

/** A long text that is not compressible to less than half. */
function note(salt: string): string {
  const parts = Array.from({ length: 100 }, (_, i) => hash('sha256', `${salt} ${i}`))
  return JSON.stringify({ do: 'note', name: 'long', data: parts.join('') })
}

function journal(path: string) {
  const store = sqliteStore(path)
  try {
    return [...store.read('full')]
  } finally {
    store.close()
  }
}

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
