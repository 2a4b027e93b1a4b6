/** What a workspace remembers from one run to the next. */

/** The well-known kinds; any other short word is a kind, too. */
export type Kind = 'fact' | 'lesson' | 'result' | 'preference' | (string & {})

export interface Score {
  /** How relevant it is to the workspace beyond the task it comes from: 0 to 1. */
  readonly relevance: number
  /** What it would cost not to know it: 0 to 1. */
  readonly importance: number
}

export interface Source {
  readonly run: string
  readonly path: string
}

export interface Entity {
  readonly id: string
  readonly text: string
  readonly kind: Kind
  readonly tags: readonly string[]
  /** Where it was first learned. */
  readonly source: Source
  readonly score: Score
  readonly createdMs: number
  /** When it was last saved again or searched for, and how often. */
  readonly usedMs: number
  readonly uses: number
}

/** What is to be remembered, as given. */
export interface Candidate {
  readonly text: string
  readonly kind?: Kind | undefined
  readonly tags?: readonly string[] | undefined
  readonly score?: Partial<Score> | undefined
}

export const DEFAULT_SCORE: Score = { relevance: 0.5, importance: 0.5 }

/** Longer texts are cut: a memory holds notes, not documents. */
export const MAX_TEXT_CHARS = 4_000
export const MAX_TAGS = 12
/** Beyond this number, the least valuable entities are forgotten. */
export const MAX_ENTITIES = 5_000
