// A store that answers later: each call takes a turn of the event loop on its way to the store, and another on its way back.

import type { AsyncStore, Store } from '../../src/kernel/store.ts'
import { turns } from './async.ts'

export function later(store: Store): AsyncStore {
  const slow =
    <G extends unknown[], A>(ask: (...given: G) => A) =>
    async (...given: G): Promise<A> => {
      await turns(1)
      const answer = ask(...given)
      await turns(1)
      return answer
    }
  return {
    instant: false,
    later: true,
    create: slow(store.create),
    acquire: slow(store.acquire),
    release: slow(store.release),
    append: slow(store.append),
    has: slow(store.has),
    row: slow(store.row),
    send: slow(store.send),
    pending: slow(store.pending),
    version: slow(store.version),
    async *read(run, from, to) {
      for (const event of store.read(run, from, to)) {
        await turns(1)
        yield event
      }
    },
  }
}

/** For an engine, which reads at once: only what its host asks for while runs are under way comes later. */
export function laterForEngine(store: Store): Store {
  const { create, acquire, release, append, send, pending, version } = later(store)
  return {
    ...store,
    ...{ later: true, create, acquire, release, append, send, pending, version },
  } as unknown as Store
}
