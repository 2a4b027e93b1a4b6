import { type ErrorCode, ThinkonError } from '../protocol/index.ts'
import { DamagedEvent, damagedRun, isDamage } from './damage.ts'

/** SQLite's primary result codes, and what each means to a user. */
const MEANINGS: Record<number, [ErrorCode, (path: string, cause: string) => string]> = {
  5: [
    'STORE_BUSY',
    (path) => `the store ${path} is locked by another program: try again when that has ended, or close it`,
  ],
  8: [
    'STORE_READ_ONLY',
    (path) => `the store ${path} can't be written to: make it writable, or choose another with --store`,
  ],
  10: [
    'STORE_IO',
    (path, cause) =>
      `the store ${path} can't be read or written (${cause}): check that its disk is mounted and healthy; thinkon resume continues a run`,
  ],
  11: [
    'STORE_CORRUPT',
    (path) => `the store ${path} is damaged: restore it from a backup, or choose another with --store`,
  ],
  13: [
    'STORE_FULL',
    (path) =>
      `the disk of the store ${path} is full: free some space and try again; thinkon resume continues a run`,
  ],
  14: [
    'STORE_IO',
    (path, cause) =>
      `the store ${path} can't be opened (${cause}): check that its folder exists and is writable`,
  ],
  26: ['STORE_CORRUPT', (path) => `${path} is not a Thinkon store: choose another with --store`],
}

const failed = (path: string, cause: string) =>
  `the store ${path} failed (${cause}): thinkon doctor tries a store with this Node; if it finds nothing, report this message`

function causeOf(thrown: unknown, code: number): string {
  const { errstr, message } = thrown as { errstr?: unknown; message?: unknown }
  return `${message ?? errstr ?? 'no message'}, SQLite ${code}`
}

/** What SQLite threw, as one of our errors. In every case the journal is as of the last commit. */
export function storeError(thrown: unknown, path: string): unknown {
  if (ThinkonError.isInstance(thrown)) return thrown
  const code = (thrown as { errcode?: number } | null)?.errcode
  if (code === undefined) return thrown
  const [known, message] = MEANINGS[code & 0xff] ?? ['STORE_IO', failed]
  return new ThinkonError(known, message(path, causeOf(thrown, code)), {
    cause: thrown,
    data: { store: path, sqlite: code },
  })
}

/** What reading a row threw. */
export function readError(thrown: unknown, path: string): unknown {
  if (thrown instanceof DamagedEvent) return damagedRun(thrown, path, `the store ${path}`)
  return storeError(isDamage(thrown) ? { errcode: SQLITE_CORRUPT, cause: thrown } : thrown, path)
}

const SQLITE_CORRUPT = 11

/** Calls `action`, which reads rows, and turns what it throws into our errors. */
export function withReadErrors<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (thrown) {
    throw readError(thrown, path)
  }
}

/** Calls `action` and turns what it throws into our errors. */
export function withStoreErrors<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (thrown) {
    throw storeError(thrown, path)
  }
}
