/** The notes that `auto` leaves in the journal. */

export interface AutoNotes {
  'auto/strategy-chosen': StrategyChosen
}

export interface StrategyChosen {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly reason: string
  /** A rule, a model's classification, or neither: then it is the default. */
  readonly by: 'rule' | 'model' | 'default'
  /** The name of the rule. */
  readonly rule?: string
}
