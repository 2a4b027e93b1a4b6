import { expect, vi } from 'vitest'
import type { Run } from '../../src/engine.ts'

/** Modules are loaded meanwhile. */
export const WAIT = { interval: 1, timeout: 60_000 }

/** What has come of the text, while the run goes on. */
export function followText(run: Run) {
  const pieces: string[] = []
  const done = (async () => {
    for await (const piece of run.text) pieces.push(piece)
    return pieces.join('')
  })()
  done.catch(() => {})
  const see = (text: string) => vi.waitFor(() => expect(pieces.join('')).toBe(text), WAIT)
  return { pieces, done, see, now: () => pieces.join('') }
}
