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
  const slowly = <G extends unknown[], T>(ask: (...given: G) => Iterable<T>) =>
    async function* (...given: G): AsyncGenerator<T> {
      for (const item of ask(...given)) {
        await turns(1)
        yield item
      }
    }
  return {
    instant: false,
    later: true,
    create: slow(store.create),
    acquire: slow(store.acquire),
    release: slow(store.release),
    append: slow(store.append),
    has: slow(store.has),
    read: slowly(store.read),
    pick: slowly(store.pick),
    outline: slow(store.outline),
    keepOutline: slow(store.keepOutline),
    row: slow(store.row),
    list: slow(store.list),
    count: slow(store.count),
    fork: slow(store.fork),
    send: slow(store.send),
    answer: slow(store.answer),
    expire: slow(store.expire),
    questions: slow(store.questions),
    pending: slow(store.pending),
    delete: slow(store.delete),
    sweep: slowly(store.sweep),
    compact: slow(store.compact),
    backup: slow(store.backup),
    origin: slow(store.origin),
    version: slow(store.version),
    close: slow(store.close),
    async import(run) {
      const coming = await slow(store.import)(run)
      return { append: slow(coming.append), commit: slow(coming.commit), abort: slow(coming.abort) }
    },
  }
}
