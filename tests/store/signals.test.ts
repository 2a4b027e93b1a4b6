import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, type Model } from '../../src/index.ts'
import { sqliteStore } from '../../src/stores.ts'

it('signals that are sent here are not read from the store again', async () => {
  const { engine, run, read } = await started()
  for (let i = 0; i < 300; i++) await engine.signal(run.id, '1', 'message', `message ${i}`)
  expect(read()).toBeLessThan(600)
  await run.cancel()
  expect(await run.outcome).toMatchObject({ status: 'cancelled' })
})

it('signals that other processes have sent before are taken in their order', async () => {
  const { engine, run, file } = await started()
  const other = sqliteStore(file)
  other.send(run.id, '1', 'message', 1)
  await engine.signal(run.id, '1', 'message', 2)
  other.send(run.id, '1', 'message', 3)
  other.close()
  await engine.signal(run.id, '1', 'message', 4)
  await engine.close()
  const closed = sqliteStore(file)
  expect(closed.pending(run.id).map(({ value }) => value)).toEqual([1, 2, 3, 4])
  closed.close()
})

it('a redo of the root of a run under way is refused by signal as it is by redo', async () => {
  const { engine, run } = await started()
  const refused = { code: 'BAD_INPUT', message: expect.stringContaining('still running') }
  await expect(engine.redo(run.id, '1', 'again')).rejects.toMatchObject(refused)
  await expect(engine.signal(run.id, '1', 'redo', 'again')).rejects.toMatchObject(refused)
  await expect(run.signal('1', 'redo', 'again')).rejects.toMatchObject(refused)
  expect(await engine.row(run.id)).toMatchObject({ status: 'running', owned: true })
})

/** A run whose model never answers, and how many signals were read from its store. */
async function started() {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-signals-'))
  const file = join(folder, 'runs.db')
  const store = sqliteStore(file)
  let read = 0
  const pending = (id: string) => {
    const signals = store.pending(id)
    read += signals.length
    return signals
  }
  const model: Model = { id: 'never', call: () => new Promise<never>(() => {}) }
  const engine = createEngine({ store: { ...store, pending }, model })
  onTestFinished(async () => {
    await engine.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = await engine.start('a goal', { strategy: 'minimal' })
  return { engine, run, file, read: () => read }
}
