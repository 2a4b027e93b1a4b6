/** The id by which a client knows a call of its tool: it says which run waits, and for what, so that nothing else need be remembered. */
import { isPath } from '../../protocol/index.ts'
import type { CallKey } from '../../views/caller-calls.ts'

export interface CallPlace extends CallKey {
  readonly run: string
}

/** Of letters, digits, _ and -, as all clients take it, if the run's id is. */
export function callId(run: string, { path, signal }: CallKey): string {
  return `call_${run}_${path.replaceAll('#', 'r')}_${signal.replace(SIGNAL, '')}`
}

/** Null if it is not the id of such a call. */
export function readCallId(id: string): CallPlace | null {
  const [, run = '', place = '', number = ''] = /^call_(.+)_([\dr-]+)_(\d{1,9})$/.exec(id) ?? []
  const path = place.replaceAll('r', '#')
  return isPath(path) ? { run, path, signal: `${SIGNAL}${number}` } : null
}

const SIGNAL = 'result-'
