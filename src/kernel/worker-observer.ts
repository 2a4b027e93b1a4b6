import type { Event, ModelRetry } from '../protocol/index.ts'

/** Hears of what a worker does; traces and metrics are made of it. Must not throw. */
export interface WorkerObserver {
  /** A run has ended here; `events` reads its journal. Not called if the worker is killed just then. */
  runEnded(run: string, events: () => Promise<Iterable<Event>>): void
  /** An attempt of a model has failed here. */
  retried(retry: ModelRetry): void
}
