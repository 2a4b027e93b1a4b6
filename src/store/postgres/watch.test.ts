import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../tests/postgres.ts'
import { connect, type Database } from './connect.ts'
import { type Watching, watching } from './watch.ts'

const NEVER_MS = 3_600_000

describe('watching runs', () => {
  let database: Database
  const opened: Watching[] = []

  beforeEach(async () => {
    database = await connect(await freshDatabase())
    await database.query(
      `INSERT INTO thinkon.runs (id, created, changed) SELECT 'run-' || n, 0, 0 FROM generate_series(1, 2) AS n`,
    )
  })

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
    await database.close()
  })

  /** As in a process of its own. */
  function open(pollMs: number): Watching {
    const one = watching(database, pollMs)
    opened.push(one)
    return one
  }

  /** How often who watches was called since it began to listen. */
  async function counted(on: Watching, run: string | null) {
    let calls = 0
    const end = on.watch(run, () => calls++)
    await expect.poll(() => calls).toBeGreaterThan(0)
    calls = 0
    return { end, calls: () => calls }
  }

  it('calls who watches the run, or all runs, when another process says that it has written', async () => {
    const [here, there] = [open(NEVER_MS), open(NEVER_MS)]
    const one = await counted(here, 'run-1')
    const all = await counted(open(NEVER_MS), null)
    const other = await counted(open(NEVER_MS), 'run-2')
    there.tell('run-1')
    await expect.poll(() => [one.calls(), all.calls()]).toEqual([1, 1])
    expect(other.calls()).toBe(0)
    there.tell('run-2')
    await expect.poll(() => [one.calls(), all.calls(), other.calls()]).toEqual([1, 2, 1])
  })

  it('says at once what many commits have written, and the rest before it is closed', async () => {
    const all = await counted(open(NEVER_MS), null)
    const there = open(NEVER_MS)
    for (let i = 0; i < 100; i++) there.tell('run-1')
    await there.close()
    await expect.poll(() => all.calls()).toBe(1)
  })

  it('calls nobody who has ended watching', async () => {
    const here = open(NEVER_MS)
    const [ended, watches] = [await counted(here, 'run-1'), await counted(open(NEVER_MS), 'run-1')]
    ended.end()
    open(NEVER_MS).tell('run-1')
    await expect.poll(() => watches.calls()).toBe(1)
    expect(ended.calls()).toBe(0)
  })

  it('finds what nobody has said', async () => {
    const one = await counted(open(20), 'run-1')
    await database.query(`UPDATE thinkon.runs SET version = version + 1 WHERE id = 'run-1'`)
    await expect.poll(() => one.calls()).toBeGreaterThan(0)
  })

  it('listens again after its connection broke', async () => {
    const one = await counted(open(20), 'run-1')
    const listener = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`
    const [before] = await database.query<{ pid: number }>(listener)
    await database.query('SELECT pg_terminate_backend($1)', [before?.pid])
    const isNew = async () =>
      (await database.query<{ pid: number }>(listener)).some(({ pid }) => pid !== before?.pid)
    await expect.poll(isNew).toBe(true)
    const calls = one.calls()
    open(NEVER_MS).tell('run-1')
    await expect.poll(() => one.calls()).toBeGreaterThan(calls)
  })
})
