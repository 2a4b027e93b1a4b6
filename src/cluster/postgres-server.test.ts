import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgresServer } from './postgres-server.ts'

let folder: string
const settings = { fsync: 'off' }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-postgres-test-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('what was committed is there after a kill -9, and after a start in the same folder', async () => {
  const first = await startPostgresServer({ folder, settings })
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n')
  await first.kill()
  await first.restart()
  expect(await query(first.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  await first.end()
  expect(existsSync(join(folder, 'data/postmaster.pid'))).toBe(false)
  // What a crash of the machine leaves: a number that is another process's by now.
  writeFileSync(join(folder, 'data/postmaster.pid'), `${process.ppid}\n${join(folder, 'data')}\n`)
  const second = await startPostgresServer({ folder, settings })
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  await expect(query(second.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/)
  await second.end()
})

test('it ends with the process that started it, when that is killed', async () => {
  const module = join(import.meta.dirname, 'postgres-server.ts')
  const code = `
    const { startPostgresServer } = await import(${JSON.stringify(module)})
    await startPostgresServer({ folder: ${JSON.stringify(folder)}, settings: { fsync: 'off' } })
    console.log('up')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const pid = Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10)
  child.kill('SIGKILL')
  while (isAlive(pid)) await pause(10)
})

test('it says what the server said when it does not start', async () => {
  await expect(startPostgresServer({ folder, settings: { nonsense: '1' } })).rejects.toThrow(/nonsense/)
})

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
