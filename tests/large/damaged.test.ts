// What a command does not need of a large run it does not read: an event in the middle of this one is damaged.

import { spawn } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, makePlace, type Place } from '../e2e/cli-process.ts'
import { KEY, LAST_BRANCH, type LargeRun, largeRun, RUN } from './large-run.ts'

let large: LargeRun
let place: Place
beforeAll(async () => {
  large = await largeRun()
  place = makePlace()
  place.env.THINKON_KEY = KEY
  const database = new DatabaseSync(large.file)
  const { changes } = database
    .prepare(
      `UPDATE events SET body = '{' WHERE id = (
        SELECT id FROM events WHERE path LIKE '1-50-%' AND ' ' || path || ' ' NOT GLOB '* 1-5[01] *' LIMIT 1)`,
    )
    .run()
  expect(changes).toBe(1)
  database.close()
}, 120_000)
afterAll(async () => {
  place.remove()
  await large.remove()
})

const cli = (...words: string[]) => place.cli([...words, '--store', large.file])

describe('of a large run', () => {
  it('events are printed as they are read', async () => {
    const { code, stdout, stderr } = await cli('events', RUN, '--json')
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThan(5_000)
    expect(JSON.parse(lines[0] as string)).toMatchObject({ seq: 1, type: 'run-start' })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('damaged') })
  })

  it('no more events are read than somebody reads', async () => {
    const child = spawn(process.execPath, [bin, 'events', RUN, '--store', large.file], {
      env: place.env,
      cwd: place.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('show says how it stands before it reads the tree', async () => {
    const { code, stdout, stderr } = await cli('show', RUN)
    expect(stdout).toContain('8000 calls')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('damaged') })
  })

  it('message, answer and list read what is open', async () => {
    expect(await cli('message', RUN, LAST_BRANCH, '--message', 'well done')).toMatchObject({ code: 0 })
    expect(await cli('list')).toMatchObject({ code: 0 })
    const refused = await cli('answer', RUN, 'perhaps')
    expect(refused.stderr).toContain('“perhaps” is no choice')
    expect(await cli('answer', RUN, 'yes')).toMatchObject({ code: 0 })
  })
})
