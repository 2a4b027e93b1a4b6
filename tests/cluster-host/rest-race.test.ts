// A signal in the instant in which a run goes to rest is not lost: the test stops the process between its last look and the rest.

import { afterEach, expect, it } from 'vitest'
import { clusterHost } from '../../src/hosts/cluster/host.ts'
import { runPerformer } from '../../src/hosts/cluster/perform-run.ts'
import { localHost } from '../../src/hosts/local/host.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { AssignableStore } from '../../src/kernel/run-assignment.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { gate } from '../conformance/async.ts'
import { one, portKernel, runSpec } from '../conformance/port-kernel.ts'
import { freshDatabase } from '../postgres.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const kernel = portKernel({ root: (block) => one<string>(block, block.wait('answer') as never) })

/** A performer whose runs go through `rest` of this store. */
async function open(own: (store: AssignableStore) => Partial<AssignableStore>) {
  const postgres = await freshDatabase()
  const [client, worker] = [await postgresStore(postgres), await postgresStore(postgres)]
  const store = { ...worker, ...own(worker) }
  const host = clusterHost(client, kernel)
  const local = localHost(store, kernel, systemClock, { store, restAfterMs: 5 })
  closing.push(
    client.close,
    worker.close,
    () => host.close(),
    () => local.close(),
  )
  return { host, client, performRun: runPerformer(store, local) }
}

it('a signal between the last look and the rest is taken by the process that would rest the run', async () => {
  const [reached, held] = [gate(), gate()]
  const rests: boolean[] = []
  const { host, performRun } = await open((store) => ({
    async rest(...args) {
      reached.open()
      await held.opened
      const rested = await store.rest(...args)
      rests.push(rested)
      return rested
    },
    // The notification is lost as well.
    listen: () => () => {},
  }))
  const spec = runSpec('root')
  await host.start(spec)
  const performed = performRun(spec.id)
  await reached.opened
  await host.signal(spec.id, '1', 'answer', 'here')
  held.open()
  expect(await performed).toMatchObject({ how: 'ended', outcome: { result: 'here' } })
  expect(rests).not.toContain(true)
})

it('a signal between the rest and its answer makes the run due', async () => {
  const [reached, held] = [gate(), gate()]
  const { host, client, performRun } = await open((store) => ({
    async rest(...args) {
      const rested = await store.rest(...args)
      reached.open()
      await held.opened
      return rested
    },
  }))
  const spec = runSpec('root')
  await host.start(spec)
  const performed = performRun(spec.id)
  await reached.opened
  await host.signal(spec.id, '1', 'answer', 'here')
  held.open()
  expect(await performed).toEqual({ how: 'rests' })
  expect(await client.standing(spec.id)).toBe('due')
  expect(await performRun(spec.id)).toMatchObject({ how: 'ended', outcome: { result: 'here' } })
})
