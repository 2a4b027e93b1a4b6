import { knownSecrets } from '../models/secrets.ts'
import type { Run, StartOptions } from './api.ts'
import { type EngineParts, requireRun } from './parts.ts'
import { listenerOf, runHandle } from './run-handle.ts'

/** Resumes a run that was stopped. */
export async function resumeRun(
  parts: EngineParts,
  id: string,
  { signal, onEvent }: Pick<StartOptions, 'signal' | 'onEvent'> = {},
): Promise<Run> {
  requireRun(parts, id)
  knownSecrets()
  const [start] = parts.store.read(id, 1, 1)
  const workspace = start?.type === 'run-start' ? start.config.workspace : undefined
  const listener = await listenerOf(parts, id, workspace, onEvent)
  return runHandle(parts, await parts.host.resume(id, listener), signal)
}
