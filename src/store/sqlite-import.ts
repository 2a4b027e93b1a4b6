/**
 * A run that comes from elsewhere, written in several commits. Its number is `unlisted` until the last of them puts the run into the
 * list: nobody sees a part of it, and what a process that died left behind is swept.
 */
import { type Draft, type ImportedRun, type RunImport, statusAfter } from '../kernel/store.ts'
import type { StoreFile } from './sqlite-runs.ts'
import { NEXT_RUN } from './sqlite-statements.ts'

interface Writing extends StoreFile {
  /** Throws if there is a run of this name. */
  assertNew(id: string): void
  /** Inserts the next events of a run. */
  insert(no: number, drafts: readonly Draft[]): void
  readonly owner: string
}

export function importRun(file: Writing, run: ImportedRun): RunImport {
  const { database, transaction } = file
  const no = transaction(() => {
    file.assertNew(run.id)
    return reserveNumber(file, run)
  })
  let status = 'running'
  return {
    append(drafts) {
      transaction(() => file.insert(no, drafts))
      for (const draft of drafts) status = statusAfter(draft) ?? status
    },
    commit() {
      transaction(() => {
        file.assertNew(run.id)
        database
          .prepare(
            'INSERT INTO runs (no, id, goal, strategy, status, created, fork_of) VALUES (?, ?, ?, ?, ?, ?, ?)',
          )
          .run(no, run.id, JSON.stringify(run.goal), run.strategy, status, run.createdMs, run.forkOf)
        database.prepare('DELETE FROM unlisted WHERE run = ?').run(no)
      })
    },
    abort() {
      transaction(() => database.prepare('UPDATE unlisted SET owner = NULL WHERE run = ?').run(no))
    },
  }
}

function reserveNumber({ database, owner }: Writing, { inbox }: ImportedRun): number {
  const { no } = database.prepare(`SELECT ${NEXT_RUN} AS no`).get() as { no: number }
  database.prepare('UPDATE housekeeping SET last_run = ?').run(no)
  database.prepare('INSERT INTO unlisted (run, owner) VALUES (?, ?)').run(no, owner)
  const send = database.prepare(
    'INSERT INTO inbox (run, path, name, number, value, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  for (const { path, name, number, value } of inbox)
    send.run(no, path, name, number, JSON.stringify(value ?? null), Date.now())
  return no
}
