/** What may befall a run that processes share in PostgreSQL: what others delete, and commits that fail. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SharedStore } from '../../src/kernel/store.ts'
import { connect, type Database } from '../../src/store/postgres/connect.ts'
import { eventRows } from '../../src/store/postgres/event-rows.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { runTable } from '../../src/store/postgres/run-table.ts'
import { sharedRuns } from '../../src/store/postgres/shared-runs.ts'
import { freshDatabase, queryDatabase } from '../postgres.ts'
import { note } from './shared-counting.ts'

const RUN = 'run-1'
const NEW = { id: RUN, goal: 'why', strategy: 'minimal' }
const START = { path: '1', n: 1, kind: 'start' } as const
const LONG = 'a text that is stored once '.repeat(100)

let url: string
const opened: { close(): Promise<void> }[] = []

beforeEach(async () => {
  url = await freshDatabase()
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(): Promise<SharedStore> {
  const store = await postgresStore(url)
  opened.push(store)
  return store
}

it('a run that was deleted and swept is unknown, also to who has a mirror without its events', async () => {
  const [one, other] = [await open(), await open()]
  await one.transact(NEW, (tx) => {
    tx.append(note(LONG), START)
    tx.append({ type: 'run-end', status: 'completed', path: '1', atMs: Date.now() })
  })
  expect(await other.peek(RUN, (reader) => reader.seq)).toBe(2)
  await one.delete(RUN)
  for await (const _ of one.sweep());
  await expect(other.transact(RUN, (tx) => tx.find('1', 1, 'start'))).rejects.toThrow('no run')
})

it('an event that is gone is damage, and is not looked for again and again', async () => {
  const [one, other] = [await open(), await open()]
  await one.transact(NEW, (tx) => tx.append(note('first'), START))
  await queryDatabase(url, 'DELETE FROM thinkon.events')
  await expect(other.peek(RUN, (reader) => reader.find('1', 1, 'start'))).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
  })
})

it('what can not be written fails alone, not with those that would be committed with it', async () => {
  const store = await open()
  await store.transact(NEW, (tx) => void tx.append(note('first')))
  const outcomes = await Promise.allSettled([
    store.transact(RUN, (tx) => tx.append(note('second')).seq),
    store.transact(RUN, (tx) => tx.setNote('NUL \0', 1)),
    store.transact(RUN, (tx) => tx.append(note('third')).seq),
  ])
  expect(outcomes).toMatchObject([{ value: 2 }, { reason: { code: 'BAD_INPUT' } }, { value: 3 }])
})

it('a commit that failed at its very end has stored no text that later events refer to', async () => {
  const database = await connect(url)
  opened.push(database)
  let fails = true
  const breaking: Database = {
    ...database,
    transaction: (action) =>
      database.transaction(async (query) => {
        const answer = await action(query)
        if (fails) throw new Error('the connection broke')
        return answer
      }),
  }
  const rows = eventRows()
  const store = await open()
  await store.transact(NEW, (tx) => void tx.append(note('first')))
  const table = runTable(breaking, rows)
  const contended = sharedRuns({ ...table, commit: async () => false })
  await expect(contended.transact(RUN, (tx) => tx.append(note(LONG)).seq)).rejects.toThrow('broke')
  fails = false
  await sharedRuns(table).transact(RUN, (tx) => tx.append(note(LONG), START).seq)
  expect(await store.peek(RUN, (reader) => reader.find('1', 1, 'start'))).toMatchObject({ data: LONG })
})
