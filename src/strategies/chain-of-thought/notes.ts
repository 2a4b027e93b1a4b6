/** The notes that `cot` leaves in the journal. */
import type { ErrorCode } from '../../protocol/index.ts'
import type { Plan, PlanStep, Thought } from './schema.ts'

export type { Plan, PlanStep, Thought }

export interface CotNotes {
  'cot/thought': Thought
  /** A reply that could not be used, and why. */
  'cot/thought-refused': { readonly thought_number: number; readonly problems: readonly string[] }
  /** A reply that could be read only after these repairs. */
  'cot/reply-repaired': { readonly thought_number: number; readonly repairs: readonly string[] }
  'cot/step-reopened': { readonly thought_number: number; readonly steps: readonly ReopenedStep[] }
  /** A child block has solved a step: the plan as it stands then. */
  'cot/step-solved': { readonly thought_number: number; readonly step: string; readonly planning: Plan }
  'cot/limit': Stopped | { readonly limit: 'thoughts'; readonly message: string }
  'cot/loop': Stopped | { readonly thought_number: number; readonly message: string }
  'cot/format-error': Stopped
  'cot/failed': Stopped
}

/** A step that was Done and no longer is. */
export interface ReopenedStep extends Pick<PlanStep, 'description' | 'status' | 'mark'> {
  /** Its number in the plan. */
  readonly step: string
}

interface Stopped {
  readonly code: ErrorCode
  readonly message: string
}
