/**
 * A worker: a process that takes due runs and executes each as a whole.
 *
 * 1. Any worker passes due runs on to the engine that assigns them (the assigner), and finds the runs of workers that died.
 * 2. It takes an assigned run only while it has room, and never one that it has not all parts for.
 * 3. Drained, it takes nothing more and hands its runs over: those without a call under way at once, the others as soon as their calls have
 *    ended, and all of them when the time is up.
 */
import type { RunHandle } from '../../kernel/durable.ts'
import type { AssignableStore, WorkerOffer } from '../../kernel/run-assignment.ts'
import { isBusy } from '../../kernel/when-free.ts'
import type { WorkerObserver } from '../../kernel/worker-observer.ts'
import { errorData, errorText, ThinkonError } from '../../protocol/index.ts'
import type { LocalHost } from '../local/host.ts'
import { LeftRun } from '../local/leaving.ts'
import type { Assigner, OpenAssigner } from './assigner.ts'
import { broadcast } from './broadcast.ts'
import { Capacity, type CapacityOptions } from './capacity.ts'
import { DueRuns } from './due-runs.ts'

export interface WorkerOptions {
  readonly store: AssignableStore
  /** On the same store; its runs may leave. */
  readonly host: LocalHost
  readonly offer: WorkerOffer
  /** The connection string of the store. */
  readonly postgres: string
  readonly openAssigner: OpenAssigner
  readonly capacity?: CapacityOptions
  readonly observer?: WorkerObserver
  /** Hears of problems that pass: the database is away, or a run that can't be executed here. */
  readonly warn?: (problem: string) => void
}

/** A busy worker holds what was assigned to it no longer than this. */
const ROOM_MS = 5_000
/** A run that this worker can't execute, though it should be able to, is due again after this time. */
const FAILED_MS = 30_000

export class Worker {
  private readonly options: WorkerOptions
  private readonly capacity: Capacity
  /** Runs that are executed here, or about to be. */
  private readonly runs = new Map<string, Promise<void>>()
  private readonly warn: (problem: string) => void
  private assigner: Assigner | null = null
  private due: DueRuns | null = null
  private isDraining = false

  private constructor(options: WorkerOptions) {
    this.options = options
    this.capacity = new Capacity(options.capacity)
    this.warn = options.warn ?? (() => {})
  }

  static async open(options: WorkerOptions): Promise<Worker> {
    const { store, offer, postgres, openAssigner } = options
    const worker = new Worker(options)
    try {
      const name = await store.serve(offer)
      worker.assigner = await openAssigner({
        ...{ postgres, worker: name, kind: offer.kind, warn: worker.warn },
        take: (run) => worker.take(run),
        alone: (action) => store.alone(action),
      })
      worker.due = new DueRuns(store, worker.assigner, worker.warn)
      return worker
    } catch (thrown) {
      await worker.close()
      throw thrown
    }
  }

  /** How many runs it executes. */
  get owned(): number {
    return this.runs.size
  }

  /** Resolves when no run is executed here any more. */
  async drain(late: AbortSignal): Promise<void> {
    this.isDraining = true
    const { store, host } = this.options
    await Promise.all([store.retire(), this.assigner?.close()])
    this.assigner = null
    await Promise.all([...this.runs].map(([id, left]) => host.drain(id, late).then(() => left)))
    this.due?.close()
  }

  /** Ends at once. Runs that it still executes are due again when its store is closed. */
  async close(): Promise<void> {
    this.isDraining = true
    this.due?.close()
    this.capacity.close()
    await this.assigner?.close()
    this.assigner = null
  }

  /** Resolves when the run is executed here, or left to others. */
  private async take(id: string): Promise<void> {
    if (this.runs.has(id) || this.isDraining) return
    const hasRoom = await this.capacity.room(() => this.runs.size, ROOM_MS)
    if (!hasRoom || this.isDraining || this.runs.has(id)) return
    const begun = Promise.withResolvers<void>()
    const left = this.execute(id, begun.resolve).finally(() => this.runs.delete(id))
    this.runs.set(id, left)
    await Promise.race([begun.promise, left])
  }

  /** Resolves when the run has ended here or left. */
  private async execute(id: string, begun: () => void): Promise<void> {
    try {
      const run = await this.begin(id)
      begun()
      if (this.isDraining) void this.options.host.drain(id, AbortSignal.abort())
      await run?.outcome
    } catch (thrown) {
      if (thrown instanceof LeftRun || isLeft(thrown)) return
      this.warn(`run ${id}: ${errorText(thrown)}`)
      // A store that is away is no problem of the run: it stays due.
      if (!isBusy(thrown)) await this.putOff(id, thrown)
    }
  }

  /** Null if another process owns it. */
  private async begin(id: string): Promise<RunHandle | null> {
    const { host, store, observer } = this.options
    try {
      return await this.capacity.whileLoading(() =>
        host.resume(id, broadcast(store, observer), { follow: false }),
      )
    } catch (thrown) {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'RUN_LOCKED') return null
      throw thrown
    }
  }

  /** It may be that only this process can't execute it: others may try, and so may this one later. */
  private async putOff(id: string, problem: unknown): Promise<void> {
    const { store } = this.options
    try {
      const epoch = await store.acquire(id)
      await store.handOver(id, epoch, Date.now() + FAILED_MS, errorData(problem, 'STORE_IO'))
    } catch {
      // Another process has it, it has ended, or the store is away: then it stays due.
    }
  }
}

/** Not a problem of the run: it waits for its model, or goes on elsewhere. */
function isLeft(thrown: unknown): boolean {
  const codes = ['MODEL_OUTAGE', 'OWNERSHIP_LOST', 'INTERRUPTED', 'RUN_LOCKED', 'UNKNOWN_RUN']
  return ThinkonError.isInstance(thrown) && codes.includes(thrown.code)
}
