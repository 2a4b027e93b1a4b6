/** Three workers, a Restate server and PostgreSQL: what only shows with several of them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replayRun } from '../../src/hosts/local/replay.ts'
import { killDuring, PARTS } from '../restate/kills.ts'
import { type LogLine, programs } from '../restate/programs.ts'
import { openWorkers, type Workers } from '../restate/workers.ts'
import { inTime, pause } from './async.ts'

let workers: Workers

beforeAll(async () => {
  workers = await openWorkers()
}, 120_000)
afterAll(() => workers?.end())

const PATIENCE_MS = 150_000

function begins(log: readonly LogLine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { what, step } of log) if (what === 'begin') counts.set(step, (counts.get(step) ?? 0) + 1)
  return counts
}

it('200 runs at once finish, and a restart of all workers in the middle, one after another, loses and repeats nothing', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `many-${n}`)
  const runs = await Promise.all(ids.map((id) => workers.start(id, 'tree', { depth: 1, width: 1, ms: 50 })))
  const outcomes = Promise.all(runs.map(({ id, outcome }) => inTime(outcome, `run ${id} ends`, PATIENCE_MS)))
  outcomes.catch(() => {})
  const before = workers.cluster.workers.map((worker) => worker.pid())
  while (workers.log().length < 20) await pause(5)
  await workers.cluster.restartWorkers()
  for (const { status, result } of await outcomes) expect([status, result]).toEqual(['completed', '2'])
  const counts = begins(workers.log())
  expect(counts.size).toBe(400)
  expect([...counts.values()].every((count) => count === 1)).toBe(true)
  for (const worker of workers.cluster.workers) expect(before).not.toContain(worker.pid())
  const replayed = await replayRun(await workers.events('many-7'), programs(null))
  expect(replayed.differences).toEqual([])
})

it.each(PARTS)(
  'kill -9 of %s in the middle: the same outcomes, nothing done again, no signal lost',
  async (part) => {
    for (const round of [1, 2])
      expect((await killDuring(workers, part, `${part}-${round}`)).wrong).toEqual([])
  },
)
