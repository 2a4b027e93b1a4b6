import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { toolError } from '../define-tool.ts'
import { openInside, type WorkspacePath } from '../workspace.ts'

/** The maximum size of a file that is read. */
const MAX_FILE_BYTES = 10 * 1024 * 1024

/**
 * The whole file as text, including a byte-order mark, so that writing it back changes nothing else. Throws if it is too large
 * or not UTF-8.
 */
export async function readTextFile(
  place: WorkspacePath,
  maxBytes = MAX_FILE_BYTES,
): Promise<{ text: string; stats: Stats }> {
  const { handle, stats } = await openInside(place)
  try {
    if (stats.size > maxBytes) throw tooLarge(place, stats.size, maxBytes)
    const bytes = await readAtMost(handle, maxBytes + 1)
    if (bytes.length > maxBytes) throw tooLarge(place, bytes.length, maxBytes)
    return { text: decodeText(bytes, place.name), stats }
  } finally {
    await handle.close()
  }
}

function decodeText(bytes: Uint8Array, name: string): string {
  try {
    if (bytes.subarray(0, 8_192).includes(0)) throw new Error('binary')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw toolError(`${name} is not UTF-8 text (${bytes.length} bytes)`, { size: bytes.length })
  }
}

/** The size may have changed since it was checked, and files in /proc have none. */
async function readAtMost(handle: FileHandle, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(1 << 18, limit - total))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) return Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, bytesRead))
    total += bytesRead
    if (total >= limit) return Buffer.concat(chunks)
  }
}

function tooLarge(place: WorkspacePath, size: number, maxBytes: number): Error {
  return toolError(`${place.name} has ${size} bytes, more than the limit of ${maxBytes}`, { size, maxBytes })
}
