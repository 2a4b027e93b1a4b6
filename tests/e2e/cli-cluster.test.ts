/** `thinkon cluster dev` and `thinkon worker`, as users start them: with a real Restate server and a real PostgreSQL. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
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
  delete place.env.THINKON_STRATEGY
})

afterAll(() => {
  place.remove()
  if (folder !== '') rmSync(postgresFolder(folder), { recursive: true, force: true })
})

interface Told {
  folder: string
  ingress: string
  admin: string
  address: string
  workers: number[]
}

async function startCluster(): Promise<Going & { told: Told }> {
  const going = place.start(['cluster', 'dev', '--json'])
  const line = await Promise.race([
    once(going.child.stdout as NodeJS.ReadableStream, 'data').then(([text]) => String(text)),
    going.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ])
  return { ...going, told: JSON.parse(line) as Told }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal)
  await once(child, 'exit')
}

it('a worker says what is missing, and where to set it', async () => {
  const { code, stderr } = await place.cli(['worker'])
  expect(stderr).toContain('set cluster.ingress (THINKON_RESTATE_INGRESS)')
  expect(stderr).toContain('thinkon cluster dev')
  expect(code).toBe(2)
  const env = {
    ...place.env,
    THINKON_RESTATE_INGRESS: 'http://127.0.0.1:1',
    THINKON_RESTATE_ADMIN: 'http://127.0.0.1:1',
    THINKON_POSTGRES: 'postgres://u:s3cret-word@127.0.0.1:1/thinkon',
  }
  const unreachable = await place.cli(['worker'], undefined, env)
  expect(unreachable.stderr).toContain('postgres://127.0.0.1:1/thinkon')
  expect(unreachable.stderr).not.toContain('s3cret-word')
  expect(unreachable.code).not.toBe(0)
})

it('a cluster runs goals, outlives the kill -9 of a worker and of itself, and keeps its state', async () => {
  const first = await startCluster()
  expect(first.told.workers).toHaveLength(3)
  folder = first.told.folder
  expect(folder).toContain(join(place.env.XDG_STATE_HOME as string, 'thinkon/workspaces'))
  const file = join(folder, 'cluster.json')
  expect(statSync(file).mode & 0o077).toBe(0)
  // The password is in that file and in nothing that is printed.
  const { password } = new URL(JSON.parse(readFileSync(file, 'utf8')).postgres)
  expect(JSON.stringify(first.told)).not.toContain(password)

  const second = await place.alone(['cluster', 'dev'])
  expect(second.stderr).toContain(`(process ${first.child.pid})`)
  expect(second.code).toBe(2)

  const run = await place.cli(['run', '--host', 'restate', '--json', 'What is 17 * 23?'])
  expect(run.stderr).toBe('')
  expect(jsonLines(run.stdout).at(-1)).toMatchObject({ type: 'outcome', status: 'completed' })

  const [killed, ...others] = first.told.workers as [number, ...number[]]
  process.kill(killed, 'SIGKILL')
  const after = await place.cli(['run', '--host', 'restate', '--quiet', 'What is 6 * 7?'])
  expect(after.stdout).toContain('42')
  const pidFile = join(folder, 'worker-1/process.pid')
  while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8').trim() === String(killed)) await pause(20)

  await ended(first.child, 'SIGKILL')
  while (others.some(isAlive)) await pause(20)

  const again = await startCluster()
  expect(again.told).toMatchObject({ ingress: first.told.ingress, address: first.told.address })
  const list = await place.cli(['list', '--host', 'restate', '--json'])
  expect(jsonLines(list.stdout)).toHaveLength(2)
  again.child.kill('SIGINT')
  const { code, stderr } = await again.ended
  expect(stderr).toContain('has ended; its state is kept')
  expect(code).toBe(0)
  expect(again.told.workers.some(isAlive)).toBe(false)
})
