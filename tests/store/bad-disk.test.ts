import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type Model } from '../../src/index.ts'
import { foldEvents } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'

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

function note(salt: string): string {
  return JSON.stringify({ do: 'note', name: 'long', data: salt.repeat(10_000) })
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
