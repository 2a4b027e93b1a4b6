/**
 * Opens files to read that may be any file of the user: of a workspace, named in a configuration, an option or a request. Files of open
 * databases are refused (open-databases.ts). Checks and system calls happen in one turn, so that no database is opened between them.
 */
import {
  type BigIntStats,
  constants,
  fstatSync,
  openSync,
  read as readCallback,
  readSync,
  statSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { closeDescriptor, isOpenDatabase } from './open-databases.ts'

const CHUNK_BYTES = 256 * 1024

export interface OpenFile {
  readonly descriptor: number
  /** When it was opened. */
  readonly stats: BigIntStats
  /** Reads from the current position; returns the number of bytes, 0 at the end. */
  read(buffer: Uint8Array): Promise<number>
  close(): void
}

/** Throws EBUSY for a file of an open database. A pipe is opened without waiting for a writer. */
export function openFile(path: string, flags = 0): OpenFile {
  const descriptor = openUnlessDatabase(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  let isOpen = true
  return {
    descriptor,
    stats: fstatSync(descriptor, { bigint: true }),
    read: async (buffer) => (await readAsync(descriptor, buffer, 0, buffer.length, null)).bytesRead,
    close() {
      if (isOpen) closeDescriptor(descriptor)
      isOpen = false
    },
  }
}

/** At most `maxBytes` from the start of a file; the size that the system reports may be wrong, or change. */
export async function readAtMost(file: OpenFile, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let left = maxBytes; left > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES))
    const bytesRead = await file.read(chunk)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

/** The whole file, or its start. Throws errors of the system, and EBUSY for a file of an open database. */
export function readFileBytes(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const descriptor = openUnlessDatabase(path, constants.O_RDONLY)
  try {
    const chunks: Buffer[] = []
    for (let left = maxBytes; left > 0; ) {
      const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES))
      const bytesRead = readSync(descriptor, chunk, 0, chunk.length, null)
      if (bytesRead === 0) break
      chunks.push(chunk.subarray(0, bytesRead))
      left -= bytesRead
    }
    return Buffer.concat(chunks)
  } finally {
    closeDescriptor(descriptor)
  }
}

export function readFileText(path: string): string {
  return readFileBytes(path).toString('utf8')
}

/** The chunks of a file, for files of any size. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  const file = openFile(path)
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const bytesRead = await file.read(chunk)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    file.close()
  }
}

const readAsync = promisify(readCallback) as (
  descriptor: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: null,
) => Promise<{ bytesRead: number }>

function openUnlessDatabase(path: string, flags: number): number {
  const known = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (known !== undefined && isOpenDatabase(known)) throw databaseError(path)
  const descriptor = openSync(path, flags)
  // It was renamed to this path in between.
  if (!isOpenDatabase(fstatSync(descriptor, { bigint: true }))) return descriptor
  closeDescriptor(descriptor)
  throw databaseError(path)
}

function databaseError(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EBUSY: ${path} is a file of a database that this process has open`), {
    code: 'EBUSY',
    path,
  })
}
