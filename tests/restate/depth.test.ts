// Recursion with few slots: a block that waits for its child holds none of the server's.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { inTime } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { type Cluster, openCluster } from './cluster.ts'

const SLOTS = 4
const DEPTH = 200
const PATIENCE_MS = 120_000

let server: RestateServer
let cluster: Cluster
beforeAll(async () => {
  const settings = { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: String(SLOTS) }
  server = await startRestateServer({ settings })
  cluster = await openCluster(server)
})
afterAll(async () => {
  await cluster?.end()
  await server?.end()
})

/** How many calls were under way at once. */
function mostAtOnce(): number {
  let now = 0
  return Math.max(...cluster.log().map(({ what }) => (what === 'begin' ? ++now : --now)))
}

it(`the server executes ${SLOTS} at a time`, async () => {
  const run = await cluster.start('wide', 'deep', { depth: 1, width: 12, ms: 100 })
  expect((await inTime(run.outcome, 'the run ends')).status).toBe('completed')
  expect(mostAtOnce()).toBeLessThanOrEqual(SLOTS)
})

it(
  `blocks ${DEPTH} deep, each inside the one before, finish on ${SLOTS} slots`,
  async () => {
    const options = { depth: DEPTH, width: 1, ms: 0 }
    const run = await cluster.start('chain', 'tree', options, { depth: DEPTH + 1, calls: 2 * DEPTH })
    const { status, result } = await inTime(run.outcome, 'the chain is solved', PATIENCE_MS)
    expect([status, result]).toEqual(['completed', String(DEPTH + 1)])
    expect(violations(await cluster.events('chain'))).toEqual([])
  },
  PATIENCE_MS,
)
