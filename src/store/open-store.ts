import type { Store } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'

/** Kept: also a module that is loaded takes its time to be found again. */
let loading: Promise<typeof import('./memory.ts')> | null = null

/** A store from what a caller gives: ':memory:', a file, or a store. SQLite is loaded only when it is used. */
export async function openStore(store: string | Store, synchronous?: 'full' | 'normal'): Promise<Store> {
  if (typeof store !== 'string') return store
  if (store === ':memory:') {
    loading ??= import('./memory.ts')
    return (await loading).memoryStore()
  }
  const { sqliteStore } = await import('./sqlite.ts')
  return whenFree(() => sqliteStore(store, synchronous === undefined ? {} : { synchronous }))
}
