/** The notes that `dual` leaves in the journal. */

import { type Event, isObject } from '../../protocol/index.ts'
import type { ToolCallNotes } from '../closing/notes.ts'
import type { Edit, PlanReview, ReviewName, TaskReview } from './schema.ts'
import type { RedoReach } from './tasks/needs.ts'
import type { StatusChange, Task } from './tasks/task.ts'

export type { RedoReach, StatusChange, Task }

export type Phase = 'plan-request' | 'plan-generation' | 'review' | 'refinement' | 'execution'

export interface DualNotes extends ToolCallNotes {
  // the coordinator
  'dual/phase-begun': { readonly phase: Phase }
  'dual/template-used': { readonly main_task: string }
  'dual/context-missing': { readonly provider: string; readonly problem: string }
  'dual/summary-failed': { readonly why: string }
  'dual/result-unhandled': { readonly problem: string }
  // plans
  'dual/plan-refused': { readonly problems: readonly string[] }
  /** So many tasks had no name. */
  'dual/plan-warned': { readonly dropped: number }
  'dual/plan-changed': { readonly tree: Task }
  /** The task of this index has failed: for the `mends`th time of at most so many the coordinator mends the plan. */
  'dual/plan-mending': { readonly index: string; readonly mends: number; readonly of: number }
  'dual/mend-failed': { readonly index: string; readonly problem: string }
  'dual/blueprint-marked': { readonly mark: string; readonly about: string }
  // reviews
  'dual/risk-judged': { readonly what: ReviewName; readonly risk: number; readonly reason: string }
  'dual/plan-reviewed': PlanReview
  'dual/task-reviewed': { readonly index: string } & TaskReview
  'dual/edit-refused': { readonly edit?: Edit; readonly problem: string }
  // tasks
  'dual/task-changed': StatusChange
  /** As it came in, with what is wrong with it, if anything. */
  'dual/subtask-signalled': {
    readonly do: unknown
    readonly subtask_index: unknown
    readonly reason: string
    readonly user_message: string
    readonly problem?: string
  } & RedoReach
  // the loop of a task
  'dual/memory-late': { readonly iteration: number }
  'dual/action-refused': { readonly iteration: number; readonly problem: string }
  'dual/action-begun': {
    readonly iteration: number
    readonly action: string
    readonly params: Readonly<Record<string, unknown>>
    readonly thought: string
  }
  'dual/action-ended': {
    readonly iteration: number
    readonly action: string
    readonly failed?: true
    readonly about: string
  }
  'dual/loop-reflected': {
    readonly iteration: number
    readonly level: ReflectionLevel
    readonly spinning: boolean
    readonly advice: string
  }
  'dual/history-compacted': { readonly items: number; readonly summaries: number }
  'dual/loop-ended': { readonly code: string; readonly message: string; readonly iteration: number }
}

/** How hard a loop looks back at what it has just done. */
export const REFLECTION_LEVELS = ['none', 'minimal', 'standard', 'deep', 'critical'] as const
export type ReflectionLevel = (typeof REFLECTION_LEVELS)[number]

export type DualNote = {
  [Name in keyof DualNotes]: { readonly name: Name; readonly data: DualNotes[Name] }
}[keyof DualNotes]

/** The event as a note of `dual`; null for any other. */
export function noteIn(event: Event): DualNote | null {
  const isOwn = event.type === 'note' && event.name.startsWith('dual/') && isObject(event.data)
  return isOwn ? (event as unknown as DualNote) : null
}
