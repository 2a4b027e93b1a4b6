/** The record in a file of SQLite, for its owner alone. */
import { dirname } from 'node:path'
import { makeDatabaseFile, makeFolders } from '../../files/private-files.ts'
import { DatabaseSync } from '../../files/sqlite.ts'
import type { RecordPlace } from './delivery-record.ts'

export const IN_MEMORY = ':memory:'

export function recordFile(file: string): RecordPlace {
  if (file !== IN_MEMORY) {
    makeFolders(dirname(file))
    makeDatabaseFile(file)
  }
  const database = new DatabaseSync(file)
  // NORMAL: it survives kill -9. After a power cut the last changes are lost together, and are made again from the journals.
  database.exec(
    'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON',
  )
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const statement = (text: string) => {
    const made = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, made)
    return made
  }
  return {
    prefix: '',
    query: async (text, values = []) =>
      statement(text).all(Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value]))),
    close: () => database.close(),
  }
}
