// The local host keeps the port's promises, on both stores.

import { localHost } from '../../src/hosts/local/host.ts'
import type { Kernel } from '../../src/kernel/durable.ts'
import { crashAt } from '../../src/testing/index.ts'
import { memoryPlace, type Place, sqlitePlace } from './places.ts'
import { portConformance, type World } from './port.ts'

function openWorld(place: Place, kernel: Kernel): World {
  const store = crashAt(place.open())
  const host = localHost(store, kernel)
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
      return openWorld(place, next)
    },
    async close() {
      await close()
      place.remove()
    },
  }
}

portConformance('local host, memory', { open: async (kernel) => openWorld(memoryPlace(), kernel) })
portConformance('local host, SQLite', { open: async (kernel) => openWorld(sqlitePlace(), kernel) })
