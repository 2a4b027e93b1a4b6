import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, type Model } from '../../src/index.ts'
import { sqliteStore } from '../../src/stores.ts'

const STARTER = join(import.meta.dirname, 'starter.ts')
const usage = { inputTokens: 1, outputTokens: 1 }
const answering: Model = {
  id: 'slow',
  call: async () => ({ text: '{"do":"return","result":"done"}', usage }),
}
const hanging: Model = { id: 'slow', call: () => new Promise<never>(() => {}) }

it('a backup that is made while processes write opens, has all that was recorded by then, and resumes', async () => {
  const { folder, store } = place()
  const engine = createEngine({ store, model: hanging })
  onTestFinished(() => engine.close())
  await engine.start('a goal', { id: 'held', strategy: 'minimal' })
  const writer: ChildProcess = fork(STARTER, [store], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  onTestFinished(() => void writer.kill('SIGKILL'))
  await once(writer, 'message')
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 10; i++) writer.send(`run-${round}-${i}`)
    await once(writer, 'message')
    const before = new Map((await engine.list()).map(({ id, seq }) => [id, seq]))
    const file = join(folder, `backup-${round}.db`)
    await engine.backup(file)
    expect(statSync(file).mode & 0o077).toBe(0)
    const copy = createEngine({ store: file, model: answering })
    const rows = await copy.list()
    for (const [id, seq] of before) expect(rows.find((row) => row.id === id)?.seq).toBeGreaterThanOrEqual(seq)
    for (const { id, seq } of rows) {
      const copied = [...(await copy.events(id))]
      expect(copied).toEqual([...(await engine.events(id, 1, seq))])
      expect((await (await copy.resume(id)).outcome).status).toBe('completed')
    }
    expect((await engine.row('held')).owned).toBe(true)
    await copy.close()
  }
}, 240_000)

it('a backup overwrites no file, and leaves none when it fails', async () => {
  const { folder, store } = place()
  const opened = sqliteStore(store)
  const there = join(folder, 'there')
  writeFileSync(there, '')
  for (const file of [there, store])
    expect(() => opened.backup(file)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  const nowhere = join(folder, 'no/folder/backup.db')
  expect(() => opened.backup(nowhere)).toThrow(expect.objectContaining({ code: 'STORE_IO' }))
  expect(existsSync(nowhere)).toBe(false)
  opened.close()
})

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, store: join(folder, 'runs.db') }
}
