import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, ThinkonError } from '../../protocol/index.ts'

/** What a store that can't be reached for a while throws. */
const MOMENTARY: ReadonlySet<ErrorCode> = new Set(['STORE_BUSY', 'STORE_IO'])
const AGAIN_MS = 200
const PATIENCE_MS = 20_000

/** Repeats what may be repeated while the store can't be reached: a database that is started again is worth waiting for. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const endMs = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (thrown) {
      const isMomentary = ThinkonError.isInstance(thrown) && MOMENTARY.has(thrown.code)
      if (!isMomentary || Date.now() > endMs) throw thrown
    }
    await pause(AGAIN_MS)
  }
}
