/** The token of a service on this machine: made once, kept beside the store, so that pages and streams outlive a restart. */
import { randomBytes } from 'node:crypto'
import { textOf } from '../../files/look.ts'
import { createFile, tightenFile } from '../../files/private-files.ts'
import { errorText, ThinkonError } from '../../protocol/index.ts'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Throws STORE_IO if it can't be kept. */
export function tokenIn(file: string): string {
  return readToken(file) ?? makeToken(file)
}

function readToken(file: string): string | null {
  tightenFile(file)
  const token = textOf(file).trim()
  return TOKEN.test(token) ? token : null
}

/** Of two processes that make one, the first wins. */
function makeToken(file: string): string {
  let why: unknown
  try {
    createFile(file, `${randomBytes(32).toString('base64url')}\n`)
  } catch (thrown) {
    why = thrown
  }
  const token = readToken(file)
  if (token !== null) return token
  throw new ThinkonError(
    'STORE_IO',
    `the file ${file} has no token in it, and can't be made: ${why === undefined ? 'delete it' : errorText(why)}`,
    { data: { file } },
  )
}
