import { afterEach, beforeEach, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/postgres.ts'
import type { TextDelta } from '../../protocol/index.ts'
import { connect, type Database } from './connect.ts'
import { type Saying, saying } from './saying.ts'

let database: Database
const opened: Saying[] = []

beforeEach(async () => {
  database = await connect(await freshDatabase())
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await database.close()
})

/** As in a process of its own. */
function open(): Saying {
  const one = saying(database)
  opened.push(one)
  return one
}

function delta(text: string, n = 1, run = 'run-1'): { seq: number; what: TextDelta } {
  return { seq: 7, what: { type: 'text-delta', run, path: '1', n, text } }
}

/** What is heard of the run, once it is heard at all. */
async function hearing(run: string) {
  const heard: string[] = []
  open().hear(run, ({ what }) => heard.push(what.type === 'text-delta' ? what.text : what.type))
  const speaker = open()
  while (heard.length === 0) {
    speaker.say(delta('?', 0, run))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await speaker.close()
  heard.length = 0
  return heard
}

it('what one process says is heard in another: in order, whole, and by nobody else', async () => {
  const heard = await hearing('run-1')
  const others = await hearing('run-2')
  heard.length = 0
  const speaker = open()
  const long = '\u{1f600}é"'.repeat(2_000)
  // Equal ones between others, which PostgreSQL would pass on once.
  for (const n of [1, 2, 1, 2]) speaker.say(delta('same ', n))
  speaker.say(delta(long))
  speaker.say({
    seq: 7,
    what: { type: 'model-retry', run: 'run-1', path: '1', n: 1, model: 'm', message: 'x', attempt: 1, of: 2 },
  })
  await expect.poll(() => heard.at(-1)).toBe('model-retry')
  const text = heard.filter((one) => one !== '?' && one !== 'model-retry').join('')
  expect(text).toBe(`${'same '.repeat(4)}${long}`)
  expect(others.filter((one) => one !== '?')).toEqual([])
})

it('what is said while the database is gone is dropped, and nobody waits or fails', async () => {
  const speaker = open()
  await database.close()
  for (let i = 0; i < 10_000; i++) speaker.say(delta('x'.repeat(100)))
  await speaker.close()
  database = await connect(await freshDatabase())
})
