/**
 * Which owners are alive. Each process that owns runs holds an exclusive SQLite transaction on a lock file of its own beside the store. The
 * system releases it when the process dies, and keeps it while the process is only stopped; a pid shows neither.
 *
 * 1. Lock files are named after the real path of the store, so that links and relative paths lead to the same ones.
 * 2. A lock file that can be locked belongs to a dead owner. While it is locked, the owner is removed from all rows, and only then the
 *    file (`bury`). A process that can't do that when it closes its store leaves its lock file.
 * 3. So a row that names an owner without a lock file is not the work of Thinkon: another program has removed the file, or the folder was
 *    renamed. Then the process decides, whose pid and start time are in the owner's name. Without /proc the pid alone decides, which may
 *    keep a run locked while another process has the pid, and never takes it from a living owner.
 * 4. A lock file that vanishes while a process looks at it is a missing one.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeDatabaseFile } from '../files/private-files.ts'
import { type DatabaseSync, openDatabaseSync } from '../files/sqlite.ts'

/** Longer than a look at a lock takes on a busy machine. */
const LOOKS_LAST_MS = 2000

export interface OwnerLock {
  /** The owner in the rows of the store. It names the lock file, and the process to people. */
  readonly owner: string
  /** `isForgotten`: no row names the owner any more. */
  release(isForgotten: boolean): void
}

export function holdOwnerLock(storePath: string): OwnerLock {
  for (;;) {
    const owner = `${process.pid}-${startOf(process.pid) ?? 0}-${Math.random().toString(36).slice(2, 10)}`
    const file = lockFile(storePath, owner)
    makeDatabaseFile(file)
    const database = lock(file, LOOKS_LAST_MS)
    // Before it was locked, another process may have buried it.
    if (typeof database === 'string' || !existsSync(file)) continue
    return {
      owner,
      release(isForgotten) {
        database.close()
        if (isForgotten) rmSync(file, { force: true })
      },
    }
  }
}

/** Calls `forget`, which removes the owner from all rows, if the owner is dead. Returns false if it is alive. */
export function bury(storePath: string, owner: string, forget: (owner: string) => void): boolean {
  // A living owner is found by one look: only a process that looks at a dead one at the same time is waited for.
  if (isAlive(storePath, owner)) return false
  const file = lockFile(storePath, owner)
  const database = lock(file, LOOKS_LAST_MS)
  if (database === 'held') return false
  try {
    forget(owner)
    rmSync(file, { force: true })
  } finally {
    if (database !== 'missing') database.close()
    rmSync(`${file}-journal`, { force: true })
  }
  return true
}

/** Buries all dead owners that have a lock file. One that can't be buried now is left for later. */
export function buryDead(storePath: string, forget: (owner: string) => void): void {
  const prefix = `${basename(storePath)}.owner-`
  for (const name of readdirSync(dirname(storePath))) {
    if (!name.startsWith(prefix)) continue
    const owner = name.slice(prefix.length).replace(JOURNAL, '')
    try {
      bury(storePath, owner, forget)
    } catch {}
  }
}

/** Looks with a shared lock: many may look at once, and none of them is taken for the owner. */
export function isAlive(storePath: string, owner: string): boolean {
  const database = locked(lockFile(storePath, owner), 'BEGIN; SELECT count(*) FROM sqlite_schema', 0)
  if (database === 'missing') return isRunning(owner)
  if (database === 'held') return true
  database.close()
  return false
}

export function pidOf(owner: string): string {
  return owner.split('-')[0] as string
}

/** Whether the process of the owner is running, as far as the system can say. */
function isRunning(owner: string): boolean {
  const [pid, start] = owner.split('-')
  if (!/^[1-9]\d{0,9}$/.test(pid as string)) return false
  if (startOf(process.pid) !== null) return startOf(Number(pid)) === start
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** When the process was started, in ticks since the system was; null if there is no such process, or no /proc. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program in parentheses, which may contain spaces and parentheses. A dead process that its
    // parent has not waited for is a Z.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

/** Beside the store, whatever characters the owner of a store from elsewhere has. */
function lockFile(storePath: string, owner: string): string {
  return join(dirname(storePath), `${basename(storePath)}.owner-${owner.replace(/[^\w-]/g, '_')}`)
}

function lock(file: string, waitMs: number): DatabaseSync | 'held' | 'missing' {
  return locked(file, 'BEGIN EXCLUSIVE', waitMs)
}

function locked(file: string, statement: string, waitMs: number): DatabaseSync | 'held' | 'missing' {
  const url = pathToFileURL(file)
  // Never made by a look.
  url.searchParams.set('mode', 'rw')
  let database: DatabaseSync | null = null
  try {
    database = openDatabaseSync(url, waitMs)
    database.exec(statement)
    return database
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return 'held'
    if (!existsSync(file)) return 'missing'
    throw error
  }
}

/** What SQLite calls the file that it makes beside a locked one. */
const JOURNAL = /-journal$/
const SQLITE_BUSY = 5
