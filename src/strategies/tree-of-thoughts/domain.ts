/** What is known by program about a kind of problem: what a thought leads to, whether an answer is right. */
import { parseGoal } from '../../arithmetic/parse-goal.ts'
import type { Candidate, Decomposition } from '../../protocol/index.ts'
import { expressionDomain } from './expression-domain.ts'
import { puzzleDomain } from './puzzle-domain.ts'
import type { Verdict } from './tree.ts'

export interface Domain {
  /** The state that the problem begins with. */
  readonly state: string
  /** How many thoughts an answer takes at most. */
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
  /** The answer that the thoughts come to; null when they come to none. */
  answerOf(thoughts: readonly string[]): string | null
  verify(answer: string): Verdict
  /** The thoughts as steps in the problem's language. */
  trace(thoughts: readonly string[]): string[]
}

export function domainOf(problem: string): Domain | null {
  const task = parseGoal(problem)
  if (task === null || task.file !== null) return null
  return task.type === 'reach'
    ? puzzleDomain(task.puzzle, task.language)
    : expressionDomain(task.expressions, task.language)
}
