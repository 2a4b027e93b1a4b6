import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '../../src/protocol/index.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { freshDatabase, queryDatabase } from '../postgres.ts'
import { repetitions } from '../repetitions.ts'
import { all } from '../stores.ts'
import { execute, performedTwice, solveHere, violations } from './crash.ts'

const PROGRAM = 'postgres-program.ts'
const KILLS = repetitions(4, 40)

describe('a run in PostgreSQL whose process is killed with SIGKILL', () => {
  let url: string
  let folder: string
  beforeAll(async () => {
    url = await freshDatabase()
    folder = mkdtempSync(join(tmpdir(), 'thinkon-crash-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function journal(): Promise<Event[]> {
    const store = await postgresStore(url)
    const events = await all(store.read('crash'))
    await store.close()
    return events
  }

  async function startAnew(): Promise<void> {
    rmSync(join(folder, 'effects.log'), { force: true })
    await queryDatabase(url, 'TRUNCATE thinkon.runs, thinkon.goals, thinkon.events, thinkon.inbox')
  }

  it('comes to the same outcome in another process and repeats no finished step', async () => {
    const outcome = await solveHere(PROGRAM, [url, folder])
    const length = (await journal()).length
    expect(outcome.status).toBe('completed')
    for (let i = 1; i <= KILLS; i++) {
      await startAnew()
      const atEvent = Math.floor((i * length) / (KILLS + 1))
      await execute(PROGRAM, [url, folder, String(atEvent)])
      const before = await journal()
      expect(before.length).toBeGreaterThanOrEqual(atEvent)
      expect(before.length).toBeLessThan(length)
      const resumed = await solveHere(PROGRAM, [url, folder])
      const twice = performedTwice(before, readFileSync(join(folder, 'effects.log'), 'utf8'))
      const crash = { outcome: resumed, events: await journal(), eventsBefore: before.length, twice }
      expect(violations(crash, { outcome }), `killed at event ${atEvent}`).toEqual([])
    }
  })
})
