/** Whether this Node and this file system can keep runs: a run in a new store is written, closed and read again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, solve } from '../../engine.ts'
import { errorText, ThinkonError } from '../../protocol/index.ts'

const MODEL = 'embedded:abacus'

/** Null if all is well, otherwise the message of the error with its cause. Everything it made in the folder is removed. */
export async function tryStore(folder: string): Promise<string | null> {
  let own: string | undefined
  try {
    own = mkdtempSync(join(folder, '.thinkon-doctor-'))
    const store = join(own, 'runs.db')
    const { run, status, reason = status } = await solve('3 + 4', { model: MODEL, store })
    if (status !== 'completed') return reason
    const engine = createEngine({ model: MODEL, store })
    try {
      const { outcome } = await engine.state(run)
      return outcome?.status === 'completed' ? null : 'the run that was written could not be read'
    } finally {
      await engine.close()
    }
  } catch (thrown) {
    const cause =
      ThinkonError.isInstance(thrown) && thrown.cause !== undefined ? `: ${errorText(thrown.cause)}` : ''
    return `${errorText(thrown)}${cause}`
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true })
  }
}
