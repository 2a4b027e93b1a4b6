/**
 * The ids of a run's spans. They follow from the run, the path and the operation's number alone, so that a process that dies, one that
 * resumes the run and one that reads its journal years later all speak of the same spans.
 */
import { createHash } from 'node:crypto'

/** 32 hexadecimal digits. */
export function traceIdOf(run: string): string {
  return digest(['trace', run]).slice(0, 32)
}

/** 16 hexadecimal digits. Without a path it is the run's span; without a number the block's; otherwise the step's. */
export function spanIdOf(run: string, path = '', n?: number): string {
  return digest(['span', run, path, n ?? '']).slice(0, 16)
}

function digest(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
