/** The document's shapes, field by field: the shared store, a thought, a step of the plan. */

export const STATUSES = ['Pending', 'Done', 'Verification Needed'] as const
export type StepStatus = (typeof STATUSES)[number]

export interface PlanStep {
  readonly description: string
  readonly status: StepStatus
  /** Concise; of a step that is Done. Beside a mark it is what is in doubt. */
  readonly result?: string
  /** Why verification is needed. */
  readonly mark?: string
  readonly sub_steps?: readonly PlanStep[]
  /** Not the document's: the strategy that a block below solves this step with. */
  readonly strategy?: string
}

export type Plan = readonly PlanStep[]

export interface Thought {
  readonly thought_number: number
  readonly current_thinking: string
  readonly planning: Plan
  readonly next_thought_needed: boolean
  /** What the thought says about the one before, where the model keeps that apart from `current_thinking`. */
  readonly evaluation?: string
}

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
