// The local host keeps the port's promises, on both stores, and on one that answers later.

import { localHost } from '../../src/hosts/local/host.ts'
import type { Kernel } from '../../src/kernel/durable.ts'
import type { HostStore, Store } from '../../src/kernel/store.ts'
import { crashAt } from '../../src/testing/index.ts'
import { later } from './later.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'
import { portConformance, type World } from './port.ts'
import { portTurns } from './port-turns.ts'

function openWorld(
  place: Place,
  kernel: Kernel,
  asked: (store: Store) => HostStore = (store) => store,
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

for (const [name, setup] of [
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
