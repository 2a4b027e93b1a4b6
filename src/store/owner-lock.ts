/**
 * Which owners are alive. Each process that owns runs holds an exclusive SQLite transaction on its own file next to the
 * store. The system releases it when the process dies and keeps it while the process is only stopped; a pid shows neither.
 */
import { existsSync, rmSync } from 'node:fs'
import { makeDatabaseFile } from '../files/private-files.ts'
import { type DatabaseSync, openDatabaseSync } from '../files/sqlite.ts'

/** Longer than a look at a lock takes on a busy machine. */
const LOOKS_LAST_MS = 2000

export interface OwnerLock {
  /** What the store records as the owner: names the file, and the process for people. */
  readonly owner: string
  release(): void
}

export function holdOwnerLock(storePath: string): OwnerLock {
  const owner = `${process.pid}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`
  const file = lockFile(storePath, owner)
  makeDatabaseFile(file)
  const database = lock(file)
  if (database === null) throw new Error(`the lock file ${file} is taken`)
  return {
    owner,
    release() {
      database.close()
      rmSync(file, { force: true })
    },
  }
}

/** Locks a dead owner's file while `takeOver` runs; returns false and does nothing if the owner is alive. */
export function whileDead(storePath: string, owner: string, takeOver: () => void): boolean {
  const file = lockFile(storePath, owner)
  if (!existsSync(file)) {
    takeOver()
    return true
  }
  // A living owner is told from one look: only who looks at a dead one at the same time is waited for.
  const database = isAlive(storePath, owner) ? null : lock(file, LOOKS_LAST_MS)
  if (database === null) return false
  try {
    takeOver()
  } finally {
    database.close()
    rmSync(file, { force: true })
  }
  return true
}

/** Looks with a shared lock: many may look at once, and none of them is taken for the owner. */
export function isAlive(storePath: string, owner: string): boolean {
  const file = lockFile(storePath, owner)
  if (!existsSync(file)) return false
  const database = locked(file, 'BEGIN; SELECT count(*) FROM sqlite_schema', 0)
  database?.close()
  return database === null
}

export function pidOf(owner: string): string {
  return owner.split('-')[0] as string
}

/** Beside the store, whatever a store that came from elsewhere has as an owner. */
function lockFile(storePath: string, owner: string): string {
  return `${storePath}.owner-${owner.replace(/[^\w-]/g, '_')}`
}

function lock(file: string, waitMs = 0): DatabaseSync | null {
  return locked(file, 'BEGIN EXCLUSIVE', waitMs)
}

function locked(file: string, statement: string, waitMs: number): DatabaseSync | null {
  const database = openDatabaseSync(file, waitMs)
  try {
    database.exec(statement)
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw error
  }
}
