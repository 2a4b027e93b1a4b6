// A store in which an event can be read and is not what it should be: damage, and no bug of ours, in every command that looks at the run.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DecodingBudget } from '../../src/protocol/decoding-budget.ts'
import { type CheckedEventRow, eventsChecksum } from '../../src/store/checksums.ts'
import { inflate } from '../../src/store/inflate.ts'
import { makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
const store = join(place.folder, '.thinkon/runs.db')
const good = join(place.folder, 'good.db')
afterAll(() => place.remove())

let run = ''
type Row = CheckedEventRow & { body: string }

let rows: Row[] = []
beforeAll(async () => {
  const ran = await cli(['run', '(3+4)*(8-6)', '--strategy', 'fractal', '--model', 'embedded:abacus'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const database = new DatabaseSync(store)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  run = String(database.prepare('SELECT id FROM runs').get()?.id)
  const stored = database.prepare('SELECT * FROM events ORDER BY id').all() as unknown as CheckedEventRow[]
  rows = stored.map((row) => ({ ...row, body: inflate(row.body, new DecodingBudget('a row')) }))
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

/** With the right checksum: not the disk, but who wrote the row was wrong. */
function damage(row: Row, body: string): void {
  copyFileSync(good, store)
  const database = new DatabaseSync(store)
  const crc = eventsChecksum(row.id % 2 ** 31, { ...row, body })
  database.prepare('UPDATE events SET body = ?, crc = ? WHERE id = ?').run(body, crc, row.id)
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

/** The first event of the type as it is stored, and the body of its row with another in its place. */
function stored(type: string): { row: Row; event: object; with(event: unknown): string } {
  const row = rows.find((one) => one.type.split(' ').includes(type)) as Row
  const at = 1 + row.type.split(' ').indexOf(type)
  const body = JSON.parse(row.body)
  return { row, event: body[at], with: (event) => JSON.stringify(body.with(at, event)) }
}

function without(event: object, field: string): object {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key !== field))
}

it.each(FIELDS)('a %s without "%s" is told as damage', async (type, field) => {
  const { row, event, with: put } = stored(type)
  const body = put(without(event, field))
  expect(body).not.toBe(row.body)
  damage(row, body)
  expect(await expectNoBug()).toBeGreaterThan(0)
})

it.each(['block-start', 'model-start', 'model-end', 'done-add', 'block-end'])(
  'a row without its %s is told as damage',
  async (type) => {
    const { row } = stored(type)
    const body = JSON.parse(row.body)
    damage(row, JSON.stringify(body.toSpliced(1 + row.type.split(' ').indexOf(type), 1)))
    expect(await expectNoBug()).toBeGreaterThan(0)
  },
)

it.each(['{}', 'null', '[]', '5', '"x"', '[0]', '[0,null]', '[0,[]]'])(
  'a row that is %s is told as damage',
  async (body) => {
    damage(rows[0] as Row, body)
    expect(await expectNoBug()).toBeGreaterThan(0)
  },
)

it('a run with a damaged event can be deleted, as the message says', async () => {
  damage(rows[0] as Row, '{}')
  expect((await cli(['show', run])).stderr).toContain(`or delete the run: thinkon delete ${run}`)
  expect((await cli(['delete', run, '--yes'])).code).toBe(0)
})
