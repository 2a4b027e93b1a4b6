/**
 * Deletes the events of runs that were deleted or never imported to their end. Other processes may write all the while: a step is a
 * transaction of about STEP_MS.
 */
import { type DatabaseSync, openDatabaseSync, rollBack } from '../files/sqlite.ts'
import type { SweepProgress } from '../kernel/store.ts'
import { Checkpoints } from './checkpoints.ts'
import { isAlive } from './owner-lock.ts'
import { readError } from './sqlite-errors.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-open.ts'
import { SEQ_RANGE } from './sqlite-statements.ts'

/** Others that want to write wait for about this long. */
const STEP_MS = 40
const WINDOW = 4_096
const STEPS_PER_CHECKPOINT = 64

/** On a connection of its own: it is used between the commits of the runs that this process works on. */
export function* sweepStore(path: string): Generator<SweepProgress> {
  let database: DatabaseSync | null = null
  let checkpoints: Checkpoints | null = null
  try {
    database = openDatabaseSync(path, BUSY_TIMEOUT_MS)
    checkpoints = new Checkpoints(database, path)
    checkpoints.run()
    let steps = 0
    for (const progress of sweep(path, database)) {
      if (++steps % STEPS_PER_CHECKPOINT === 0) checkpoints.run()
      yield progress
    }
  } catch (thrown) {
    throw readError(thrown, path)
  } finally {
    checkpoints?.end()
    database?.close()
  }
}

function* sweep(path: string, database: DatabaseSync): Generator<SweepProgress> {
  const before = freeBytes(database)
  const progress = (done: number): SweepProgress => ({
    done,
    of: 1,
    freedBytes: Math.max(0, freeBytes(database) - before),
  })
  for (const _ of deleteUnlisted(path, database)) yield progress(0)
  yield progress(1)
}

/** The events of runs that were deleted, or whose import was given up. */
function* deleteUnlisted(path: string, database: DatabaseSync): Generator<void> {
  const unlisted = database
    .prepare('SELECT run, owner FROM unlisted WHERE run NOT IN (SELECT no FROM runs)')
    .all()
  for (const { run, owner } of unlisted as unknown as { run: number; owner: string | null }[]) {
    if (owner !== null && isAlive(path, owner)) continue
    yield* deleteEvents(database, run)
    transaction(database, () => {
      for (const table of ['inbox', 'questions', 'outlines'])
        database.prepare(`DELETE FROM ${table} WHERE run = ?`).run(run)
      database.prepare('DELETE FROM unlisted WHERE run = ?').run(run)
    })
  }
}

function* deleteEvents(database: DatabaseSync, run: number): Generator<void> {
  const some = database.prepare(
    'DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id BETWEEN ? AND ? LIMIT ?)',
  )
  const size = stepSize()
  for (;;) {
    const { changes } = size.timed((rows) => some.run(run * SEQ_RANGE, (run + 1) * SEQ_RANGE - 1, rows))
    if (Number(changes) === 0) return
    yield
  }
}

/** How many rows a step may change: as many as take about STEP_MS. */
function stepSize(): { timed<T>(step: (rows: number) => T): T } {
  let rows = 64
  return {
    timed(step) {
      const startMs = performance.now()
      const value = step(rows)
      const tookMs = performance.now() - startMs
      if (tookMs > STEP_MS) rows = Math.max(1, rows >> 1)
      else if (tookMs < STEP_MS / 2) rows = Math.min(WINDOW, rows << 1)
      return value
    },
  }
}

function transaction(database: DatabaseSync, action: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    action()
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** In pages that later runs will use. */
function freeBytes(database: DatabaseSync): number {
  const row = database
    .prepare('SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size')
    .get()
  return (row as { bytes: number }).bytes
}
