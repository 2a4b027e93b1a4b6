// A store in which an event can be read and is not what it should be: damage, and no bug of ours, in every command that looks at the run.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
const store = join(place.folder, '.thinkon/runs.db')
const good = join(place.folder, 'good.db')
afterAll(() => place.remove())

let run = ''
let rows: { id: number; type: string; body: string }[] = []
beforeAll(async () => {
  const ran = await cli(['run', '(3+4)*(8-6)', '--strategy', 'fractal', '--model', 'embedded:abacus'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const database = new DatabaseSync(store)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  run = String(database.prepare('SELECT id FROM runs').get()?.id)
  rows = database.prepare('SELECT id, type, body FROM events ORDER BY id').all() as typeof rows
  database.close()
  copyFileSync(store, good)
})

const FIELDS = [
  ['run-start', 'goal'],
  ['run-start', 'config'],
  ['run-start', 'limits'],
  ['block-start', 'strategy'],
  ['todo-set', 'todo'],
  ['model-start', 'request'],
  ['model-end', 'result'],
  ['model-end', 'usage'],
  ['done-add', 'from'],
  ['block-end', 'outcome'],
  ['run-end', 'status'],
] as const
const LOOKS = [
  ['events'],
  ['show'],
  ['show', '--audit'],
  ['show', '--format', 'md'],
  ['export'],
  ['replay'],
  ['resume'],
]

function damage(row: { id: number }, body: string): void {
  copyFileSync(good, store)
  const database = new DatabaseSync(store)
  database.prepare('UPDATE events SET body = ? WHERE id = ?').run(body, row.id)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

async function expectNoBug(): Promise<number> {
  let told = 0
  for (const [command = '', ...options] of LOOKS) {
    const { code, stderr } = await cli([command, run, ...options])
    expect(stderr).not.toContain('bug in thinkon')
    if (code !== 0 && /the store .* is damaged: /.test(stderr)) told++
  }
  return told
}

it.each(FIELDS)('a %s without "%s" is told as damage', async (type, field) => {
  const row = rows.find((one) => one.type.includes(type)) as (typeof rows)[0]
  const without = row.body.replaceAll(`"${field}":`, '"lost":')
  expect(without).not.toBe(row.body)
  damage(row, without)
  expect(await expectNoBug()).toBeGreaterThan(0)
})

it.each(['{}', 'null', '[]', '5', '"x"'])('an event that is %s is told as damage', async (body) => {
  damage(rows[0] as { id: number }, body)
  await expectNoBug()
})

it('a run with a damaged event can be deleted, as the message says', async () => {
  damage(rows[0] as { id: number }, '{}')
  expect((await cli(['show', run])).stderr).toContain(`or delete the run: thinkon delete ${run}`)
  expect((await cli(['delete', run, '--yes'])).code).toBe(0)
})
