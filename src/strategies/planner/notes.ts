/** The notes that `planner` leaves in the journal. */
import type { ErrorCode, Goal } from '../../protocol/index.ts'
import type { ClosingNotes } from '../closing/notes.ts'

export interface PlannerNotes extends ClosingNotes {
  /** The Context JSON of the planning call that follows. */
  'planner/context-given': ThinkingContext
  /** A reply broke these rules: `told` is what the model reads of each, in the same order. */
  'planner/reply-refused': { readonly names: readonly string[]; readonly told: readonly string[] }
  'planner/plan-warned': { readonly warning: Warning }
  'planner/call-executed': {
    readonly command: string
    readonly ok: boolean
    readonly observed: readonly Observation[]
  }
  'planner/probe-judged': {
    readonly hypothesis: string
    readonly verdict: ProbeVerdict
    readonly evidence: string
  }
  /** A limit or a loop ended the block. */
  'planner/block-closed': { readonly code: ErrorCode; readonly message: string }
}

/** The document's Context JSON, keys in its order. */
export interface ThinkingContext {
  readonly think: ContextNode
  /** From the parent to the root. */
  readonly path: readonly ContextNode[]
  readonly max_depth: number
}

interface ContextNode {
  readonly goal: Goal
  readonly plan: readonly string[]
  readonly done: readonly string[]
}

/** What a plan should have according to the document, and need not. */
export type Warning = 'NO_SUCCESS_SIGNAL' | 'SUCCESS_SIGNAL_WITH_EXECUTE' | 'NO_EXPECTED_OBSERVATIONS'

/** An expected observation, checked after execution. */
export interface Observation {
  readonly observation: string
  readonly verdict: 'met' | 'unmet' | 'unknown'
  readonly evidence: string
}

export const PROBE_VERDICTS = ['confirmed', 'refuted', 'undecided'] as const
export type ProbeVerdict = (typeof PROBE_VERDICTS)[number]
