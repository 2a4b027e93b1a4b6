// Runs that wait are rows, and workers may come and go meanwhile.

import { afterEach, describe, expect, it } from 'vitest'
import { queryDatabase } from '../postgres.ts'
import { openCluster, type TestCluster } from './cluster.ts'
import type { WorkerSettings } from './worker-process.ts'

let cluster: TestCluster

afterEach(() => cluster.end())

async function open(workers: number, settings: WorkerSettings = {}): Promise<void> {
  cluster = await openCluster(workers, settings)
}

async function start(id: string, strategy: 'asks' | 'chain', options = {}): Promise<void> {
  await cluster.engine.start(`goal of ${id}`, { id, strategy, options } as never)
}

interface Row {
  readonly id: string
  readonly owner: number | null
  readonly wake: number | null
}

const rows = () =>
  queryDatabase<Row>(cluster.postgres, 'SELECT id, owner, wake FROM thinkon.runs ORDER BY id')

/** Until all runs have asked and left their workers. */
async function allRest(count: number): Promise<void> {
  const resting = async () => (await rows()).filter(({ owner, wake }) => owner === null && wake === null)
  await expect.poll(async () => (await resting()).length).toBe(count)
  expect(await cluster.engine.questions()).toHaveLength(count)
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `run-${at + 10}`)

describe('a run that waits for a person', () => {
  it('is a row until the answer comes, which any worker then acts on', async () => {
    await open(1)
    await start('run-1', 'asks')
    await allRest(1)
    const [first] = cluster.workers
    first?.send('SIGTERM')
    expect(await first?.ended).toBe(0)
    await cluster.startWorker()
    await cluster.engine.answer('run-1', 'nothing')
    expect(await cluster.finished('run-1')).toMatchObject({ status: 'completed', result: 'nothing ok' })
  })

  it('goes on with newer workers that have its strategy', async () => {
    await open(2)
    for (const id of ids(20)) await start(id, 'asks')
    await allRest(20)
    for (const worker of [...cluster.workers]) {
      await cluster.startWorker({ version: '2' })
      worker.send('SIGTERM')
      expect(await worker.ended).toBe(0)
    }
    for (const id of ids(20)) await cluster.engine.answer(id, 'yes')
    for (const id of ids(20)) expect(await cluster.finished(id)).toMatchObject({ result: 'yes ok' })
  })

  it('waits for a worker with the version of its strategy, and is not ended by another', async () => {
    await open(1)
    for (const id of ids(3)) await start(id, 'asks')
    await allRest(3)
    const [old] = cluster.workers
    await cluster.startWorker({ strategies: 2 })
    old?.send('SIGTERM')
    await old?.ended
    for (const id of ids(3)) await cluster.engine.answer(id, 'yes')
    // A run that begins now is executed by the new worker, those three are not.
    await start('run-new', 'chain', { steps: 1 })
    expect(await cluster.finished('run-new')).toMatchObject({ status: 'completed' })
    expect((await rows()).filter(({ wake }) => Number(wake ?? 1) === 0)).toHaveLength(3)
    await cluster.startWorker()
    for (const id of ids(3)) expect(await cluster.finished(id)).toMatchObject({ result: 'yes ok' })
  })
})

describe('a worker that is told to end', () => {
  it('records the calls that are under way before their runs go on elsewhere', async () => {
    await open(2)
    for (const id of ids(4)) await start(id, 'chain', { steps: 2, ms: 700 })
    await expect.poll(() => cluster.effects().length).toBeGreaterThan(0)
    const old = [...cluster.workers]
    for (const worker of old) {
      await cluster.startWorker()
      worker.send('SIGTERM')
      expect(await worker.ended).toBe(0)
    }
    for (const id of ids(4))
      expect(await cluster.finished(id)).toMatchObject({ result: '2 steps, 0 interrupted' })
    const begun = cluster.effects().filter(({ what }) => what === 'begin')
    expect(new Set(begun.map(({ name, step }) => `${name} ${step}`)).size).toBe(begun.length)
    expect(cluster.effects().some(({ what }) => what === 'abort')).toBe(false)
  })

  it('gives up calls that take too long: what reads is done again, what writes ends as interrupted', async () => {
    await open(1, { drainMs: 100 })
    await start('run-1', 'chain', { steps: 1, ms: 1_500 })
    const begun = (name: string) => cluster.effects().some((effect) => effect.name === name)
    for (const name of ['look', 'send']) {
      await expect.poll(() => begun(name)).toBe(true)
      const worker = cluster.workers.at(-1)
      worker?.send('SIGTERM')
      expect(await worker?.ended).toBe(0)
      await cluster.startWorker()
    }
    expect(await cluster.finished('run-1')).toMatchObject({ result: '1 steps, 1 interrupted' })
    const looks = cluster.effects().filter(({ what, name }) => what === 'begin' && name === 'look')
    expect(looks).toHaveLength(2)
  })
})
