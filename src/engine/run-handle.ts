/** A run as its caller sees it: its outcome, its events, and what can be sent to it. */
import { dirname, resolve } from 'node:path'
import { foldOpen } from '../hosts/local/outline.ts'
import type { Listener, RunHandle } from '../kernel/durable.ts'
import { redactDeep } from '../models/secrets.ts'
import { type Event, errorText, isInside } from '../protocol/index.ts'
import { viewsOf } from '../strategies/registry.ts'
import type { Run } from './api.ts'
import { eventStream } from './event-stream.ts'
import { type EngineParts, openStateOf } from './parts.ts'

/** `signal` cancels the run when it is aborted. */
export function runHandle(parts: EngineParts, run: RunHandle, signal: AbortSignal | undefined): Run {
  const { host, store } = parts
  const cancel = async (reason = 'cancelled by the caller') => {
    if (host.running(run.id)) await host.cancel(run.id, redactDeep(reason))
  }
  if (signal) {
    // Stop means stop (K7), also if the store can't take the cancel.
    const stop = (reason: string) => cancel(reason).catch((error) => host.running(run.id)?.fail(error))
    cancelOnAbort(run, signal, stop)
  }
  const outcome = run.outcome.then((ended) => ({ ...ended, roles: run.roles, run: run.id }))
  // Whoever awaits the outcome gets the error; a run that nobody awaits must not end the process.
  outcome.catch(() => {})
  return {
    id: run.id,
    outcome,
    events: { [Symbol.asyncIterator]: () => eventStream(store, run.id, host.running(run.id)) },
    signal: (path, name, value) => sendSignal(parts, run.id, path, name, value),
    cancel,
  }
}

/** A message to a block is also sent to the running blocks below it, where the work is done. */
export async function sendSignal(
  parts: EngineParts,
  id: string,
  path: string,
  name: string,
  given: unknown,
): Promise<void> {
  const value = redactDeep(given)
  await parts.host.signal(id, path, name, value)
  if (name !== 'message') return
  for (const block of openStateOf(parts, id).blocks.values()) {
    if (block.outcome === null && block.path !== path && isInside(block.path, path))
      await parts.host.signal(id, block.path, name, value)
  }
}

/** The caller's listener and, if the run has a workspace, the files that views keep there and beside the store. */
export async function listenerOf(
  { store, strategies, options }: EngineParts,
  id: string,
  workspace: string | undefined,
  onEvent: Listener | undefined,
): Promise<Listener | undefined> {
  if (workspace === undefined) return onEvent
  const { runFiles } = await import('./run-files.ts')
  const inFile = typeof options.store === 'string' && options.store !== ':memory:'
  const source = {
    workspace,
    ...(inFile && { storeFolder: dirname(resolve(options.store as string)) }),
    events: () => store.read(id),
    openEvents: (follow: (event: Event) => void) => void foldOpen(store, id, follow),
  }
  const files = runFiles(source, await viewsOf(strategies))
  return (event) => {
    const written = files(event)
    if (written.length === 0) return onEvent?.(event)
    // A listener may return a promise, whose failure the host reports.
    return Promise.all([event, ...written].map((told) => onEvent?.(told)))
  }
}

function cancelOnAbort(
  run: RunHandle,
  signal: AbortSignal,
  cancel: (reason: string) => Promise<unknown>,
): void {
  const onAbort = () => void cancel(errorText(signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const forget = () => signal.removeEventListener('abort', onAbort)
  run.outcome.then(forget, forget)
}
