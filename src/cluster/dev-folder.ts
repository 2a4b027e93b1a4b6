/** The folder of a cluster on this machine, which one process uses at a time. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDatabaseFile, makeFolders, replaceFile } from '../files/private-files.ts'
import { DatabaseSync } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/errors.ts'

const BUSY = 5

/** Held by this process until it ends, however that happens. Throws BAD_INPUT if another one holds it. */
export function holdFolder(folder: string): () => void {
  makeFolders(folder)
  const file = join(folder, 'lock')
  const pidFile = join(folder, 'pid')
  makeDatabaseFile(file)
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
    const pid = read(pidFile)
    throw new ThinkonError(
      'BAD_INPUT',
      `a cluster runs in ${folder} already${pid ? ` (process ${pid})` : ''}: use it, or end it with Ctrl-C`,
      { data: { folder } },
    )
  }
  replaceFile(pidFile, `${process.pid}\n`)
  return () => database.close()
}

export const MOST_WORKERS = 14

/**
 * Where PostgreSQL keeps its data. As root it runs as another user, who may not enter what is root's alone: then it is outside of the
 * folder.
 */
export function postgresFolder(folder: string): string {
  if (process.getuid?.() !== 0) return join(folder, 'postgres')
  const outside = '/var/lib/thinkon'
  mkdirSync(outside, { recursive: true, mode: 0o711 })
  return join(outside, createHash('sha256').update(folder).digest('hex').slice(0, 12))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
