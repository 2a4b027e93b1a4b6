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
interface Row {
  id: number
  type: string
  body: string
}

let rows: Row[] = []
beforeAll(async () => {
  const ran = await cli(['run', '(3+4)*(8-6)', '--strategy', 'fractal', '--model', 'embedded:abacus'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const database = new DatabaseSync(store)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  run = String(database.prepare('SELECT id FROM runs').get()?.id)
  rows = database.prepare('SELECT id, type, body FROM events ORDER BY id').all() as unknown as Row[]
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

/** Where the field is in an event that is stored as a list: see src/store/packed-events.ts. */
const PLACES: Record<string, number> = { request: 2, result: 2, from: 2, outcome: 2, strategy: 3, usage: 3 }

/** The first event of the type as it is stored, and the row with another in its place. */
function stored(type: string): { row: Row; event: object; with(event: unknown): string } {
  const row = rows.find((one) => one.type.split(' ').includes(type)) as Row
  const types = row.type.split(' ')
  const body = JSON.parse(row.body)
  if (types.length === 1) return { row, event: body, with: (event) => JSON.stringify(event) }
  const at = 1 + types.indexOf(type)
  return { row, event: body[at], with: (event) => JSON.stringify(body.with(at, event)) }
}

function without(event: object, field: string): object {
  if (!Array.isArray(event)) return Object.fromEntries(Object.entries(event).filter(([key]) => key !== field))
  // A list whose only item is the event has references in it.
  return event.length === 1 ? [without(event[0], field)] : event.with(PLACES[field] as number, null)
}

it.each(FIELDS)('a %s without "%s" is told as damage', async (type, field) => {
  const { row, event, with: put } = stored(type)
  const body = put(without(event, field))
  expect(body).not.toBe(row.body)
  damage(row, body)
  expect(await expectNoBug()).toBeGreaterThan(0)
})

it.each(['block-start', 'model-start', 'model-end', 'done-add', 'block-end'])(
  'a %s whose list is cut off is told as damage',
  async (type) => {
    const { row, event, with: put } = stored(type)
    const list = event as readonly unknown[]
    for (let length = 0; length < list.length; length++) {
      damage(row, put(list.slice(0, length)))
      expect(await expectNoBug(), `of length ${length}`).toBeGreaterThan(0)
    }
  },
)

it.each(['{}', 'null', '[]', '5', '"x"'])('an event that is %s is told as damage', async (body) => {
  damage(rows[0] as { id: number }, body)
  await expectNoBug()
})

it('a run with a damaged event can be deleted, as the message says', async () => {
  damage(rows[0] as { id: number }, '{}')
  expect((await cli(['show', run])).stderr).toContain(`or delete the run: thinkon delete ${run}`)
  expect((await cli(['delete', run, '--yes'])).code).toBe(0)
})
