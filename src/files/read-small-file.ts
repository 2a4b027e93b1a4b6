/** A file that people write and that is checked as a whole: a configuration, executors.yaml, a blueprint. */
import { bytesText, ThinkonError } from '../protocol/index.ts'
import { openFile, readAtMost } from './open-file.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Its text. Throws BAD_INPUT for anything but a regular file (a pipe and a device may never end) and for one that is too large; errors of
 * the system are thrown unchanged.
 */
export async function readSmallFile(path: string, maxBytes = MAX_BYTES): Promise<string> {
  const file = openFile(path)
  try {
    if (!file.stats.isFile() && !file.stats.isDirectory())
      throw new ThinkonError('BAD_INPUT', `${path} is not read: it is no regular file`, { data: { path } })
    const bytes = await readAtMost(file, maxBytes + 1)
    if (bytes.length <= maxBytes) return bytes.toString('utf8')
    const size = bytesText(Math.max(Number(file.stats.size), bytes.length))
    const message = `${path} is not read: it has ${size}, and the most is ${bytesText(maxBytes)}`
    throw new ThinkonError('BAD_INPUT', message, { data: { path, maxBytes } })
  } finally {
    file.close()
  }
}
