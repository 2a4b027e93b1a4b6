import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join as joinPaths } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ClaimedStep } from '../../src/kernel/claims.ts'
import { join, type Worker, type WorkerOptions } from '../../src/store/postgres/claims.ts'
import { connect, type Database } from '../../src/store/postgres/connect.ts'
import { freshDatabase } from '../postgres.ts'

const PROGRAM = joinPaths(import.meta.dirname, 'claim-program.ts')
const STEP = { run: 'run-1', path: '1', n: 1 }
describe('claims of workers', () => {
  let url: string
  let database: Database
  const workers: Worker[] = []
  const children: ChildProcess[] = []

  beforeEach(async () => {
    url = await freshDatabase()
    database = await connect(url)
    await database.query(
      `INSERT INTO thinkon.runs (id, host, created, changed) VALUES ('run-1', 'restate', 0, 0)`,
    )
  })

  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.leave()
    for (const child of children.splice(0)) await end(child)
    await database.close()
  })

  async function worker(options: Partial<WorkerOptions> = {}) {
    const joined = await join(database, { onLost: () => {}, ...options })
    workers.push(joined)
    return joined
  }

  /** Another process that has claimed the step. */
  async function claimant(): Promise<{ child: ChildProcess; said: string }> {
    const args = [PROGRAM, url, STEP.run, STEP.path, String(STEP.n)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const [said] = await once(createInterface({ input: child.stdout }), 'line')
    return { child, said }
  }

  it('one of many gets a step, and has it until it is given back', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => worker()))
    const taken = await Promise.all(all.map(({ claims }) => claims.take(STEP)))
    expect(taken.toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'taken'])
    const winner = all[taken.indexOf('taken')] as Worker
    expect(await winner.claims.take(STEP)).toBe('taken')
    const [other] = all.filter((one) => one !== winner) as [Worker]
    other.claims.release(STEP)
    winner.claims.release(STEP)
    await expect.poll(() => other.claims.take(STEP)).toBe('taken')
  })

  it('a step that is claimed again by the one that gives it back stays claimed', async () => {
    const [one, other] = [await worker(), await worker()]
    await one.claims.take(STEP)
    for (let again = 0; again < 20; again++) {
      one.claims.release(STEP)
      if (again % 2 === 1) await turn()
      expect(await one.claims.take(STEP)).toBe('taken')
    }
    // It is given back after the one before it.
    one.claims.release(await taken(one, { ...STEP, n: 2 }))
    await expect.poll(() => other.claims.take({ ...STEP, n: 2 })).toBe('taken')
    expect(await other.claims.take(STEP)).toBe('busy')
  })

  it('steps are claimed apart, and only of runs that are there', async () => {
    const [one, other] = [await worker(), await worker()]
    expect(await one.claims.take(STEP)).toBe('taken')
    expect(await other.claims.take({ ...STEP, n: 2 })).toBe('taken')
    expect(await other.claims.take({ ...STEP, path: '1.1' })).toBe('taken')
    await expect(one.claims.take({ ...STEP, run: 'no-run' })).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
  })

  it('what a dead worker had claimed is taken over, by one', async () => {
    const { child, said } = await claimant()
    const others = [await worker(), await worker(), await worker()]
    expect(said).toBe('taken')
    expect(await others[0]?.claims.take(STEP)).toBe('busy')
    await end(child)
    const claims = new Set<string>()
    // PostgreSQL needs a moment to notice.
    await expect
      .poll(async () => {
        for (const claim of await Promise.all(others.map((one) => one.claims.take(STEP)))) claims.add(claim)
        return [...claims].toSorted()
      })
      .toEqual(['busy', 'taken-over'])
    const owners = await database.query<{ takes: number }>('SELECT takes FROM thinkon.claims')
    expect(owners).toEqual([{ takes: 2 }])
  })

  it('what was taken over stays so for whoever takes it over next', async () => {
    const first = await claimant()
    await end(first.child)
    const second = await worker()
    await expect.poll(() => second.claims.take(STEP)).toBe('taken-over')
    expect(await second.claims.take(STEP)).toBe('taken-over')
    await second.leave()
    const third = await worker()
    await expect.poll(() => third.claims.take(STEP)).toBe('taken-over')
  })

  it('a worker that hangs is taken over when it has said nothing for too long, not before', async () => {
    const { child } = await claimant()
    const other = await worker()
    child.kill('SIGSTOP')
    expect(await other.claims.take(STEP)).toBe('busy')
    const silent = `UPDATE thinkon.workers SET beat = now() - interval '16 s' WHERE name LIKE $1`
    await database.query(silent, [`process ${child.pid} on %`])
    expect(await other.claims.take(STEP)).toBe('taken-over')
    child.kill('SIGCONT')
    expect(await (await worker()).claims.take(STEP)).toBe('busy')
  })

  it('a worker learns once that its connection is lost, and others take over what it had', async () => {
    const lost: unknown[] = []
    const unlucky = await worker({ onLost: (error) => lost.push(error) })
    const other = await worker({ onLost: (error) => lost.push(error) })
    expect(await unlucky.claims.take(STEP)).toBe('taken')
    const key = Number(unlucky.claims.worker)
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND (classid::bigint << 32) | objid::bigint = $1`,
      [key],
    )
    await expect.poll(() => lost).toMatchObject([{ code: 'OWNERSHIP_LOST' }])
    await expect.poll(() => other.claims.take(STEP)).toBe('taken-over')
    await expect(unlucky.claims.take(STEP)).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' })
    await unlucky.leave()
    expect(lost).toHaveLength(1)
  })

  it('a worker that leaves gives back at once, and is not told that it is lost', async () => {
    const lost: unknown[] = []
    const leaving = await worker({ onLost: (error) => lost.push(error) })
    await leaving.claims.take(STEP)
    leaving.claims.release(STEP)
    await leaving.leave()
    const other = await worker()
    expect(await other.claims.take(STEP)).toBe('taken')
    expect(lost).toEqual([])
  })
})

async function taken<T extends ClaimedStep>({ claims }: Worker, step: T): Promise<T> {
  expect(await claims.take(step)).toBe('taken')
  return step
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
