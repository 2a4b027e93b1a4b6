/** The document's shared store, field by field. */
import type { Plan, Thought } from './schema.ts'

export interface Shared {
  readonly problem: string
  readonly thoughts: Thought[]
  current_thought_number: number
  solution: string | null
}

export function newShared(problem: string): Shared {
  return { problem, thoughts: [], current_thought_number: 0, solution: null }
}

/** The plan as it stands: that of the last thought. */
export function lastPlan(thoughts: readonly Thought[]): Plan {
  return thoughts.at(-1)?.planning ?? []
}
