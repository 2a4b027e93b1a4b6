/**
 * A copy of a store as of one moment, while processes write to it: SQLite copies it within one read transaction, which nothing waits for.
 * The copy has no owners: its runs can be resumed wherever it is.
 */
import { existsSync, rmSync } from 'node:fs'
import { makeDatabaseFile } from '../files/private-files.ts'
import { openDatabaseSync } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/index.ts'
import { withStoreErrors } from './sqlite-errors.ts'
import { BUSY_TIMEOUT_MS } from './sqlite-open.ts'

/** `place`: the real path of the store. Throws BAD_INPUT if there is a file already; leaves none if it fails. */
export function backUpStore(place: string, file: string): void {
  if (existsSync(file)) {
    const message = `there is a file ${file} already: name another for the backup, or remove it first`
    throw new ThinkonError('BAD_INPUT', message, { data: { file } })
  }
  withStoreErrors(file, () => {
    makeDatabaseFile(file)
    try {
      copy(place, file)
      forgetOwners(file)
    } catch (thrown) {
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(file + end, { force: true })
      throw thrown
    }
  })
}

/** On a connection of its own: one that is reading events can't copy. */
function copy(place: string, file: string): void {
  const source = openDatabaseSync(place, BUSY_TIMEOUT_MS)
  try {
    source.prepare('VACUUM INTO ?').run(file)
  } finally {
    source.close()
  }
}

function forgetOwners(file: string): void {
  const database = openDatabaseSync(file, BUSY_TIMEOUT_MS)
  try {
    for (const table of ['runs', 'unlisted']) database.exec(`UPDATE ${table} SET owner = NULL`)
    database.exec('UPDATE housekeeping SET mark = NULL; PRAGMA journal_mode = WAL')
  } finally {
    database.close()
  }
}
