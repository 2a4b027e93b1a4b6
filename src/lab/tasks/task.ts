/** A goal with what tells whether it is reached. */
import type { Checker } from '../check/checker.ts'

export interface Task {
  /** Unique in a lab. */
  readonly id: string
  /** What it is a task of, such as "depth 6": the table has figures for each group. */
  readonly group: string
  readonly goal: string
  readonly check: Checker
}

/** `held-out`: in no training data, and not to be looked at while a strategy is tuned; `tuning`: all the others. */
export const SPLITS = ['held-out', 'tuning'] as const
export type Split = (typeof SPLITS)[number]

/** A task that came by chance. */
export interface Drawn extends Omit<Task, 'id'> {
  readonly split: Split | 'both'
}
