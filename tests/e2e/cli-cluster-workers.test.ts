/** `thinkon cluster dev --host cluster` and `thinkon cluster worker`, as users start them: with a real PostgreSQL. */
import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresFolder } from '../../src/cluster/dev-folder.ts'
import { type Going, jsonLines, makePlace, type Place } from './cli-process.ts'

let place: Place
let folder = ''

beforeAll(() => {
  place = makePlace()
  place.env.THINKON_MODEL = 'embedded:abacus'
  place.env.THINKON_HOST = 'cluster'
  delete place.env.THINKON_STRATEGY
})

afterAll(() => {
  place.remove()
  if (folder !== '') rmSync(postgresFolder(folder), { recursive: true, force: true })
})

interface Cluster {
  readonly folder: string
  readonly postgres: string
  readonly workers: number[]
}

async function startCluster(): Promise<Going & { cluster: Cluster }> {
  const going = place.start(['cluster', 'dev', '--host', 'cluster', '--json'])
  const line = await Promise.race([
    once(going.child.stdout as NodeJS.ReadableStream, 'data').then(([text]) => String(text)),
    going.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ])
  return { ...going, cluster: JSON.parse(line) as Cluster }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a worker names the setting that is missing, and no password', async () => {
  const { code, stderr } = await place.cli(['cluster', 'worker'])
  expect(stderr).toContain('set cluster.postgres (THINKON_POSTGRES)')
  expect(code).toBe(2)
  const env = { ...place.env, THINKON_POSTGRES: 'postgres://u:s3cret-word@127.0.0.1:1/thinkon' }
  const unreachable = await place.cli(['cluster', 'worker'], undefined, env)
  expect(unreachable.stderr).toContain('postgres://127.0.0.1:1/thinkon')
  expect(unreachable.stderr).not.toContain('s3cret-word')
  expect(unreachable.code).not.toBe(0)
})

it('a cluster of workers executes runs, outlives the kill -9 of a worker and of itself, and keeps its state', async () => {
  const first = await startCluster()
  expect(first.cluster.workers).toHaveLength(3)
  folder = first.cluster.folder
  const file = join(folder, 'cluster.json')
  expect(statSync(file).mode & 0o077).toBe(0)
  // The password is in that file and in nothing that is printed.
  const { password } = new URL(JSON.parse(readFileSync(file, 'utf8')).postgres)
  expect(JSON.stringify(first.cluster)).not.toContain(password)

  const run = await place.cli(['run', '--json', 'What is 17 * 23?'])
  expect(run.stderr).toBe('')
  expect(jsonLines(run.stdout).at(-1)).toMatchObject({ type: 'outcome', status: 'completed' })

  for (const worker of first.cluster.workers.slice(0, 2)) process.kill(worker, 'SIGKILL')
  const after = await place.cli(['run', '--quiet', 'What is 6 * 7?'])
  expect(after.stdout).toContain('42')

  first.child.kill('SIGKILL')
  await first.ended
  while (first.cluster.workers.some(isAlive)) await pause(20)

  const again = await startCluster()
  const list = await place.cli(['list', '--json'])
  expect(jsonLines(list.stdout)).toHaveLength(2)
  again.child.kill('SIGINT')
  const { code, stderr } = await again.ended
  expect(stderr).toContain('has ended; its state is kept')
  expect(code).toBe(0)
  expect(again.cluster.workers.some(isAlive)).toBe(false)
})
