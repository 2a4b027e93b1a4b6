/**
 * Copies the WAL into the database file, and marks the file so that the loss of its WAL is noticed: SQLite opens a file without its `-wal`
 * as it was at the last checkpoint, silently.
 *
 * 1. A checkpoint copies the whole WAL (a large one under a separate mark), commits a mark, copies the mark, and commits that there is none. So the file has a mark, and its
 *    WAL takes it back.
 * 2. Any other checkpoint of the whole WAL, such as that of the last connection that is closed, copies what takes the mark back: then the
 *    file lacks nothing.
 * 3. A mark that is read was not taken back: the file is without its WAL, or a process is between the last two steps, or died there. In
 *    the last two cases the WAL has valid frames: a second connection reads meanwhile, which keeps SQLite from beginning the WAL anew.
 * 4. A process checkpoints before its first commit, and then every CHECKPOINT_PAGES. Readers can keep the mark out of the file; it is
 *    tried again soon.
 */
import { realpathSync, statSync } from 'node:fs'
import { type DatabaseSync, openDatabaseSync } from '../files/sqlite.ts'
import { ThinkonError } from '../protocol/index.ts'
import { withStoreErrors } from './sqlite-errors.ts'

/** Of the WAL, before it is copied into the file: 16 MB. */
const CHECKPOINT_PAGES = 4_000
/** Until the next attempt, when a reader was in the way. */
const RETRY_PAGES = 200
/** SQLite checkpoints automatically only if our estimate is far too low: such a checkpoint removes the mark. */
const SQLITE_PAGES = 4 * CHECKPOINT_PAGES
const PAGE_CHARS = 2_000
const PAGES_PER_COMMIT = 2
/** In bytes. A smaller one is copied at once. */
const LARGE_WAL = 1_000_000
/** Another process may be checkpointing. */
const BUSY_MS = 2_000
const LOOK_MS = 20

export class Checkpoints {
  private readonly database: DatabaseSync
  private readonly place: string
  private readonly mark: Statement
  private readonly unmark: Statement
  /** About how many pages were written since the last one. */
  private pages = CHECKPOINT_PAGES
  /** Committed by this connection, and not taken back: that has failed. */
  private left: string | null = null

  /** `place`: the path of the database. */
  constructor(database: DatabaseSync, place: string) {
    this.database = database
    this.place = place
    database.exec(`PRAGMA wal_autocheckpoint = ${SQLITE_PAGES}`)
    this.mark = database.prepare('UPDATE housekeeping SET mark = ?')
    this.unmark = database.prepare(UNMARK)
  }

  get isDue(): boolean {
    return this.pages >= CHECKPOINT_PAGES
  }

  /** To be called after each commit. */
  count(chars: number): void {
    this.pages += PAGES_PER_COMMIT + chars / PAGE_CHARS
  }

  /** Outside a transaction. */
  run(): void {
    // While much is copied, the file has a mark.
    if (walSize(this.place) > LARGE_WAL) this.copyWithMark()
    copyWal(this.database)
    this.copyWithMark()
  }

  private copyWithMark(): void {
    const reader = openDatabaseSync(this.place, BUSY_MS)
    try {
      const mark = Math.random().toString(36).slice(2)
      this.mark.run(mark)
      this.left = mark
      reader.exec('BEGIN')
      markIn(reader)
      const isWhole = copyWal(this.database)
      const { changes } = this.unmark.run(mark)
      this.left = null
      // None if another process has marked the file, or taken our mark back, meanwhile.
      this.pages = isWhole && Number(changes) === 1 ? 0 : CHECKPOINT_PAGES - RETRY_PAGES
    } finally {
      reader.close()
    }
  }

  /** Before the connection is closed, which may copy the WAL. */
  end(): void {
    try {
      if (this.left !== null) this.unmark.run(this.left)
    } catch {}
  }
}

/** Throws STORE_WAL_MISSING if the database was separated from its WAL. Takes back the mark of a process that died. */
export function requireWal(database: DatabaseSync, path: string): void {
  for (const endMs = performance.now() + BUSY_MS; performance.now() < endMs; ) {
    const mark = markIn(database)
    if (mark === null) return
    const frames = framesOf(database, path)
    if (frames === 0 && markIn(database) === mark) throw walMissing(path)
    if (frames !== null) {
      takeBack(database, mark)
      return
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
  }
}

/**
 * Takes a store that was refused by STORE_WAL_MISSING as it is. Returns false if its WAL is back. Throws STORE_CORRUPT if the file is
 * damaged, and STORE_BUSY while another process has it open, which may still have the WAL.
 */
export function acceptLoss(path: string): boolean {
  return withStoreErrors(path, () => takeAsItIs(path))
}

function takeAsItIs(path: string): boolean {
  const database = openDatabaseSync(path, BUSY_MS)
  try {
    if (framesOf(database, path) !== 0) return false
    // No other connection can be open in this mode.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE')
    const [problem] = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})
    if (problem !== 'ok') {
      const message = `the store ${path} can't be used without its -wal (${problem}): restore it from a backup`
      throw new ThinkonError('STORE_CORRUPT', message, { data: { store: path } })
    }
    database.exec('UPDATE housekeeping SET mark = NULL; COMMIT')
    return true
  } finally {
    database.close()
  }
}

type Statement = ReturnType<DatabaseSync['prepare']>

const UNMARK = 'UPDATE housekeeping SET mark = NULL WHERE mark = ?'

function markIn(database: DatabaseSync): string | null {
  const row = database.prepare('SELECT mark FROM housekeeping').get() as { mark: string | null } | undefined
  return row?.mark ?? null
}

/** Whether all of it was copied. A failed write is tried again with the next checkpoint. */
function copyWal(database: DatabaseSync): boolean {
  try {
    const { busy, log, checkpointed } = checkpoint(database)
    return busy === 0 && log === checkpointed
  } catch {
    return false
  }
}

/** Zero if the WAL has no valid frame; null while another process checkpoints. */
function framesOf(database: DatabaseSync, path: string): number | null {
  try {
    const { busy, log } = checkpoint(database)
    if (busy !== 0) return null
    if (log >= 0) return log
  } catch {}
  // It can only be read, and SQLite does not say.
  return walSize(path)
}

function checkpoint(database: DatabaseSync): { busy: number; log: number; checkpointed: number } {
  return database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as never
}

function takeBack(database: DatabaseSync, mark: string): void {
  try {
    database.prepare(UNMARK).run(mark)
  } catch {}
}

/** SQLite resolves links. */
function walOf(path: string): string {
  return `${realpathSync(path)}-wal`
}

function walSize(path: string): number {
  return statSync(walOf(path), { throwIfNoEntry: false })?.size ?? 0
}

function walMissing(path: string): ThinkonError {
  const wal = walOf(path)
  const message = `the store ${path} is without ${wal}, which has what was written to it last, up to whole runs: put that file back beside it, or restore a backup; thinkon doctor --store ${path} --accept-loss goes on without`
  return new ThinkonError('STORE_WAL_MISSING', message, { data: { store: path, wal } })
}
