// The host of a cluster keeps the port's promises: runs are offered by one store, and executed by a worker on another.

import { afterAll } from 'vitest'
import type { Assigner, AssignerOptions, OpenAssigner } from '../../src/hosts/cluster/assigner.ts'
import { dbosAssigner } from '../../src/hosts/cluster/dbos-assigner.ts'
import { clusterHost } from '../../src/hosts/cluster/host.ts'
import { Worker } from '../../src/hosts/cluster/worker.ts'
import { localHost } from '../../src/hosts/local/host.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Kernel } from '../../src/kernel/durable.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { portConformance, type World } from '../conformance/port.ts'
import type { PortKernel } from '../conformance/port-kernel.ts'
import { portTurns } from '../conformance/port-turns.ts'
import { freshDatabase, queryDatabase } from '../postgres.ts'

const KIND = 'conformance'

/** DBOS takes a second to start: one instance assigns to the worker of the world that is open. */
let assigner: Promise<Assigner> | null = null
let take: AssignerOptions['take'] = async () => {}

const sharedAssigner: OpenAssigner = async (options) => {
  take = options.take
  assigner ??= dbosAssigner({ ...options, take: (run) => take(run) })
  return { ...(await assigner), close: async () => {} }
}

afterAll(async () => (await assigner)?.close())

let database: Promise<string> | null = null

/** Each run that waits rests at once and is executed again: the strictest way. */
const REST_AFTER_MS = 20

async function openWorld(postgres: string, kernel: Kernel): Promise<World> {
  const options = { synchronous: 'normal', maxConnections: 3 } as const
  const store = await postgresStore(postgres, options)
  const host = clusterHost(store, kernel)
  const workerStore = await postgresStore(postgres, options)
  const leaving = { store: workerStore, restAfterMs: REST_AFTER_MS }
  const worker = await Worker.open({
    ...{ postgres, store: workerStore, openAssigner: sharedAssigner },
    host: localHost(workerStore, kernel, systemClock, leaving),
    offer: { has: (kernel as PortKernel).strategies, kind: KIND },
  })
  let closed = false
  async function close() {
    if (closed) return
    closed = true
    await host.close()
    await store.close()
    await workerStore.close()
    await worker.close()
  }
  return {
    host,
    store,
    async crash(next) {
      await workerStore.close()
      await close()
      return openWorld(postgres, next)
    },
    close,
  }
}

/** The sessions of DBOS stay. */
const EMPTY = 'TRUNCATE thinkon.runs, thinkon.goals, thinkon.events, thinkon.inbox, thinkon.questions'

const setup = {
  async open(kernel: Kernel) {
    database ??= freshDatabase()
    await queryDatabase(await database, EMPTY)
    return openWorld(await database, kernel)
  },
  waitsForVersions: true,
}

portConformance('cluster host', setup)
portTurns('cluster host', setup)
