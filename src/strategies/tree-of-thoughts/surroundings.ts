import type { ThoughtNode } from './protocol.ts'

/** A thought with the id under which the journal has it. */
export type NamedThought = Pick<ThoughtNode, 'id' | 'content'>

/** What a model is told of the search beyond the document's messages. Null before there is a search. */
export interface Surroundings {
  /** What one thought is. */
  readonly granularity: string
  /** What each step does, in order. */
  readonly steps: readonly string[]
  readonly maxDepth: number
  /** By what a solution is known. */
  readonly goal: string
  readonly constraints: readonly string[]
  /** By what thoughts are judged. */
  readonly criteria: readonly string[]
  /** What a program said about the answer that the best path comes to. */
  readonly verdict?: {
    readonly answer: string
    readonly is_valid: boolean
    readonly errors: readonly string[]
  }
  /** A solution that was held against the problem's words, and comes back with what is wrong. */
  readonly sentBack?: { readonly answer: string; readonly wrong: string }
  /** Thoughts that stand below this one already. */
  childrenOf(id: string): readonly NamedThought[]
  /** Other whole paths, the best first. */
  alternatives(bestId: string): readonly { readonly path: readonly NamedThought[]; readonly score: number }[]
}
