/** Every kind of store, for what all of them promise. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { AnyStore } from '../src/kernel/store.ts'
import { memoryStore } from '../src/store/memory.ts'
import { postgresStore } from '../src/store/postgres/postgres.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { emptiedDatabase } from './postgres.ts'

/** Each opens one that is empty; whoever opens it closes it. Call it at the top of a file. */
export function storesOfAllKinds(): [name: string, open: () => AnyStore | Promise<AnyStore>][] {
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  const inFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-store-'))
    folders.push(folder)
    return sqliteStore(join(folder, 'store.db'))
  }
  return [
    ['in memory', () => memoryStore()],
    ['in SQLite', inFolder],
    ['in PostgreSQL', async () => postgresStore(await emptiedDatabase())],
  ]
}

export async function all<T>(items: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** What is thrown at once is rejected later. */
export async function later(ask: () => unknown): Promise<unknown> {
  return await ask()
}
