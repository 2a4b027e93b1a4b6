/** A file that people write and that is checked as a whole: a configuration, executors.yaml, a blueprint. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bytesText, ThinkonError } from '../protocol/index.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Its text. Throws BAD_INPUT for what is no file (a pipe and a device may never end) and for one that is far too large; the errors of the
 * system are thrown as they are.
 */
export async function readSmallFile(path: string, maxBytes = MAX_BYTES): Promise<string> {
  // Otherwise opening a pipe waits for somebody who writes.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const about = await handle.stat()
    if (!about.isFile() && !about.isDirectory())
      throw new ThinkonError('BAD_INPUT', `${path} is not read: it is no regular file`, { data: { path } })
    // What it reports as its size may be wrong, or change.
    const bytes = await firstBytes(handle, maxBytes + 1)
    if (bytes.length <= maxBytes) return bytes.toString('utf8')
    const size = bytesText(Math.max(about.size, bytes.length))
    const message = `${path} is not read: it has ${size}, and the most is ${bytesText(maxBytes)}`
    throw new ThinkonError('BAD_INPUT', message, { data: { path, maxBytes } })
  } finally {
    await handle.close()
  }
}

async function firstBytes(handle: FileHandle, count: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let left = count; left > 0; ) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

const CHUNK = 64 * 1024
