/** Work that takes a while: says on a terminal how far it is, and stops when it is told to. */

import { type Output, redrawLine } from './output.ts'
import { stoppedText } from './run-words.ts'
import { listenForStop } from './stopping.ts'

export interface LongWork {
  readonly signal: AbortSignal
  /** Says how far it is; without `of`, how much is done. */
  progress(done: number | string, of?: number): void
}

/** The exit code if it was stopped, otherwise what `work` returns. */
export async function longWork(
  out: Output,
  what: string,
  work: (parts: LongWork) => Promise<number>,
): Promise<number> {
  const abort = new AbortController()
  const stopping = listenForStop(out, () => abort.abort(new Error('stopped')))
  const line = progressLine(what)
  try {
    const code = await work({ signal: abort.signal, progress: line.show })
    return stopping.reason()?.code ?? code
  } catch (thrown) {
    const reason = stopping.reason()
    if (reason === null) throw thrown
    line.clear()
    out.remark(`thinkon: ${stoppedText(reason.why)}`)
    return reason.code
  } finally {
    line.clear()
    stopping.release()
  }
}

const EVERY_MS = 100

/** One line on stderr, drawn again and again; nothing where stderr is not a terminal. */
function progressLine(what: string): { show: LongWork['progress']; clear(): void } {
  const { stderr } = process
  let lastMs = performance.now()
  let drawn = false
  return {
    show(done, of) {
      const now = performance.now()
      if (stderr.isTTY !== true || now - lastMs < EVERY_MS) return
      lastMs = now
      drawn = true
      const text = typeof done === 'string' || of === undefined ? `${done}` : `${percent(done, of)} %`
      redrawLine(`${what}: ${text}`)
    },
    clear() {
      if (drawn) redrawLine('')
      drawn = false
    },
  }
}

function percent(done: number, of: number): number {
  return Math.min(99, Math.floor((100 * done) / Math.max(1, of)))
}
