/**
 * A run that comes from elsewhere, written in several commits. Its number is `unlisted` until the last of them puts the run into the
 * list: nobody sees a part of it, and what a process that died left behind is swept.
 */
import { type Draft, type ImportedRun, type RunImport, statusAfter } from '../kernel/store.ts'
import { runChecksum, signalChecksum } from './checksums.ts'
import type { StoreFile } from './sqlite-runs.ts'
import { NEXT_RUN } from './sqlite-statements.ts'

interface Writing extends StoreFile {
  /** Throws if there is a run of this name. */
  assertNew(id: string): void
  /** Inserts the next events of a run. */
  insert(no: number, drafts: readonly Draft[]): void
  /** Signs the events of the run. */
  sign(no: number): void
  /** Closes the questions whose answers are in the inbox of the run. */
  receive(no: number): void
  readonly owner: string
}

export function importRun(file: Writing, run: ImportedRun): RunImport {
  const { database, transaction } = file
  const no = transaction(() => {
    file.assertNew(run.id)
    return reserveNumber(file, run)
  })
  let status = 'running'
  let events = 0
  return {
    append(drafts) {
      transaction(() => file.insert(no, drafts))
      events += drafts.length
      for (const draft of drafts) status = statusAfter(draft) ?? status
    },
    commit() {
      const { id, strategy, createdMs, forkOf } = run
      const goal = JSON.stringify(run.goal)
      const crc = runChecksum(id, goal, strategy, createdMs, forkOf)
      transaction(() => {
        file.assertNew(id)
        database
          .prepare(
            `INSERT INTO runs (no, id, goal, strategy, status, created, fork_of, least_seq, crc)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(no, id, goal, strategy, status, createdMs, forkOf, events, crc)
        database.prepare('DELETE FROM unlisted WHERE run = ?').run(no)
        file.sign(no)
        file.receive(no)
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
    'INSERT INTO inbox (run, path, name, number, value, at, crc) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const { path, name, number, value } of inbox) {
    const signal = { path, name, number, value: JSON.stringify(value ?? null) }
    send.run(no, path, name, number, signal.value, Date.now(), signalChecksum(no, signal))
  }
  return no
}
