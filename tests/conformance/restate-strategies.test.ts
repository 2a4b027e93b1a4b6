// The strategies that ship, on a real Restate server with a worker in another process; that worker is killed in the middle.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RestateServer, startRestateServer } from '../../src/cluster/restate-server.ts'
import { createEngine } from '../../src/engine.ts'
import { replayRun } from '../../src/hosts/local/replay.ts'
import { SignalJournal } from '../../src/hosts/restate/signals.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import { DEFAULT_LIMITS, foldEvents } from '../../src/protocol/index.ts'
import { restate, restateWorker } from '../../src/restate.ts'
import { freshDatabase } from '../postgres.ts'
import { type Cluster, openCluster } from '../restate/cluster.ts'
import { programs } from '../restate/programs.ts'
import { allOf, pause } from './async.ts'
import { violations } from './invariants.ts'
import { strategyOf } from './kernel/lab.ts'

let server: RestateServer
let cluster: Cluster

beforeAll(async () => {
  server = await startRestateServer()
  cluster = await openCluster(server)
})

afterAll(async () => {
  await cluster?.end()
  await server?.end()
})

const GOAL = '((3+4)*(8-6))-5'

const asking = strategyOf('asking', async (context: Context) => {
  const [said] = await context.all([context.ask({ text: 'What?' })])
  return String(said?.ok ? said.value : 'nothing')
})
const RUNS: readonly [strategy: string, goal: string, result: string | RegExp][] = [
  ['fractal', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['cot', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['auto', GOAL, '(3 + 4) × (8 - 6) - 5 = 9'],
  ['tot', 'Make 24 from 4, 9, 10 and 13', /^.* = 24$/],
  ['dual', 'compute (3+4)*2 and 5*6', '(3 + 4) × 2 = 14; 5 × 6 = 30'],
  ['planner', 'compute (3+4)*2 and 5*6', '(3 + 4) × 2 = 14; 5 × 6 = 30'],
  ['programmed', 'the largest number', '3\n33\n333'],
]

function start(id: string, strategy: string, goal: string, output?: Record<string, unknown>) {
  const config = { thinkon: 'test', ...(output && { output }) }
  return cluster.host.start({ id, goal, strategy, options: {}, limits: DEFAULT_LIMITS, seed: id, config })
}

describe('on a cluster', () => {
  it.each(RUNS)('%s solves "%s", and replays equal on one machine', async (strategy, goal, result) => {
    const id = `ships-${strategy}`
    const outcome = await (await start(id, strategy, goal)).outcome
    expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(exactly(result)) })
    const events = await cluster.events(id)
    expect(violations(events)).toEqual([])
    expect((await replayRun(events, programs(null))).differences).toEqual([])
  })

  it('a run with an output ends with the value, checked by a worker that has only its JSON Schema', async () => {
    const properties = { answer: { type: 'number' } }
    const output = { type: 'object', properties, required: ['answer'] }
    const outcome = await (await start('with-output', 'auto', GOAL, output)).outcome
    expect(outcome).toMatchObject({ status: 'completed', value: { answer: 9 } })
    const events = await cluster.events('with-output')
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
      expect(foldEvents(await cluster.events(id))).toMatchObject({ status: 'waiting', outcome: null })
      await cluster.killWorker()
      await cluster.startWorker()
      cluster.setOut(false)
      const outcome = await (await cluster.host.resume(id)).outcome
      expect(outcome).toMatchObject({ status: 'completed', result: expect.stringMatching(exactly(result)) })
      const events = await cluster.events(id)
      expect(violations(events)).toEqual([])
      expect((await replayRun(events, programs(null))).differences).toEqual([])
      // Waiting is not active time: the books have counted as the fold does.
      const clock = await new SignalJournal(cluster.store, id).note<{ activeMs: number }>('clock')
      expect(clock?.activeMs).toBe(foldEvents(events).activeMs)
    },
  )

  it('a worker that is killed while a model is out asks again when it is back', async () => {
    cluster.setOut(true)
    const run = await start('out-killed', 'dual', 'compute (3+4)*2 and 5*6')
    while (!(await cluster.events('out-killed')).some(({ type }) => type === 'model-start')) await pause(2)
    await cluster.killWorker()
    await cluster.startWorker()
    expect(await run.outcome.catch((thrown) => thrown)).toMatchObject({ code: 'MODEL_OUTAGE' })
    cluster.setOut(false)
    const outcome = await (await cluster.host.resume('out-killed')).outcome
    expect(outcome).toMatchObject({ status: 'completed', result: '(3 + 4) × 2 = 14; 5 × 6 = 30' })
    expect(violations(await cluster.events('out-killed'))).toEqual([])
  })

  it('a worker that is killed in the middle of a plan is gone on from by the next, without a call twice', async () => {
    const run = await start('ships-killed', 'dual', 'compute (3+4)*2 and 5*6 and 7-2')
    while ((await cluster.events('ships-killed')).filter(({ type }) => type === 'model-end').length < 3)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await cluster.killWorker()
    expect((await cluster.events('ships-killed')).some(({ type }) => type === 'run-end')).toBe(false)
    await cluster.startWorker()
    expect(await run.outcome).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('7 - 2 = 5'),
    })
    const events = await cluster.events('ships-killed')
    expect(violations(events)).toEqual([])
    const ends = events
      .filter(({ type }) => type === 'model-end')
      .map((event) => `${event.path}/${'n' in event ? event.n : ''}`)
    expect(new Set(ends).size).toBe(ends.length)
  })
})

