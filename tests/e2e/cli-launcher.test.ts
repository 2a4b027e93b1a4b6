// On an old Node the command starts itself again with its own one. The two live and die together.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inTime } from '../conformance/async.ts'
import { bin, type Ended, endOf, makePlace, type Place } from './cli-process.ts'

let place: Place
let child: ChildProcess | undefined

beforeEach(() => {
  place = makePlace()
})

afterEach(() => {
  child?.kill('SIGKILL')
  place.remove()
})

/** This Node takes itself for an old one; the one that it starts does not. */
function launch(args: readonly string[]): { launcher: ChildProcess; ended: Promise<Ended> } {
  const old = join(place.folder, 'old-node.cjs')
  writeFileSync(
    old,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`,
  )
  const launcher = spawn(process.execPath, ['--require', old, bin, ...args], {
    cwd: place.folder,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = launcher
  // Ends when nobody holds the pipes any more: neither of the two.
  return { launcher, ended: endOf(launcher) }
}

it('the process behind the launcher dies with it, and leaves its run to be resumed', async () => {
  const { launcher, ended } = launch(['run', 'ask', '--ask'])
  const { run } = await place.state('last', ({ status }) => status === 'waiting')
  launcher.kill('SIGKILL')
  const { stderr } = await inTime(ended, 'the process behind it dies')
  expect(stderr).toContain(`stopped; resume with: thinkon resume ${run}`)
  expect(await place.state(run)).toMatchObject({ owned: false, status: 'waiting' })
  const resumed = place.start(['resume', run])
  await place.state(run, ({ owned }) => owned)
  await place.cli(['answer', run, 'yes'])
  expect((await resumed.ended).code).toBe(0)
})

it('the launcher ends with the code of the process behind it', async () => {
  const { ended } = launch(['run', 'fail', '--json'])
  expect((await inTime(ended, 'it ends')).code).toBe(4)
})
