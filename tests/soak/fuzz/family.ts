/** A family of parsers of outside text, and what its inputs are made from. */
export interface Family {
  readonly name: string
  /** How often it has its turn, compared with the others. */
  readonly share: number
  /** Real samples, from files of this repository. */
  readonly samples: readonly string[]
  /** Pieces of its language, put in at any place. */
  readonly words: readonly string[]
  /**
   * Reads one input. A ThinkonError is an answer; whatever else it throws is a finding. `pick` gives a number below its argument, the same
   * for the same input.
   */
  read(input: string, pick: (below: number) => number): unknown
}

/** A wrong result, not a crash. */
export class Wrong extends Error {
  override readonly name = 'Wrong'
}
