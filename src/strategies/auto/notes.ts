/** The notes that `auto` leaves in the journal. */

export interface AutoNotes {
  'auto/strategy-chosen': StrategyChosen
}

/** What a goal may need that thinking can't give. */
export const NEEDS = ['files', 'commands', 'network'] as const
export type Need = (typeof NEEDS)[number]

export interface StrategyChosen {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly reason: string
  /** A rule, a model's classification, or neither: then it is the default. */
  readonly by: 'rule' | 'model' | 'default'
  /** The name of the rule. */
  readonly rule?: string
  /** What the goal needs that thinking can't give. */
  readonly needs?: readonly Need[]
  /** What of it no tool of the run gives. */
  readonly lacks?: readonly Need[]
  /** What the model chose, where that could not do what the goal needs. */
  readonly overruled?: string
}
