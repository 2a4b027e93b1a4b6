/**
 * The engine that assigns due runs to workers, as a worker sees it. It need not be exact: an offer may be lost or delivered twice, because
 * due runs are offered again until a worker owns them, and a run has one owner.
 */
export interface Assigner {
  /** Some worker of this kind is to take the run. Does nothing if the run is offered already. */
  offer(run: string, kind: string): Promise<void>
  /** These workers are dead: the runs that they were about to take are offered again. */
  recover(workers: readonly string[]): Promise<void>
  /** Takes nothing more; resolves when nothing is being taken. */
  close(): Promise<void>
}

export interface AssignerOptions {
  /** The connection string of the database that workers share. */
  readonly postgres: string
  /** This worker's name, which no other has. */
  readonly worker: string
  readonly kind: string
  /** Takes the run, or leaves it to another worker. */
  take(run: string): Promise<void>
  /** Performs the action while no other worker performs one. */
  alone<T>(action: () => Promise<T>): Promise<T>
  /** Hears of problems that the engine deals with itself. */
  warn(problem: string): void
}

export type OpenAssigner = (options: AssignerOptions) => Promise<Assigner>
