// A store that came with a folder has runs that expand to far more than their size: each command names the run and the limit, other
// runs are shown, and a service answers.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/protocol/index.ts'
import { importRun } from '../../src/store/import-run.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { startServe } from '../server/serve-process.ts'
import { bombFile } from '../store/bombs.ts'
import { makePlace, type Place } from './cli-process.ts'

let place: Place
afterEach(() => place.remove())

const NAMES = ['row', 'rows', 'chain']

async function plant(): Promise<void> {
  place = makePlace()
  mkdirSync(join(place.folder, '.thinkon'))
  const store = sqliteStore(join(place.folder, '.thinkon/runs.db'))
  process.env.THINKON_MAX_DECODED_MIB = '2000'
  for (const name of NAMES) await importRun(store, [bombFile(name, 100)], { as: name })
  await importRun(store, [bombFile('row', 1)], { as: 'good' })
  delete process.env.THINKON_MAX_DECODED_MIB
  store.close()
}

it('each command says so for that run, and shows the others', async () => {
  await plant()
  const { stdout } = await place.cli(['list', '--json'])
  for (const name of [...NAMES, 'good']) expect(stdout).toContain(`"${name}"`)
  const heap = { ...place.env, NODE_OPTIONS: '--max-old-space-size=400' }
  for (const name of NAMES) {
    for (const command of ['show', 'events', 'replay', 'export']) {
      const ended = await place.alone([command, name, '--json'], undefined, heap)
      if (command === 'export' && ended.code === 0) continue
      expect(ended, command).toMatchObject({ code: 2, stderr: expect.stringContaining('64 MiB') })
    }
  }
  expect(await place.alone(['show', 'good', '--json'], undefined, heap)).toMatchObject({ code: 0 })
  const doctor = await place.alone(['doctor', '--json'], undefined, heap)
  expect([0, 1, 2, 3]).toContain(doctor.code)
})

it('a service answers, with figures of the others', async () => {
  await plant()
  const service = await startServe(place, { env: { NODE_OPTIONS: '--max-old-space-size=400' } })
  expect(await service.json('/api/health')).toEqual({ ok: true })
  const list = JSON.stringify(await service.json('/api/runs?figures=true'))
  for (const name of [...NAMES, 'good']) expect(list).toContain(`"${name}"`)
  // The messages of a request are read when they are shown.
  for (const name of ['row', 'rows']) {
    const refused = (await service.json(`/api/runs/${name}`)) as { code: string }
    expect(refused).toMatchObject({ code: 'TOO_LARGE' })
  }
  expect(await service.json('/api/health')).toEqual({ ok: true })
  service.child.kill('SIGTERM')
  await service.ended
})

it('a service that finds such a run unfinished starts each time, and names the limit for that run', async () => {
  place = makePlace()
  const first = await startServe(place)
  first.child.kill('SIGTERM')
  await first.ended
  const store = sqliteStore(join(place.folder, '.thinkon/runs.db'))
  const epoch = store.create({ id: 'open', goal: 'a goal', strategy: 'minimal' }, START)
  const data = 'x'.repeat(100 * 1024 * 1024)
  process.env.THINKON_MAX_DECODED_MIB = '2000'
  store.append('open', epoch, [{ type: 'note', n: 1, name: 'note', data, path: '1', atMs: 2_000 }], false)
  delete process.env.THINKON_MAX_DECODED_MIB
  store.release('open', epoch)
  store.close()
  for (let start = 0; start < 2; start++) {
    const service = await startServe(place, { env: { NODE_OPTIONS: '--max-old-space-size=400' } })
    expect(await service.json('/api/health')).toEqual({ ok: true })
    expect(await service.json('/api/runs/open')).toMatchObject({ code: 'TOO_LARGE' })
    expect(JSON.stringify(await service.json('/api/runs?figures=true'))).toContain('"open"')
    service.child.kill('SIGTERM')
    await service.ended
  }
})

const START = {
  type: 'run-start',
  format: 1,
  goal: 'a goal',
  strategy: 'minimal@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
} as const
