// Another program holds the store's write lock, as a backup may: the run waits, says so, and goes on.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { gate, inTime, until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { bin, endOf } from '../e2e/cli-process.ts'

/** What the store's own time-out was, and a little more. */
const LONG_MS = 6_000
/** Longer than SQLite itself waits. */
const A_WHILE_MS = 500
const ENDS = { do: 'return', result: 'done' }

describe('a store that another program has locked', () => {
  let folder: string
  let store: string
  const engines: Engine[] = []
  const warnings: (Error & { code?: string })[] = []
  const warned = (warning: Error) => void warnings.push(warning)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-locked-'))
    store = join(folder, 'runs.db')
    await open().list()
    warnings.length = 0
    process.on('warning', warned)
  })

  afterEach(async () => {
    process.off('warning', warned)
    for (const engine of engines.splice(0)) await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function open(model = new ScriptedModel(() => ENDS)): Engine {
    const engine = createEngine({ store, model })
    engines.push(engine)
    return engine
  }

  it('is waited for longer than 5 s, with one line that says so, while other work goes on', async () => {
    let unlock = () => {}
    const model = new ScriptedModel(() => {
      unlock = lock(store)
      return ENDS
    })
    const engine = open(model)
    let turns = 0
    const counting = setInterval(() => turns++, 50)
    const run = await engine.start('a goal', { strategy: 'minimal' })
    await pause(LONG_MS)
    clearInterval(counting)
    unlock()
    expect((await inTime(run.outcome, 'the run ends')).result).toBe('done')
    expect(model.calls).toHaveLength(1)
    expect(violations([...(await engine.events(run.id))])).toEqual([])
    expect(turns).toBeGreaterThan(15)
    const lines = warnings.filter(({ code }) => code === 'STORE_LOCKED').map(({ message }) => message)
    expect(lines).toEqual([expect.stringContaining(`the store ${store} is locked by another program`)])
  }, 30_000)

  it('is waited for by whatever writes', async () => {
    const engine = open()
    const run = await afterLock(() => engine.start('a goal', { strategy: 'minimal', id: 'first' }))
    await run.outcome
    const forked = await afterLock(() => engine.fork('first', 2))
    await afterLock(() => engine.signal(forked, '1', 'message', 'a word'))
    const resumed = await afterLock(() => engine.resume(forked))
    expect((await inTime(resumed.outcome, 'the fork ends')).status).toBe('completed')
  })

  it('is not waited for in active time', async () => {
    let unlock = () => {}
    const model = new ScriptedModel(() => {
      unlock = lock(store)
      return ENDS
    })
    const engine = open(model)
    const run = await engine.start('a goal', { strategy: 'minimal', budget: { timeMs: 4_000 } })
    await pause(LONG_MS)
    unlock()
    expect(await inTime(run.outcome, 'the run ends')).toMatchObject({ status: 'completed' })
    const state = await engine.state(run.id)
    expect(state.activeMs).toBeLessThan(4_000)
    const inactiveMs = [...(await engine.events(run.id))].map((event) => event.inactiveMs ?? 0)
    expect(inactiveMs.reduce((sum, ms) => sum + ms)).toBeGreaterThan(LONG_MS / 2)
  }, 30_000)

  it('is left at once by a run that is stopped, which can then be resumed', async () => {
    let unlock = () => {}
    const asked = gate()
    const model = new ScriptedModel(() => {
      unlock = lock(store)
      asked.open()
      return ENDS
    })
    const engine = open(model)
    const run = await engine.start('a goal', { strategy: 'minimal', id: 'left' })
    await asked.opened
    await pause(A_WHILE_MS)
    const closed = engine.close()
    await expect(inTime(run.outcome, 'the run is left')).rejects.toMatchObject({ code: 'INTERRUPTED' })
    await closed
    unlock()
    const again = await open().resume('left')
    expect((await inTime(again.outcome, 'the run ends')).result).toBe('done')
  })

  it('is named on standard error by the command', async () => {
    const unlock = lock(store)
    const child = spawn(process.execPath, [bin, 'run', '1 + 2', '--store', store], { cwd: folder })
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const ended = endOf(child)
    try {
      await until(() => said.includes('locked'), 'the line is there')
    } finally {
      unlock()
    }
    const { code, stdout, stderr } = await ended
    expect(stderr).toMatch(/^thinkon: the store .*runs\.db is locked by another program: waiting for it/m)
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '1 + 2 = 3'])
  }, 30_000)

  /** The lock is there when `action` begins, and goes after a while. */
  async function afterLock<T>(action: () => Promise<T>): Promise<T> {
    const unlock = lock(store)
    const done = action()
    await pause(A_WHILE_MS)
    unlock()
    return inTime(done, 'the lock is waited for')
  }
})

function lock(store: string): () => void {
  const database = new DatabaseSync(store, { timeout: 10_000 })
  database.exec('BEGIN IMMEDIATE')
  return () => {
    if (database.isOpen) database.close()
  }
}
