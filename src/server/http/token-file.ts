/** The token of a service on this machine: made once and kept in the state folder, so that clients can use it again after a restart. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { onceInState, openState } from '../../files/state-folder.ts'
import { ThinkonError } from '../../protocol/index.ts'

export interface KeptToken {
  readonly token: string
  readonly file: string
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Throws STORE_IO if it can't be kept. */
export function tokenIn(folder: string): KeptToken {
  const file = join(openState(folder), 'token')
  const token = onceInState(file, () => `${newToken()}\n`).trim()
  if (TOKEN.test(token)) return { token, file }
  throw new ThinkonError('STORE_IO', `the file ${file} has no token in it: delete it`, { data: { file } })
}

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}
