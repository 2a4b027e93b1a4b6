// The strategies that ship, on a real Restate server with a worker in another process; that worker is killed in the middle.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replayRun } from '../../src/hosts/local/replay.ts'
import { SignalJournal } from '../../src/hosts/restate/signals.ts'
import { DEFAULT_LIMITS, foldEvents } from '../../src/protocol/index.ts'
import { type Cluster, openCluster } from '../restate/cluster.ts'
import { programs } from '../restate/programs.ts'
import { type RestateServer, startServer } from '../restate/server.ts'
import { pause } from './async.ts'
import { violations } from './invariants.ts'

let server: RestateServer
let cluster: Cluster

beforeAll(async () => {
  server = await startServer()
  cluster = await openCluster(server)
})

afterAll(async () => {
  await cluster?.end()
  await server?.end()
})

const GOAL = '((3+4)*(8-6))-5'
const RUNS: readonly [strategy: string, goal: string, result: string | RegExp][] = [
  ['fractal', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['cot', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['auto', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['tot', 'Make 24 from 4, 9, 10 and 13', /^.* = 24$/],
  ['dual', 'compute (3+4)*2 and 5*6', '(3 + 4) × 2 = 14; 5 × 6 = 30'],
  ['programmed', 'the largest number', '3\n33\n333'],
]

function start(id: string, strategy: string, goal: string) {
  const config = { thinkon: 'test' }
  return cluster.host.start({ id, goal, strategy, options: {}, limits: DEFAULT_LIMITS, seed: id, config })
}

describe('on a cluster', () => {
  it.each(RUNS)('%s solves "%s", and replays equal on one machine', async (strategy, goal, result) => {
    const id = `ships-${strategy}`
    const outcome = await (await start(id, strategy, goal)).outcome
    expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(exactly(result)) })
    const events = cluster.events(id)
    expect(violations(events)).toEqual([])
    expect((await replayRun(events, programs(null))).differences).toEqual([])
  })

  it.each(RUNS.filter(([strategy]) => strategy !== 'programmed'))(
    '%s waits while its model is out, and solves "%s" when it is resumed',
    async (strategy, goal, result) => {
      const id = `out-${strategy}`
      cluster.setOut(true)
      const run = await start(id, strategy, goal)
      const error = await run.outcome.catch((thrown) => thrown)
      expect(error).toMatchObject({
        code: 'MODEL_OUTAGE',
        data: { run: id, message: 'test: 503 closed for now' },
      })
      expect(foldEvents(cluster.events(id))).toMatchObject({ status: 'waiting', outcome: null })
      await cluster.killWorker()
      await cluster.startWorker()
      cluster.setOut(false)
      const outcome = await (await cluster.host.resume(id)).outcome
      expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(exactly(result)) })
      const events = cluster.events(id)
      expect(violations(events)).toEqual([])
      expect((await replayRun(events, programs(null))).differences).toEqual([])
      // Waiting is not active time: the books have counted as the fold does.
      const { activeMs } = new SignalJournal(cluster.store, id).note<{ activeMs: number }>('clock') ?? {}
      expect(activeMs).toBe(foldEvents(events).activeMs)
    },
  )

  it('a worker that is killed while a model is out asks again when it is back', async () => {
    cluster.setOut(true)
    const run = await start('out-killed', 'dual', 'compute (3+4)*2 and 5*6')
    while (!cluster.events('out-killed').some(({ type }) => type === 'model-start')) await pause(2)
    await cluster.killWorker()
    await cluster.startWorker()
    expect(await run.outcome.catch((thrown) => thrown)).toMatchObject({ code: 'MODEL_OUTAGE' })
    cluster.setOut(false)
    const outcome = await (await cluster.host.resume('out-killed')).outcome
    expect(outcome).toMatchObject({ status: 'completed', result: '(3 + 4) × 2 = 14; 5 × 6 = 30' })
    expect(violations(cluster.events('out-killed'))).toEqual([])
  })

  it('a worker that is killed in the middle of a plan is gone on from by the next, without a call twice', async () => {
    const run = await start('ships-killed', 'dual', 'compute (3+4)*2 and 5*6 and 7-2')
    while (cluster.events('ships-killed').filter(({ type }) => type === 'model-end').length < 3)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await cluster.killWorker()
    expect(cluster.events('ships-killed').some(({ type }) => type === 'run-end')).toBe(false)
    await cluster.startWorker()
    expect(await run.outcome).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('7 - 2 = 5'),
    })
    const events = cluster.events('ships-killed')
    expect(violations(events)).toEqual([])
    const ends = events
      .filter(({ type }) => type === 'model-end')
      .map((event) => `${event.path}/${'n' in event ? event.n : ''}`)
    expect(new Set(ends).size).toBe(ends.length)
  })
})

function exactly(result: string | RegExp): RegExp {
  return typeof result === 'string' ? new RegExp(`^${result.replace(/[()+×÷.-]/g, '\\$&')}$`) : result
}
