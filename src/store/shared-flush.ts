/**
 * Waits for the disk that many runs share. Where several runs of a process write at the same time, each commit is handed to the system, and
 * one flush of the write-ahead log, off the main thread, puts all of them on disk that were made before it began. What comes meanwhile is
 * for the next one.
 *
 * The `-wal` is the one file of a store that other code than SQLite may open and close: SQLite locks the database and the `-shm`, never the
 * `-wal`.
 */
import { type FileHandle, open } from 'node:fs/promises'

export interface SharedFlush {
  /** Resolves when everything that was committed so far is on disk. */
  flush(): Promise<void>
  close(): void
}

export function sharedFlush(file: string): SharedFlush {
  let handle: Promise<FileHandle> | null = null
  let isClosed = false
  let current: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function sync(): Promise<void> {
    // The last flush of a store that was closed meanwhile: closing it has written everything.
    if (isClosed) return
    handle ??= open(file, 'r+')
    await (await handle).sync()
  }

  function begin(): Promise<void> {
    next = null
    current = sync().finally(() => {
      current = null
    })
    return current
  }

  return {
    flush() {
      if (current === null) return begin()
      next ??= current.then(begin, begin)
      return next
    },
    close() {
      isClosed = true
      // It is closed when what is under way has ended. One that could not be opened has failed its flush.
      handle?.then((opened) => opened.close()).catch(() => {})
    },
  }
}
