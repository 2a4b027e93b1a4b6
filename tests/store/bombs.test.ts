// A run that expands to far more than its size is refused before it takes memory, wherever it is read. Other runs are not affected.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { importRun } from '../../src/store/import-run.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { BOMBS, bombFile } from './bombs.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-bombs-'))
afterEach(() => {
  delete process.env.THINKON_MAX_DECODED_MIB
})
const NAMES = Object.keys(BOMBS)

describe('the file of a run that expands to far more', () => {
  it.each(NAMES)('by %s is refused at once, and nothing is written', async (name) => {
    const file = bombFile(name, 200)
    expect(file.length).toBeLessThan(3_000_000)
    const store = sqliteStore(join(folder, `${name}.db`))
    const start = performance.now()
    const refused = await importRun(store, [file]).catch((error) => error)
    expect(refused).toMatchObject({ code: 'TOO_LARGE' })
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(store.count()).toBe(0)
    store.close()
  })

  it('is accepted within the limit, which can be set', async () => {
    const store = memoryStore()
    expect(await importRun(store, [bombFile('row', 50)])).toMatchObject({ events: 3 })
    process.env.THINKON_MAX_DECODED_MIB = '40'
    await expect(importRun(store, [bombFile('row', 50)], { as: 'other' })).rejects.toThrow('40 MiB')
  })
})

it('a store that came with such runs refuses to read those, and reads the others', async () => {
  const path = join(folder, 'planted.db')
  const store = sqliteStore(path)
  process.env.THINKON_MAX_DECODED_MIB = '2000'
  for (const name of ['row', 'rows', 'chain']) await importRun(store, [bombFile(name, 100)], { as: name })
  await importRun(store, [bombFile('row', 5)], { as: 'good' })
  delete process.env.THINKON_MAX_DECODED_MIB
  store.close()
  const again = sqliteStore(path)
  for (const name of ['row', 'rows', 'chain'])
    expect(() => [...again.read(name)]).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  expect([...again.read('good')]).toHaveLength(3)
  again.close()
  rmSync(folder, { recursive: true })
})