/** Last: its worker takes the place of the other. */
describe('thinkon/restate', () => {
  it('an engine does on a cluster what it does in its own process', async () => {
    const postgres = await freshDatabase()
    const { admin, ingress } = server
    const worker = await restateWorker({ postgres, admin, ingress, strategies: [asking] })
    const engine = createEngine({ host: restate({ postgres, ingress }), strategies: [asking] })
    const told: string[] = []
    const run = await engine.start(GOAL, { strategy: 'fractal', onEvent: ({ type }) => void told.push(type) })
    const seen: string[] = []
    for await (const { type } of run.events) seen.push(type)
    expect(await run.outcome).toMatchObject({ status: 'completed', result: '(3 + 4) × (8 - 6) - 5 = 9' })
    const recorded = [...(await engine.events(run.id))].map(({ type }) => type as string)
    expect(seen).toEqual(recorded)
    expect(told.filter((type) => type !== 'text-delta')).toEqual(recorded)
    expect((await allOf(run.text)).join('')).toBe('(3 + 4) × (8 - 6) - 5 = 9')
    expect((await allOf(run.thoughts)).length).toBeGreaterThan(1)
    expect((await engine.replay(run.id)).differences).toEqual([])
    expect(await (await engine.resume(run.id)).outcome).toMatchObject({ status: 'completed' })
    expect(await engine.list()).toMatchObject([{ id: run.id, status: 'completed' }])

    const other = await engine.start(GOAL, { strategy: 'asking', output: { type: 'string' } })
    for await (const event of other.events)
      if (event.type === 'signal-asked') await other.answer('tea', { question: event.seq })
    expect(await other.outcome).toMatchObject({ status: 'completed', value: 'tea' })

    const aborted = new AbortController()
    const third = await engine.start(GOAL, { strategy: 'asking', signal: aborted.signal })
    for await (const event of third.events) if (event.type === 'signal-asked') aborted.abort('enough')
    expect(await third.outcome).toMatchObject({ status: 'cancelled', reason: 'enough' })

    const left = await engine.start(GOAL, { strategy: 'asking' })
    await engine.close()
    await expect(left.outcome).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: expect.stringContaining('continues'),
    })
    const next = createEngine({ host: restate({ postgres, ingress }), strategies: [asking] })
    const again = await next.resume(left.id)
    for await (const event of again.events)
      if (event.type === 'signal-asked') await next.answer(left.id, 'coffee', { question: event.seq })
    expect(await again.outcome).toMatchObject({ result: 'coffee' })
    await next.close()
    await worker.close()
  })

  it('a host brings its store: another one is refused', () => {
    const host = restate({ postgres: 'postgres://127.0.0.1/x', ingress: server.ingress })
    expect(() => createEngine({ host, store: 'other.db' })).toThrow('store and host exclude each other')
  })

  it('says which server it can not reach, and leaves nothing open', async () => {
    const postgres = await freshDatabase()
    await expect(restateWorker({ postgres, admin: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('http://127.0.0.1:9'),
    })
  })
})

function exactly(result: string | RegExp): RegExp {
  return typeof result === 'string' ? new RegExp(`^${result.replace(/[()+×÷.-]/g, '\\$&')}$`) : result
}
