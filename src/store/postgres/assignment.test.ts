import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { freshDatabase, queryDatabase } from '../../../tests/postgres.ts'
import type { AssignableStore } from '../../kernel/run-assignment.ts'
import type { Draft } from '../../kernel/store.ts'
import { postgresStore } from './postgres.ts'

let url: string
let worker: AssignableStore
let other: AssignableStore
const opened: AssignableStore[] = []

beforeEach(async () => {
  url = await freshDatabase()
  worker = await open()
  other = await open()
  await worker.serve({ has: ['minimal@1', 'fractal@5'], kind: 'a' })
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
const first = (strategy = 'minimal@1') =>
  ({ type: 'run-start', path: '1', atMs: Date.now(), strategy }) as Draft
const note = (): Draft => ({ type: 'note', path: '1', atMs: Date.now(), n: 1, name: 'test', data: null })

/** Offered and taken by the worker, which has looked at its signals. */
async function owned(): Promise<number> {
  await other.offer(RUN, first(), 0)
  const epoch = await worker.acquire(RUN.id)
  await worker.pending(RUN.id)
  return epoch
}

it('an offered run is due, is passed on once, and is not due when it is owned', async () => {
  expect(await other.offer(RUN, first(), 0)).toBe(true)
  expect(await other.offer(RUN, first(), 0)).toBe(false)
  expect(await other.standing(RUN.id)).toBe('due')
  expect(await worker.claimDue(10)).toEqual([{ id: RUN.id, needs: ['minimal@1'], kind: 'a' }])
  expect(await other.claimDue(10)).toEqual([])
  await worker.acquire(RUN.id)
  expect(await other.standing(RUN.id)).toBe('owned')
})

it('a run is due at its time, not before', async () => {
  await other.offer(RUN, first(), Date.now() + 600_000)
  expect(await worker.claimDue(10)).toEqual([])
  expect(await other.standing(RUN.id)).toBe('rests')
  await other.offer({ ...RUN, id: 'run-2' }, first(), Date.now() - 1)
  expect(await worker.claimDue(10)).toMatchObject([{ id: 'run-2' }])
})

it('names no kind of workers if none has what the run needs', async () => {
  await other.offer(RUN, first('fractal@4'), 0)
  expect(await worker.claimDue(10)).toEqual([{ id: RUN.id, needs: ['fractal@4'], kind: null }])
})

it('notes the strategies of blocks as they begin, and the version of the worker', async () => {
  await worker.serve({ has: ['minimal@1', 'version 7'], kind: 'b', version: 'version 7' })
  const epoch = await owned()
  await worker.append(RUN.id, epoch, [{ ...first('fractal@5'), type: 'block-start' } as Draft, note()], true)
  await worker.handOver(RUN.id, epoch, 0)
  expect(await worker.claimDue(10)).toMatchObject([
    { needs: ['minimal@1', 'version 7', 'fractal@5'], kind: null },
  ])
})

it('a signal that came after the owner looked keeps the run from resting', async () => {
  const epoch = await owned()
  await other.send(RUN.id, '1', 'message', 'hello')
  expect(await worker.rest(RUN.id, epoch, null, ['minimal@1'])).toBe(false)
  expect(await worker.pending(RUN.id)).toHaveLength(1)
  expect(await worker.rest(RUN.id, epoch, null, ['minimal@1'])).toBe(true)
})

it('a signal to a run that rests makes it due and wakes a worker, in one transaction', async () => {
  const epoch = await owned()
  const due = vi.fn()
  worker.onDue(due)
  await worker.rest(RUN.id, epoch, null, ['minimal@1'])
  expect(await other.standing(RUN.id)).toBe('rests')
  await other.send(RUN.id, '1', 'message', 'hello')
  expect(await other.standing(RUN.id)).toBe('due')
  await expect.poll(() => due.mock.calls.length).toBeGreaterThan(0)
})

it('signals and rests at the same instant lose nothing', async () => {
  for (let round = 0; round < 40; round++) {
    const run = { ...RUN, id: `run-${round}` }
    await other.offer(run, first(), 0)
    const epoch = await worker.acquire(run.id)
    await worker.pending(run.id)
    const [rested] = await Promise.all([
      worker.rest(run.id, epoch, null, ['minimal@1']),
      other.send(run.id, '1', 'message', round),
    ])
    expect(await other.standing(run.id)).toBe(rested ? 'due' : 'owned')
  }
})

it('the runs of a dead worker are due again, and those of a local host are not', async () => {
  await owned()
  await worker.create({ ...RUN, id: 'local-run' }, first())
  // As if the worker were gone: no session has locked this key.
  await queryDatabase(url, 'UPDATE thinkon.runs SET owner = 2^41::bigint + 7')
  await queryDatabase(url, 'UPDATE thinkon.owners SET key = 2^41::bigint + 7')
  await expect.poll(() => other.reclaim()).toHaveLength(1)
  expect(await other.claimDue(10)).toMatchObject([{ id: RUN.id }])
})

it('a run that its worker could not continue is due again', async () => {
  const epoch = await owned()
  await worker.release(RUN.id, epoch)
  expect(await other.claimDue(10)).toMatchObject([{ id: RUN.id }])
})

it('a run of a local host is due once it is woken', async () => {
  const epoch = await worker.create(RUN, first())
  await worker.release(RUN.id, epoch)
  expect(await worker.claimDue(10)).toEqual([])
  await other.wake(RUN.id)
  expect(await worker.claimDue(10)).toMatchObject([{ id: RUN.id }])
})
