// A run that ends every process that works on it: `thinkon serve` starts without it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
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

it('a kill from outside sets no run aside, however often', async () => {
  place = makePlace()
  const env = { THINKON_MODEL: MODEL }
  for (let i = 0; i < 3; i++) {
    const serve = await startServe(place, { env })
    if (i === 0) await serve.post('/api/runs', { id: 'slow', goal: 'slow' })
    await expect.poll(async () => (await rowOf(serve, 'slow')).status).toBe('running')
    serve.child.kill('SIGKILL')
    await serve.ended
  }
  const last = await startServe(place, { env })
  await expect.poll(async () => (await rowOf(last, 'slow')).status).toBe('completed')
})

it('a record of crashes that is damaged counts none', async () => {
  const { crashRecord } = await import('../../src/server/crash-record.ts')
  place = makePlace()
  const file = join(place.folder, 'crashes.json')
  for (const text of ['', '{', '[]', '{"a":"2"}']) {
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
