import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import { ScriptedModel } from '../testing/index.ts'
import { sharedFlush } from './shared-flush.ts'
import { sqliteStore } from './sqlite.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-flush-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('one flush serves all that came before it; what comes meanwhile shares the next', async () => {
  const file = join(folder, 'log')
  writeFileSync(file, 'x')
  const { flush, close } = sharedFlush(file)
  const first = flush()
  const [second, third] = [flush(), flush()]
  expect(second).not.toBe(first)
  expect(third).toBe(second)
  await Promise.all([first, second])
  expect(flush()).not.toBe(second)
  close()
})

it('a file that is gone is an error of each flush that waits for it', async () => {
  const { flush, close } = sharedFlush(join(folder, 'nowhere'))
  await expect(flush()).rejects.toThrow('ENOENT')
  await expect(flush()).rejects.toThrow('ENOENT')
  close()
})

it('runs that write at the same time wait for the disk together, one alone by itself', async () => {
  const file = join(folder, 'runs.db')
  const store = sqliteStore(file)
  let flushes = 0
  let shared = 0
  const counted = {
    ...store,
    flush() {
      flushes++
      return (store.flush as () => Promise<void>)()
    },
    sharesFlush() {
      const shares = store.sharesFlush?.() ?? false
      if (shares) shared++
      return shares
    },
  }
  let calls = 0
  const model = new ScriptedModel(async () => {
    await new Promise((resolve) => setTimeout(resolve, ++calls % 5))
    return { do: 'return', result: 'done' }
  })
  const engine = createEngine({ model, store: counted })
  try {
    const alone = await engine.start('alone', { strategy: 'minimal' })
    await alone.outcome
    expect(flushes).toBe(0)
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        engine.start(`goal ${i}`, { strategy: 'minimal', id: `run-${i}` }),
      ),
    )
    for (const run of runs) expect(await run.outcome).toMatchObject({ status: 'completed', result: 'done' })
    expect(flushes).toBeGreaterThan(0)
    expect(shared).toBe(flushes)
    for (const { id } of runs)
      expect((await engine.replay(id)).differences, `the journal of ${id} is whole`).toEqual([])
  } finally {
    await engine.close()
    store.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
  }
})
