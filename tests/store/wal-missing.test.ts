import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { sqliteStore } from '../../src/stores.ts'

const BIN = join(import.meta.dirname, '../../bin/thinkon.js')
const COMMITTER = join(import.meta.dirname, 'committer.ts')

it('each of 25 copies of a store in use without its -wal is refused or lacks nothing, and one with it opens', async () => {
  const { folder, store } = place()
  const writer = await start(store, 'held', 'keep')
  let refused = 0
  for (let i = 0; i < 25; i++) {
    const copy = join(folder, `copy-${i}.db`)
    const before = writer.committed.get('held')
    copyFileSync(store, copy)
    const code = codeOf(copy)
    // Between two checkpoints nothing is missing for a moment. A copy that was made during one may be damaged.
    if (code === '') expect(seqs(copy).held).toBeGreaterThanOrEqual(before as number)
    else {
      expect(code).toMatch(/^STORE_(WAL_MISSING|CORRUPT)$/)
      refused++
    }
    await sleep(60)
  }
  expect(refused).toBeGreaterThan(20)
  await writer.kill()
  const whole = join(folder, 'whole.db')
  for (const end of ['', '-wal']) copyFileSync(store + end, whole + end)
  expectAll(whole, writer)
}, 120_000)

it('a store whose -wal was removed after a kill is refused until it is back', async () => {
  const { folder, store } = place()
  for (let round = 0; round < 5; round++) {
    const writer = await start(store, `held-${round}`, 'keep')
    await sleep(Math.random() * 300)
    await writer.kill()
    renameSync(`${store}-wal`, join(folder, 'wal'))
    const link = join(folder, `link-${round}`)
    symlinkSync(store, link)
    for (const path of [store, link, store]) expect(codeOf(path)).toBe('STORE_WAL_MISSING')
    const engine = createEngine({ store })
    await expect(engine.list()).rejects.toMatchObject({
      code: 'STORE_WAL_MISSING',
      message: expect.stringContaining('--accept-loss'),
      data: { wal: `${store}-wal` },
    })
    await engine.close()
    renameSync(join(folder, 'wal'), `${store}-wal`)
    expectAll(store, writer)
  }
}, 120_000)

it('a -wal that is empty or has no commit is a missing one', async () => {
  const { store } = place()
  await (await start(store, 'held', 'keep')).kill()
  for (const bytes of [
    Buffer.alloc(0),
    readFileSync(`${store}-wal`).subarray(0, 100),
    Buffer.alloc(1e5, 'x'),
  ]) {
    writeFileSync(`${store}-wal`, bytes)
    expect(codeOf(store)).toBe('STORE_WAL_MISSING')
  }
})

it('the loss is accepted by thinkon doctor --accept-loss, and only once no process has the store open', async () => {
  const { folder, store } = place()
  const writer = await start(store, 'held', 'keep')
  const copy = join(folder, 'copy.db')
  copyFileSync(store, copy)
  await writer.kill()
  const doctor = (...args: string[]) => doctorOf(folder, ['--store', copy, ...args])
  expect(doctor()).toMatchObject({ level: 'bad', data: { code: 'STORE_WAL_MISSING' } })
  const reader = new DatabaseSync(copy)
  reader.prepare('SELECT count(*) FROM runs').get()
  expect(doctor('--accept-loss')).toMatchObject({ level: 'bad', data: { code: 'STORE_BUSY' } })
  reader.close()
  expect(doctor('--accept-loss')).toMatchObject({ level: 'good' })
  expect(doctor('--accept-loss')).toMatchObject({ level: 'good' })
  expect(codeOf(copy)).toBe('')
  await (await start(copy, 'next', 'keep')).kill()
  expect(Object.keys(seqs(copy))).toEqual(['next'])
}, 120_000)

it('a kill at any moment leaves a store that opens with all that was committed', async () => {
  const { store } = place()
  for (let round = 0; round < 30; round++) {
    const writer = await start(store, `run-${round}`, 'reopen')
    await sleep(Math.random() * 60)
    await writer.kill()
    expect(writer.failed).toBe('')
    // Every other time the next process of Thinkon is the first to look.
    if (round % 2 === 0) continue
    expectAll(store, writer)
  }
  expect(codeOf(store)).toBe('')
}, 240_000)

it('processes that open and close a store all the time never miss its -wal', async () => {
  const { store } = place()
  for (let round = 0; round < 3; round++) {
    const writers = await Promise.all(
      ['a', 'b', 'c'].map((name) => start(store, `${name}${round}`, name === 'c' ? 'keep' : 'reopen')),
    )
    for (let i = 0; i < 20; i++) {
      expect(codeOf(store)).toBe('')
      await sleep(40)
    }
    for (const writer of writers) await writer.kill()
    expect(writers.map(({ failed }) => failed)).toEqual(['', '', ''])
    expectAll(store, ...writers)
  }
}, 240_000)

