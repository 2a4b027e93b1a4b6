// The local host keeps the port's promises, on all stores, and on one that answers later.

import { localHost } from '../../src/hosts/local/host.ts'
import type { Kernel } from '../../src/kernel/durable.ts'
import type { AnyStore, Store } from '../../src/kernel/store.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { crashAt } from '../../src/testing/index.ts'
import { emptiedDatabase } from '../postgres.ts'
import { later } from './later.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'
import { portConformance, type World } from './port.ts'
import { portTurns } from './port-turns.ts'

function openWorld(
  place: Place,
  kernel: Kernel,
  asked: (store: Store) => AnyStore = (store) => store,
): World {
  const store = crashAt(place.open())
  const host = localHost(asked(store), kernel)
  let closed = false
  async function close() {
    if (closed) return
    closed = true
    await host.close()
    store.close()
  }
  return {
    host,
    store,
    async crash(next) {
      store.crash()
      await close()
      return openWorld(place, next, asked)
    },
    async close() {
      await close()
      place.remove()
    },
  }
}

/** Closing a store frees what its process held, as its end would; whatever it still asks for then is refused. */
async function openPostgresWorld(url: string, kernel: Kernel): Promise<World> {
  const store = await postgresStore(url, { synchronous: 'normal', maxConnections: 3 })
  const host = localHost(store, kernel)
  let closed = false
  async function close() {
    if (closed) return
    closed = true
    await host.close()
    await store.close()
  }
  return {
    host,
    store,
    async crash(next) {
      await store.close()
      await close()
      return openPostgresWorld(url, next)
    },
    close,
  }
}

for (const [name, setup] of [
  [
    'local host, PostgreSQL',
    { open: async (kernel: Kernel) => openPostgresWorld(await emptiedDatabase(), kernel) },
  ],
  ['local host, memory', { open: async (kernel: Kernel) => openWorld(memoryPlace(), kernel) }],
  ['local host, SQLite', { open: async (kernel: Kernel) => openWorld(sqlitePlace(), kernel) }],
  [
    'local host, a store that answers later',
    { open: async (kernel: Kernel) => openWorld(memoryPlace(), kernel, later) },
  ],
] as const) {
  portConformance(name, setup)
  portTurns(name, setup)
}
