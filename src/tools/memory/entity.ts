/** What a workspace remembers from one run to the next. */

/** Kinds that are known by name; any other short word is a kind too. */
const KINDS = ['fact', 'lesson', 'result', 'preference'] as const
export type Kind = (typeof KINDS)[number] | (string & {})

export interface Score {
  /** How far it bears on the workspace beyond the task it comes from: 0 to 1. */
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
  /** Where it was learnt first. */
  readonly source: Source
  readonly score: Score
  readonly createdMs: number
  /** Saved again, or searched for: when last, and how often. */
  readonly usedMs: number
  readonly uses: number
}

/** What is to be remembered, as it is given. */
export interface Candidate {
  readonly text: string
  readonly kind?: Kind | undefined
  readonly tags?: readonly string[] | undefined
  readonly score?: Partial<Score> | undefined
}

export const DEFAULT_SCORE: Score = { relevance: 0.5, importance: 0.5 }

/** Longer texts are cut: a memory is a note, not a document. */
export const MAX_TEXT_CHARS = 4_000
export const MAX_TAGS = 12
/** Beyond these the least worth keeping are forgotten. */
export const MAX_ENTITIES = 5_000