it('another program that closes a store last, after a kill, leaves one that is whole', async () => {
  const { store } = place()
  const writer = await start(store, 'held', 'keep')
  await writer.kill()
  const browser = new DatabaseSync(store)
  browser.prepare('SELECT count(*) FROM events').get()
  browser.close()
  expect(existsSync(`${store}-wal`)).toBe(false)
  expectAll(store, writer)
})

it('a process that dies during a checkpoint leaves a store that opens, also the time after that', async () => {
  const { store } = place()
  sqliteStore(store).close()
  const dying = `
    const database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec("UPDATE housekeeping SET mark = 'dying'")
    database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    process.kill(process.pid, 'SIGKILL')`
  for (let i = 0; i < 3; i++) {
    expect(() => execFileSync(process.execPath, ['-e', dying, store], { stdio: 'ignore' })).toThrow()
    expect(existsSync(`${store}-wal`)).toBe(true)
    expect(codeOf(store)).toBe('')
    expect(existsSync(`${store}-wal`)).toBe(false)
    expect(codeOf(store)).toBe('')
  }
})

it('a store that was made smaller or swept is still marked', async () => {
  const { folder, store } = place()
  const opened = sqliteStore(store)
  const note = { type: 'note', n: 1, name: 'a', data: null, path: '1', atMs: 1 } as const
  opened.create({ id: 'first', goal: 'a goal', strategy: 'none' }, note)
  opened.release('first', 1)
  await opened.delete('first')
  const work: Record<string, () => unknown> = {
    sweep: () => [...opened.sweep()],
    compact: () => opened.compact(),
  }
  for (const [name, act] of Object.entries(work)) {
    await act()
    opened.create({ id: name, goal: 'a goal', strategy: 'none' }, note)
    opened.release(name, 1)
    const copy = join(folder, `${name}.db`)
    copyFileSync(store, copy)
    expect(codeOf(copy)).toBe('STORE_WAL_MISSING')
    expect(codeOf(store)).toBe('')
  }
  opened.close()
  const copy = join(folder, 'closed.db')
  copyFileSync(store, copy)
  expect(codeOf(copy)).toBe('')
})

it('a backup is whole without a -wal', async () => {
  const { folder, store } = place()
  const writer = await start(store, 'held', 'keep')
  for (let i = 0; i < 10; i++) {
    const opened = sqliteStore(store)
    opened.backup(join(folder, `backup-${i}.db`))
    opened.close()
    expect(codeOf(join(folder, `backup-${i}.db`))).toBe('')
  }
  await writer.kill()
}, 120_000)

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-wal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, store: join(folder, 'runs.db') }
}

interface Writer {
  /** The last event of each run that the process has reported. */
  readonly committed: ReadonlyMap<string, number>
  /** The code of the error that has ended it. */
  readonly failed: string
  kill(): Promise<void>
}

/** A committer that has made its first commit. */
async function start(store: string, name: string, how: 'keep' | 'reopen'): Promise<Writer> {
  const child: ChildProcess = spawn(process.execPath, [COMMITTER, store, name, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout as never, 'data'), closed])
  const lines = () => text.split('\n').slice(0, -1)
  return {
    get committed() {
      return new Map(
        lines()
          .filter((line) => line.includes(' '))
          .map((line) => [line.split(' ')[0] as string, Number(line.split(' ')[1])]),
      )
    },
    get failed() {
      return lines().find((line) => !line.includes(' ')) ?? ''
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Of the error with which the store is refused; empty if it opens. */
function codeOf(store: string): string {
  try {
    const opened = sqliteStore(store)
    opened.list()
    opened.close()
    return ''
  } catch (thrown) {
    return String((thrown as { code?: unknown }).code)
  }
}

/** All that the writers have reported is there; they may have been killed before they reported the last event. */
function expectAll(store: string, ...writers: readonly Writer[]): void {
  const found = seqs(store)
  for (const { committed } of writers)
    for (const [run, seq] of committed) expect(found[run]).toBeGreaterThanOrEqual(seq)
}

/** The number of events of each run. All of them are read. */
function seqs(store: string): Record<string, number> {
  const opened = sqliteStore(store)
  try {
    return Object.fromEntries(opened.list().map(({ id }) => [id, [...opened.read(id)].length]))
  } finally {
    opened.close()
  }
}

function doctorOf(folder: string, args: readonly string[]) {
  let text: string
  try {
    text = execFileSync(process.execPath, [BIN, 'doctor', '--json', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (thrown) {
    text = (thrown as { stdout: string }).stdout
  }
  const { findings } = JSON.parse(text) as { findings: { area: string; level: string; data?: unknown }[] }
  return findings.find(({ area }) => area === 'store')
}
