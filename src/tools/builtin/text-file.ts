import { toolError } from '../define-tool.ts'
import { type FileVersion, readInside, type WorkspacePath } from '../workspace.ts'

/** The maximum size of a file that is read, and of what an edit makes of it. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024

/**
 * The whole file as text, including a byte-order mark, so that writing it back changes nothing else. Throws if it is too large
 * or not UTF-8.
 */
export async function readTextFile(
  place: WorkspacePath,
  maxBytes = MAX_FILE_BYTES,
): Promise<{ text: string; stats: FileVersion }> {
  const { bytes, stats } = await readInside(place, maxBytes)
  return { text: decodeText(bytes, place.name), stats }
}

function decodeText(bytes: Uint8Array, name: string): string {
  try {
    if (bytes.subarray(0, 8_192).includes(0)) throw new Error('binary')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw toolError(`${name} is not UTF-8 text (${bytes.length} bytes)`, { size: bytes.length })
  }
}
