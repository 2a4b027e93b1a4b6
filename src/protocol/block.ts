import type { Goal } from './goal.ts'

/** The plan of a block: a text, or a list of items. Empty until the strategy sets it. */
export type Todo = string | readonly string[]

/** One node of the recursion: the only data structure that a strategy works on. */
export interface Block {
  readonly goal: Goal
  /** The parent's path; null at the root. */
  readonly parent: string | null
  readonly todo: Todo
  /** The children's result texts, in the order in which this block consumed them. */
  readonly done: readonly string[]
}

/** What a block knows about a block above it. */
export interface Ancestor {
  readonly path: string
  readonly goal: Goal
  readonly todo: Todo
}
