/** The key that signs the runs of this user. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { onceInState, openState } from '../files/state-folder.ts'
import { ThinkonError } from '../protocol/index.ts'

/** `$THINKON_KEY`, for processes that share runs; or the key of the state folder, which is made once. Throws STORE_IO if it can't be kept. */
export function ownKey(): string {
  const { THINKON_KEY: shared } = process.env
  if (shared) return shared
  const file = join(openState(), 'key')
  const key = onceInState(file, () => `${randomBytes(32).toString('hex')}\n`).trim()
  if (/^[0-9a-f]{64}$/.test(key)) return key
  throw new ThinkonError('STORE_IO', `the file ${file} has no key in it: delete it`, { data: { file } })
}
