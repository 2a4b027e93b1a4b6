/**
 * Which owners are alive. Each process that owns runs holds an exclusive SQLite transaction on its own file next to the
 * store. The system releases it when the process dies and keeps it while the process is only stopped; a pid shows neither.
 */
import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeDatabaseFile } from '../files/private-files.ts'

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
  const database = lock(file)
  if (database === null) return false
  try {
    takeOver()
  } finally {
    database.close()
    rmSync(file, { force: true })
  }
  return true
}

export function isAlive(storePath: string, owner: string): boolean {
  const file = lockFile(storePath, owner)
  if (!existsSync(file)) return false
  const database = lock(file)
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

function lock(file: string): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === 5) return null
    throw error
  }
}
