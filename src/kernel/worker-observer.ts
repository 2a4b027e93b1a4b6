import type { Event, ModelRetry } from '../protocol/index.ts'

/** Hears of what a worker does; traces and metrics are made of it. Must not throw. */
export interface WorkerObserver {
  /** A run has ended here; `events` reads its journal. A run whose worker was killed just then may be told of again. */
  runEnded(run: string, events: () => Promise<Iterable<Event>>): void
  /** An attempt of a model has failed here. */
  retried(retry: ModelRetry): void
}
