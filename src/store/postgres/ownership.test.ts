import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { freshDatabase, queryDatabase } from '../../../tests/postgres.ts'
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import type { Draft } from '../../kernel/store.ts'
import { postgresStore } from './postgres.ts'

let url: string
const opened: AssignableStore[] = []

beforeEach(async () => {
  url = await freshDatabase()
})

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** As in a process of its own. */
async function open(): Promise<AssignableStore> {
  const store = await postgresStore(url, { maxConnections: 3 })
  opened.push(store)
  return store
}

const RUN = { id: 'run-1', goal: 'a goal', strategy: 'minimal' }
const note = (data: string): Draft => ({
  type: 'note',
  path: '1',
  atMs: Date.now(),
  n: 1,
  name: 'test',
  data,
})

/** The sessions that hold the locks of owners. */
const LOCK_SESSIONS = `
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND classid > 0
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The session that holds the owner's lock is ended by the server, as an administrator or a restart does. */
async function endLockSessions(): Promise<void> {
  await queryDatabase(url, `SELECT pg_terminate_backend(pid) FROM (${LOCK_SESSIONS}) AS held`)
}

it('a process whose lock session is ended locks its key again and keeps its runs', async () => {
  const owner = await open()
  const epoch = await owner.create(RUN, note('first'))
  await endLockSessions()
  await expect((await open()).acquire(RUN.id)).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  await owner.append(RUN.id, epoch, [note('second')], true)
  expect((await owner.row(RUN.id)).seq).toBe(2)
})

it('a process that is gone is suspected first, and its run is taken over soon after', async () => {
  const owner = await open()
  await owner.create(RUN, note('first'))
  // Its key is one that no session has locked.
  await queryDatabase(url, 'UPDATE thinkon.runs SET owner = 2^41::bigint + 7')
  await queryDatabase(url, `INSERT INTO thinkon.owners (key, name) VALUES (2^41::bigint + 7, 'gone')`)
  expect(await (await open()).acquire(RUN.id)).toBe(2)
})

it('a process that hangs loses its runs though it holds its lock, and writes nothing when it wakes', async () => {
  const owner = await open()
  const epoch = await owner.create(RUN, note('first'))
  const lost = vi.fn()
  owner.listen?.({ signalled() {}, lost })
  await queryDatabase(url, `UPDATE thinkon.owners SET beat = now() - interval '16 s'`)
  expect(await (await open()).acquire(RUN.id)).toBe(2)
  await expect(owner.append(RUN.id, epoch, [note('late')], true)).rejects.toMatchObject({
    code: 'OWNERSHIP_LOST',
  })
  // Its next heartbeat finds that, also if it has nothing to write.
  await expect.poll(() => lost.mock.calls).toEqual([[RUN.id]])
})

it('the owner of a run hears of a signal that another process sent', async () => {
  const owner = await open()
  await owner.create(RUN, note('first'))
  const signalled = vi.fn()
  owner.listen?.({ signalled, lost() {} })
  await (await open()).send(RUN.id, '1', 'message', 'hello')
  await expect.poll(() => signalled.mock.calls).toContainEqual([RUN.id])
})
