// kill -9 of the Restate server, and now and then of the worker with it, in the middle of runs that race, wait, recurse and
// are cancelled: every run ends as it would have, its journal is whole and can be replayed, no finished step is run twice.

import { startRestateServer } from '../../src/cluster/restate-server.ts'
import { replayRun } from '../../src/hosts/local/replay.ts'
import { inTime, pause } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { type Cluster, openCluster, repeated } from '../restate/cluster.ts'
import { programs } from '../restate/programs.ts'

const PATIENCE_MS = 120_000

/** Throws on the first failure; otherwise reports in one line. */
export async function restateServerKill(rounds: number): Promise<string> {
  const server = await startRestateServer()
  const cluster = await openCluster(server)
  let kills = 0
  try {
    for (let round = 1; round <= rounds; round++) kills += await killDuring(cluster, round)
    const steps = cluster.log().filter(({ what }) => what === 'begin').length
    return `${kills} kills in ${4 * rounds} runs of ${steps} tool calls: every outcome as it must be, no finished step run twice`
  } finally {
    await cluster.end()
    await server.end()
  }
}

async function killDuring(cluster: Cluster, round: number): Promise<number> {
  const { server, host } = cluster
  const ids = ['mixed', 'tree', 'asks', 'hangs'].map((name) => `${name}-${round}`)
  const [mixed, tree, asks, hangs] = ids as [string, string, string, string]
  const outcomes = [
    await cluster.start(mixed, 'mixed', { rounds: 15, ms: 15 }),
    await cluster.start(tree, 'tree', { depth: 3, width: 3, ms: 15 }),
    await cluster.start(asks, 'asks'),
    await cluster.start(hangs, 'deep', { depth: 2, width: 2, ms: 600_000 }),
  ].map(({ id, outcome }) => inTime(outcome, `run ${id} ends`, PATIENCE_MS))
  const both = Promise.all(outcomes)
  both.catch(() => {})

  let kills = 0
  for (const act of [
    () => host.signal(asks, '1', 'answer', 'one'),
    () => host.signal(asks, '1', 'answer', 'two'),
    () => host.cancel(hangs, 'enough'),
    () => host.signal(asks, '1', 'answer', 'three'),
  ]) {
    await pause(Math.random() * 250)
    // Sent just before the server dies, or while it is dead: then it arrives when the server is back.
    const before = Math.random() < 0.5
    if (before) await act()
    await pause(Math.random() * 20)
    await server.kill()
    const sent = before ? null : act()
    kills++
    if (Math.random() < 0.3) {
      await cluster.killWorker()
      await cluster.startWorker()
      kills++
    }
    await server.restart()
    await sent
  }

  const texts = (await both).map(({ status, result }) => `${status} ${result}`)
  const expected = ['completed 30', 'completed 40', 'completed one two three', 'cancelled ']
  for (const [i, id] of ids.entries()) {
    const events = await cluster.events(id)
    const found = [
      ...(texts[i]?.startsWith(expected[i] as string) ? [] : [`it ended ${texts[i]}, not ${expected[i]}`]),
      ...violations(events),
      ...repeated(events, cluster.log()).map((step) => `${step} was run again after its end`),
      ...(await replayRun(events, programs(null))).differences.map(({ what }) => `replay: ${what}`),
    ]
    if (found.length > 0) throw new Error(`round ${round}, run ${id}: ${found.join('; ')}`)
  }
  return kills
}
