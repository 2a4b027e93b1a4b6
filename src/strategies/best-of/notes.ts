/** The notes that `best-of` leaves in the journal. */

export interface BestOfNotes {
  'best-of/sampled': Sampled
  'best-of/chosen': Chosen
}

/** One sample, in the order in which they were drawn. */
export interface Sampled {
  /** Counted from 1. */
  readonly sample: number
  /** Empty where the sample failed. */
  readonly answer: string
  /** What a program says about it; `open` where none can tell. */
  readonly verdict: Verdict
  /** What is wrong with it, or what it failed with. */
  readonly problems: readonly string[]
}

export type Verdict = 'verified' | 'refuted' | 'open' | 'failed'

export interface Chosen {
  readonly sample: number
  readonly by: 'program' | 'votes' | 'judge' | 'order'
  /** How many samples came to it, of how many that count. */
  readonly votes: number
  readonly of: number
}
