/** What is known by program about a kind of problem: what a thought leads to, whether an answer is right. */
import type { Candidate, Decomposition } from '../protocol.ts'

export interface Domain {
  /** The state that the problem begins with. */
  readonly state: string
  /** The most thoughts that an answer takes. */
  readonly depth: number
  /** Set where every way is as good as any other. */
  readonly beam?: number
  readonly branching?: number
  readonly decomposition: Decomposition
  /** How a thought is to be written so that it can be read. */
  readonly format: string
  /** The candidate with its state worked out, or why it is wrong. */
  read(candidate: Candidate, parentState: string): Candidate | string
  /** Nothing is left to do in this state. */
  isComplete(state: string): boolean
  /** What can be said for certain about a state without a search of it; null where nothing can. */
  settle(state: string): Settled | null
  /** The answer that the thoughts lead to; null where they lead to none. */
  answerOf(thoughts: readonly string[]): string | null
  verify(answer: string): AnswerCheck
  /** The thoughts as steps in the problem's language. */
  trace(thoughts: readonly string[]): string[]
}

/** Whether an answer is right, and what is wrong with it. */
export interface AnswerCheck {
  readonly is_valid: boolean
  readonly errors: readonly string[]
}

export interface Settled {
  /** Whether the state leads to an answer. */
  readonly leads: boolean
  readonly reasoning: string
  /** The last step to it, where only one is missing. */
  readonly last?: Pick<Candidate, 'content' | 'action_type'>
}
