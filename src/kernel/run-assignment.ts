/**
 * The interface of a store whose runs several processes execute. Each run is executed by one process as a whole; a run that only waits is
 * a row, which no process holds.
 *
 * 1. A run is due from its wake time on, or as soon as a signal for it was written, unless a process owns it.
 * 2. `rest` and signals are serialised: a signal is either found by the process that would rest the run, or it makes the run due.
 * 3. The runs of a dead process are due as soon as `reclaim` finds that out.
 */
import type { ErrorData } from '../protocol/index.ts'
import type { AsyncStore, Draft, NewRun } from './store.ts'

/** A run that no process owns and that should be executed now. */
export interface DueRun {
  readonly id: string
  /** The needs of its open blocks, such as `fractal@5`. */
  readonly needs: readonly string[]
  /** The kind of a living worker that has all of it; null if there is none. */
  readonly kind: string | null
}

/** `rests`: it has no owner, and waits for a signal or a time. */
export type Standing = 'ended' | 'owned' | 'due' | 'rests' | 'waits-for-model'

/** The parts that a worker has, for other processes. */
export interface WorkerOffer {
  /** Strategies with their versions, and the version of the configuration. */
  readonly has: readonly string[]
  /** Workers of one kind have the same. */
  readonly kind: string
  /** Every run that it owns from now on needs this as well. */
  readonly version?: string
}

export interface AssignableStore extends AsyncStore {
  watch(run: string | null, changed: () => void): () => void
  /** A new run without an owner, due at `wakeMs`. False if there is one with this id. */
  offer(run: NewRun, first: Draft, wakeMs: number): Promise<boolean>
  /** The run, which may be one that a local host has worked on, is executed by workers from now on, and due unless a process owns it. */
  wake(run: string): Promise<void>
  /**
   * The owner gives the run up until `wakeMs`, or until a signal comes. `needs`: of its open blocks. False, and nothing is changed, if a
   * signal has come that `pending` did not return, or if the run is no longer owned.
   */
  rest(run: string, epoch: number, wakeMs: number | null, needs: readonly string[]): Promise<boolean>
  /** The owner gives the run up; it is due at `wakeMs`. `problem`: why the owner could not execute it. */
  handOver(run: string, epoch: number, wakeMs: number, problem?: ErrorData): Promise<void>
  /** Why the last process that tried could not execute the run; null if it could, or was asked to try again. */
  problem(run: string): Promise<ErrorData | null>
  standing(run: string): Promise<Standing>
  /** Declares this process a worker; returns its name, which no other process has. */
  serve(offer: WorkerOffer): Promise<string>
  /** This process is no longer a worker; it still owns what it owns. */
  retire(): Promise<void>
  /** Due runs without a recent notification: the caller passes them on. At most `limit`. */
  claimDue(limit: number): Promise<DueRun[]>
  /** Makes the runs of dead processes due; returns the names of workers among them. */
  reclaim(): Promise<string[]>
  /** Performs the action while no other process performs one so. */
  alone<T>(action: () => Promise<T>): Promise<T>
  /** Calls back when a run has become due; sometimes without a reason, and not always. */
  onDue(called: () => void): () => void
}

export function isAssignable(store: object): store is AssignableStore {
  return 'claimDue' in store
}
