/**
 * Opens a store that can't be written to. What was written last may be in its WAL alone, which SQLite reads only if the file
 * `-shm` is there too, or can be made. If not, a copy is read; if there can't be one, a warning says what is missing.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tightenDatabase } from '../files/private-files.ts'
import { DatabaseSync } from '../files/sqlite.ts'
import { errorText } from '../protocol/index.ts'

/** `checked` reads from the database, and throws if it is not a store. */
export function openToRead(path: string, checked: (database: DatabaseSync) => DatabaseSync): DatabaseSync {
  try {
    return checked(new DatabaseSync(path, { readOnly: true }))
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error
  }
  if (sizeOf(`${path}-wal`) > 0) {
    try {
      const database = checked(openCopy(path))
      database.exec('PRAGMA query_only = ON')
      return database
    } catch (error) {
      process.emitWarning(
        `the store ${path} is shown without what was written to it last: ${path}-wal can't be read from a read-only disk, nor copied to ${tmpdir()} (${errorText(error)})`,
        { type: 'ThinkonWarning', code: 'STORE_PARTLY_SEEN' },
      )
    }
  }
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return checked(new DatabaseSync(url, { readOnly: true }))
}

/** The store as it is now. */
function openCopy(path: string): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-read-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const copy = join(folder, 'store')
    // In another process: if this one closed these files, it would lose the locks of its other connections to the store.
    execFileSync(process.execPath, ['-e', COPY, path, copy], { stdio: ['ignore', 'ignore', 'pipe'] })
    tightenDatabase(copy)
    return new DatabaseSync(copy)
  } catch (error) {
    remove()
    process.off('exit', remove)
    throw error
  }
}

const COPY = `const { constants, copyFileSync } = require('node:fs')
const [, path, copy] = process.argv
for (const end of ['', '-wal']) copyFileSync(path + end, copy + end, constants.COPYFILE_FICLONE)`

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
