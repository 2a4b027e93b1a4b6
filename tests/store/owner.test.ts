import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseSync } from '../../src/files/sqlite.ts'
import { createEngine } from '../../src/index.ts'
import { bury } from '../../src/store/owner-lock.ts'
import { sqliteStore } from '../../src/stores.ts'

const HOLDER = join(import.meta.dirname, 'holder.ts')
const TAKER = join(import.meta.dirname, 'taker.ts')
const LOOKER = join(import.meta.dirname, 'looker.ts')

const hanging = { id: 'never', call: () => new Promise<never>(() => {}) }

describe('a run has one owner', () => {
  let folder: string
  let store: string
  const children: ChildProcess[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-owner-'))
    store = join(folder, 'runs.db')
  })

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })

  it('refuses a second process while the first lives, and says whose it is', async () => {
    const first = await hold('start')
    const second = await hold('resume')
    expect(first.said).toBe('holding')
    expect(JSON.parse(second.said)).toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining(`process ${first.child.pid}`),
    })
  })

  it('refuses it also while the first is stopped, not dead', async () => {
    const first = await hold('start')
    first.child.kill('SIGSTOP')
    const second = await hold('resume')
    expect(JSON.parse(second.said).code).toBe('RUN_LOCKED')
    first.child.kill('SIGCONT')
  })

  it('takes the run over when the first is dead, and the journal says so', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const second = await hold('resume')
    expect(second.said).toBe('holding')
    const engine = createEngine({ store })
    const types = async () => [...(await engine.events('held'))].map((event) => event.type)
    await expect.poll(types).toContain('run-resume')
    await engine.close()
  })

  it('lets only one of several take over a dead one', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const said = (await Promise.all([hold('resume'), hold('resume'), hold('resume')])).map((one) => one.said)
    expect(said.filter((line) => line === 'holding')).toHaveLength(1)
    for (const line of said.filter((other) => other !== 'holding'))
      expect(JSON.parse(line).code).toBe('RUN_LOCKED')
  })

  it('who looks at a dead one is not taken for it', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const owner = (readdirSync(folder).find((name) => name.includes('.owner-')) as string).split('.owner-')[1]
    const lookers = [1, 2].map(() =>
      fork(LOOKER, [store, owner as string], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }),
    )
    children.push(...lookers)
    await Promise.all(lookers.map((looker) => once(looker.stdout as NodeJS.ReadableStream, 'data')))
    const engine = createEngine({ store })
    const owned: boolean[] = []
    for (let looks = 0; looks < 200; looks++) owned.push(...(await engine.list()).map((row) => row.owned))
    expect(new Set(owned)).toEqual(new Set([false]))
    await engine.close()
    for (const looker of lookers) {
      looker.send('how often was it alive?')
      expect((await once(looker, 'message'))[0]).toBe(0)
    }
    expect((await hold('resume')).said).toBe('holding')
  })

  it('refuses a second engine in the same process too', async () => {
    const one = createEngine({ model: hanging, store })
    const other = createEngine({ model: hanging, store })
    await one.start('a run that is held', { id: 'held' })
    await expect(other.resume('held', { follow: false })).rejects.toMatchObject({ code: 'RUN_LOCKED' })
    await one.close()
    await expect(other.resume('held', { follow: false })).resolves.toMatchObject({ id: 'held' })
    await other.close()
  })

  it('leaves no lock file behind when it closes', async () => {
    const engine = createEngine({ store })
    await (await engine.start('1 + 2')).cancel()
    await engine.close()
    expect(readdirSync(folder).filter((name) => name.includes('owner'))).toEqual([])
  })

  it.each([
    ['a link to the file', () => symlinkSync(store, join(folder, 'link.db')), 'link.db'],
    ['a link to a link', () => links(), 'other/link.db'],
    ['a link to the folder', () => symlinkSync(folder, join(folder, 'linked')), 'linked/runs.db'],
  ])('finds the owner by %s', async (_, link, path) => {
    const first = await hold('start')
    link()
    expect(JSON.parse((await hold('resume', join(folder, path))).said).code).toBe('RUN_LOCKED')
    expect(JSON.parse((await hold('resume', relative('', join(folder, path)))).said).code).toBe('RUN_LOCKED')
    expect(await owned(join(folder, path))).toEqual([true])
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    expect((await hold('resume', join(folder, path))).said).toBe('holding')
    expect(JSON.parse((await hold('resume')).said).code).toBe('RUN_LOCKED')
  })

  it('refuses a file with two names, each of which would have a log of its own', async () => {
    await hold('start')
    linkSync(store, join(folder, 'hard.db'))
    expect(JSON.parse((await hold('resume', join(folder, 'hard.db'))).said)).toMatchObject({
      code: 'STORE_IO',
      message: expect.stringContaining('hard links'),
    })
  })

  it('a living owner keeps its run when its lock file is removed, and a dead one does not', async () => {
    const first = await hold('start')
    removeLocks()
    expect(await owned(store)).toEqual([true])
    expect(JSON.parse((await hold('resume')).said).code).toBe('RUN_LOCKED')
    first.child.kill('SIGSTOP')
    expect(JSON.parse((await hold('resume')).said).code).toBe('RUN_LOCKED')
    first.child.kill('SIGCONT')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    expect(await owned(store)).toEqual([false])
    expect((await hold('resume')).said).toBe('holding')
  })

  it('a process that has the pid of a dead owner is not taken for it', () => {
    const forgotten: string[] = []
    const forget = (owner: string) => void forgotten.push(owner)
    sqliteStore(store).close()
    expect(bury(store, `${process.pid}-1-other`, forget)).toBe(process.platform === 'linux')
    for (const owner of ['0-0-x', '-1-1-x', 'no pid', '']) expect(bury(store, owner, forget)).toBe(true)
  })

  it('the runs of a process are its own when the folder of the store is renamed', async () => {
    const live = join(folder, 'live')
    mkdirSync(live)
    const engine = createEngine({ model: hanging, store: join(live, 'runs.db') })
    await engine.start('a run that is held', { id: 'held' })
    renameSync(live, join(folder, 'moved'))
    expect((await engine.list()).map(({ owned }) => owned)).toEqual([true])
    expect(await engine.count({ status: 'stopped' })).toBe(0)
    expect(await owned(join(folder, 'moved/runs.db'))).toEqual([true])
    await engine.close()
    expect(await owned(join(folder, 'moved/runs.db'))).toEqual([false])
  })

  it('the lock files of dead processes go with the next process that works, whatever it works on', async () => {
    for (const id of ['a', 'b', 'c']) {
      const { child } = await hold('start', store, id)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const living = await hold('start', store, 'living')
    expect(locks()).toEqual([expect.stringContaining(`runs.db.owner-${living.child.pid}-`)])
    const engine = createEngine({ store })
    expect((await engine.list()).filter((row) => row.owned).map(({ id }) => id)).toEqual(['living'])
    await engine.close()
  })

  it('whoever loses a race for the run of a dead owner is told that it is locked, 400 times', async () => {
    sqliteStore(store).close()
    const takers = [1, 2, 3].map(() =>
      fork(TAKER, [store], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
    children.push(...takers)
    await Promise.all(takers.map((taker) => once(taker, 'message')))
    const said = new Map<string, number>()
    for (let round = 0; round < 400; round++) {
      const answers = takers.map((taker) => once(taker, 'message'))
      prepareDead(round)
      for (const taker of takers) taker.send(`run-${round}`)
      const codes = (await Promise.all(answers)).map(([code]) => code as string)
      expect(codes.filter((code) => code === 'owner')).toHaveLength(1)
      for (const code of codes) said.set(code, (said.get(code) ?? 0) + 1)
    }
    expect(Object.fromEntries(said)).toEqual({ owner: 400, RUN_LOCKED: 800 })
  })

  /** A run whose owner is dead. */
  function prepareDead(round: number): void {
    const made = sqliteStore(store)
    made.create({ id: `run-${round}`, goal: 'x', strategy: 'cot' }, {
      type: 'note',
      name: 'x',
      path: '1',
      atMs: 1,
    } as never)
    made.close()
    const database = new DatabaseSync(store)
    const owner = `999999-1-${round}`
    database.prepare('UPDATE runs SET owner = ? WHERE id = ?').run(owner, `run-${round}`)
    database.close()
    writeFileSync(`${store}.owner-${owner}`, '')
  }

  function links(): void {
    mkdirSync(join(folder, 'other'))
    symlinkSync('../link.db', join(folder, 'other/link.db'))
    symlinkSync('runs.db', join(folder, 'link.db'))
  }

  function locks(): string[] {
    return readdirSync(folder).filter((name) => name.includes('.owner-') && !name.endsWith('-journal'))
  }

  function removeLocks(): void {
    for (const name of readdirSync(folder)) if (name.includes('.owner-')) rmSync(join(folder, name))
  }

  async function owned(path: string): Promise<boolean[]> {
    const engine = createEngine({ store: path })
    const rows = await engine.list()
    await engine.close()
    return rows.map((row) => row.owned)
  }

  async function hold(
    verb: 'start' | 'resume',
    path = store,
    id = 'held',
  ): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(process.execPath, [HOLDER, path, verb, id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const [data] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    return { child, said: String(data).trim() }
  }
})
