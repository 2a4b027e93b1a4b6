import type { RunKey } from '../kernel/run-key.ts'
import type { AnyStore } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'
import { defined } from '../protocol/index.ts'

/** Kept: also a module that is loaded takes its time to be found again. */
let loading: Promise<typeof import('./memory.ts')> | null = null

/** A store from what a caller gives: ':memory:', a file, `postgres://…`, or a store. SQLite and `pg` are loaded only when they are used. */
export async function openStore(
  store: string | AnyStore,
  settings: { synchronous?: 'full' | 'normal' | undefined; key?: RunKey | undefined } = {},
): Promise<AnyStore> {
  if (typeof store !== 'string') return store
  if (store === ':memory:') {
    loading ??= import('./memory.ts')
    return (await loading).memoryStore()
  }
  const { synchronous, key } = settings
  const options = defined({ synchronous, key })
  if (isPostgres(store)) {
    const { postgresStore } = await import('./postgres/postgres.ts')
    return whenFree(() => postgresStore(store, options))
  }
  const { sqliteStore } = await import('./sqlite.ts')
  return whenFree(() => sqliteStore(store, options))
}

/** Whether it is a connection string, not a file: it may have a password in it. */
export function isPostgres(store: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(store)
}
