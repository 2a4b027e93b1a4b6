/**
 * Who performs an effect, where several workers could: before an effect is performed, it is claimed. Implementation:
 * store/postgres/claims.ts.
 *
 * 1. A claim is its worker's until the worker gives it back, dies or hangs; then another one may take it over.
 * 2. Who has a claim looks once more for the effect's end: it may have been recorded before the claim was given back.
 * 3. A worker that hung may come back and go on: the end that is recorded first counts.
 */
export interface Claims {
  /** This worker: no other one ever has the same. */
  readonly worker: string
  take(step: ClaimedStep): Promise<Claim>
  /** Gives the claim back, a little later: the effect's end is recorded. */
  release(step: ClaimedStep): void
}

export interface ClaimedStep {
  readonly run: string
  readonly path: string
  readonly n: number
}

/**
 * `taken`: no worker has begun the effect, unless it has an end. `taken-over`: another one may have begun it, which is dead or hangs.
 * `busy`: another one is at it.
 */
export type Claim = 'taken' | 'taken-over' | 'busy'
