// A run that ends every process that works on it: `thinkon serve` starts without it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { crashRecord } from '../../src/server/crash-record.ts'
import { makePlace, type Place } from '../e2e/cli-process.ts'
import { type ServeProcess, startServe } from './serve-process.ts'

let place: Place
afterEach(() => place.remove())

const MODEL = `module:${join(import.meta.dirname, 'crashing-model.ts')}`

interface Row {
  readonly id: string
  readonly status: string
  readonly setAside?: string
}

it.each(['exit', 'reject'])('a run that ended the process twice is set aside: %s', async (how) => {
  place = makePlace()
  const env = { THINKON_MODEL: MODEL }
  const first = await startServe(place, { env })
  const started = await Promise.all(
    ['slow', how].map(async (goal) => (await first.post('/api/runs', { id: goal, goal })).status),
  )
  expect(started).toEqual([201, 201])
  expect((await first.ended).code).not.toBe(0)

  // The one that crashed the process is tried once more, and the other one is not set aside with it.
  const second = await startServe(place, { env })
  expect((await second.ended).code).not.toBe(0)

  const third = await startServe(place, { env })
  await expect.poll(async () => (await rowOf(third, how)).setAside).toContain(`thinkon resume ${how}`)
  expect((await rowOf(third, how)).status).toBe('stopped')
  expect(await third.json(`/api/runs/${how}`)).toMatchObject({
    setAside: expect.stringContaining('set aside'),
  })
  await expect.poll(async () => (await rowOf(third, 'slow')).status).toBe('completed')
  expect((await rowOf(third, 'slow')).setAside).toBeUndefined()
  expect((await third.post('/api/runs', { goal: 'quick' })).status).toBe(201)
  third.child.kill('SIGTERM')
  const { code, stdout } = await third.ended
  expect(code).toBe(0)
  expect(stdout).toContain(`run ${how} is set aside`)
})

it('a run that ends its process without an exit is set aside, and no other: out of memory', async () => {
  place = makePlace()
  const env = { THINKON_MODEL: MODEL, NODE_OPTIONS: '--max-old-space-size=160' }
  let serve = await startServe(place, { env })
  for (const id of ['slow', 'allocate', 'long']) await serve.post('/api/runs', { id, goal: id })
  let ends = 0
  const isSetAside = () =>
    expect.poll(async () => (await rowOf(serve, 'allocate')).setAside, { timeout: 60_000 }).toBeDefined()
  for (; ends < 5; ends++) {
    if (await Promise.race([serve.ended.then(() => false), isSetAside().then(() => true)])) break
    serve = await startServe(place, { env })
  }
  expect(ends).toBeGreaterThan(2)
  expect((await rowOf(serve, 'allocate')).setAside).toContain('thinkon resume allocate')
  await expect.poll(async () => (await rowOf(serve, 'slow')).status, { timeout: 30_000 }).toBe('completed')
  expect((await rowOf(serve, 'long')).setAside).toBeUndefined()

  // A caller who resumes it clears the count: it is tried again, and ends this process.
  expect((await serve.post('/api/runs', { id: 'allocate', goal: 'allocate' })).status).toBeLessThan(300)
  await serve.ended
  serve = await startServe(place, { env })
  expect((await rowOf(serve, 'allocate')).setAside).toBeUndefined()
}, 120_000)

it.each([
  ['at once', 0.1],
  ['within the probation', 4],
  ['later than the probation', 33],
])('of several runs that all stand still, the one that crashes is found: %s', async (_, delayS) => {
  place = makePlace()
  const file = join(place.folder, 'crashes.json')
  const runs = ['a', 'b', 'cause', 'd', 'e']
  let crashes = 0
  for (; crashes < 20; crashes++) {
    const before = process.listeners('exit')
    const record = crashRecord(file, () => [])
    // The process of this record ends without an exit.
    for (const one of process.listeners('exit')) if (!before.includes(one)) process.off('exit', one)
    const suspects = await record.assess(async () => 'stuck')
    expect(runs.filter((run) => run !== 'cause' && record.crashes(run) >= 2)).toEqual([])
    if (record.crashes('cause') >= 2) break
    // As the service does it: suspects last, each alone for its probation.
    let leftS = Infinity
    for (const run of [...runs.filter((one) => !suspects.includes(one)), ...suspects]) {
      if (leftS <= 0) break
      record.mark(run, 7)
      if (run === 'cause') leftS = delayS
      if (!suspects.includes(run)) continue
      leftS -= 5 * 2 ** Math.max(0, record.suspicions(run) - 1)
      if (leftS > 0) record.pass(run)
    }
  }
  expect(crashes).toBeLessThan(12)
})

it('kills from outside set aside no run of several, and none that makes progress', async () => {
  place = makePlace()
  const env = { THINKON_MODEL: MODEL }
  for (let i = 0; i < 3; i++) {
    const serve = await startServe(place, { env })
    const ids = ['slow', 'long', 'long-2']
    if (i === 0) for (const id of ids) await serve.post('/api/runs', { id, goal: id })
    const statuses = () => Promise.all(ids.map(async (id) => (await rowOf(serve, id)).status))
    await expect.poll(statuses).toContain('running')
    serve.child.kill('SIGKILL')
    await serve.ended
  }
  const last = await startServe(place, { env })
  await expect.poll(async () => (await rowOf(last, 'slow')).status, { timeout: 30_000 }).toBe('completed')
  for (const id of ['slow', 'long', 'long-2']) expect((await rowOf(last, id)).setAside).toBeUndefined()
}, 60_000)

it('a run that is killed each time after some progress is not set aside', async () => {
  place = makePlace()
  const env = { THINKON_MODEL: MODEL }
  for (let i = 0; i < 4; i++) {
    const serve = await startServe(place, { env })
    if (i === 0) await serve.post('/api/runs', { id: 'steps', goal: 'steps 1000' })
    const seqOf = async () => ((await serve.json('/api/runs/steps')) as { seq: number }).seq
    const before = await seqOf()
    await expect.poll(seqOf).toBeGreaterThan(before + 10)
    serve.child.kill('SIGKILL')
    await serve.ended
  }
  const last = await startServe(place, { env })
  await expect.poll(async () => (await rowOf(last, 'steps')).status).toBe('running')
})

it('a record of crashes that is damaged counts none', async () => {
  place = makePlace()
  const file = join(place.folder, 'crashes.json')
  for (const text of ['', '{', '[]', '{"a":"2"}', '[["a",{"crashes":"2"}],["a"],1]', '[["a",null]]']) {
    writeFileSync(file, text)
    const record = crashRecord(file, () => [])
    expect(record.crashes('a')).toBe(0)
    record.close()
  }
})

async function rowOf(serve: ServeProcess, run: string): Promise<Row> {
  const { runs } = (await serve.json('/api/runs')) as { runs: Row[] }
  return runs.find(({ id }) => id === run) as Row
}
