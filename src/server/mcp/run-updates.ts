/** Tells clients that a run, which they have as a resource, has changed; and that there is a new one. */
import type { Service } from '../service.ts'
import { runOfUri } from './run-uri.ts'

export interface RunUpdates {
  /** Calls `changed` when the run behind the URI has changed, until it has ended or the returned function is called. */
  subscribe(uri: string, changed: () => void): () => void
  /** There is a run that was not there before. */
  listChanged(): void
  onListChanged(listener: () => void): () => void
}

/** A run can have hundreds of events in a second; whoever reads it again then has the newest. */
const PAUSE_MS = 250

export function createRunUpdates(service: Service): RunUpdates {
  const listeners = new Set<() => void>()
  return {
    subscribe(uri, changed) {
      const stop = new AbortController()
      const run = runOfUri(uri)
      if (run !== null) void tell(service, run, changed, stop.signal)
      return () => stop.abort()
    },
    listChanged() {
      for (const listener of listeners) listener()
    },
    onListChanged(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

async function tell(service: Service, run: string, changed: () => void, signal: AbortSignal): Promise<void> {
  let isDue = false
  const soon = () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      if (!signal.aborted) changed()
    }, PAUSE_MS)
  }
  try {
    const { seq } = await service.engine.row(run)
    for await (const item of service.follow(run, { from: seq + 1, signal })) if ('seq' in item) soon()
  } catch {
    // It was deleted, or the service is closed: there is nothing left to tell.
  }
}
