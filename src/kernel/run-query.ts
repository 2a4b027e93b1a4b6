/** Rows of the list of runs, and which of them a query means. */
import { type Goal, goalText } from '../protocol/goal.ts'
import type { Status, Usage } from '../protocol/index.ts'

export type RowStatus = 'running' | 'waiting' | Status

export interface RunRow {
  id: string
  goal: Goal
  strategy: string
  /** `waiting`: it has stopped until its model can be reached again. */
  status: RowStatus
  seq: number
  createdAt: string
  changedAt: string
  forkOf: string | null
  /** Whether a living process owns it. */
  owned: boolean
}

/** What a list may show of a run besides its row. */
export interface RunFigures {
  model: string | null
  usage: Usage
  activeMs: number
  /** How many are open. */
  openQuestions: number
  /** How it stands by its journal: `waiting` also if it waits for nothing but a person. */
  standing: 'running' | 'waiting' | Status
  /** The number `score` of its value; null without one. */
  score: number | null
}

/** `running`: a living process works on it. `stopped`: it has not ended, and none does. */
export type ListedStatus = RowStatus | 'stopped'

/** Those that match all that is given. */
export interface RunQuery {
  /** At most so many, the newest. */
  limit?: number
  /** Without so many of the newest: where the next page begins. */
  offset?: number
  status?: ListedStatus | readonly ListedStatus[]
  /** Text in the id or the goal, in upper or lower case. */
  search?: string
  /** The name of the strategy that they were started with. */
  strategy?: string
  /** Only forks of this run. */
  forkOf?: string
}

export const ENDED: readonly Status[] = ['completed', 'partial', 'failed', 'skipped', 'cancelled']

/** What `ListedStatus` can be. */
export const LISTED: readonly ListedStatus[] = ['running', 'waiting', 'stopped', ...ENDED]

export function listedStatus({ status, owned }: Pick<RunRow, 'status' | 'owned'>): ListedStatus {
  return status === 'running' && !owned ? 'stopped' : status
}

/** The statuses that are asked for; null if any will do. */
export function statusesOf({ status }: RunQuery): readonly ListedStatus[] | null {
  if (status === undefined) return null
  return typeof status === 'string' ? [status] : status
}

export function hasText({ id, goal }: Pick<RunRow, 'id' | 'goal'>, search: string): boolean {
  return [id, goalText(goal)].some((text) => plainText(text).includes(plainText(search)))
}

export function matchesQuery(row: RunRow, query: RunQuery): boolean {
  const { search, strategy, forkOf } = query
  return (
    (statusesOf(query)?.includes(listedStatus(row)) ?? true) &&
    (search === undefined || hasText(row, search)) &&
    (strategy === undefined || row.strategy === strategy) &&
    (forkOf === undefined || row.forkOf === forkOf)
  )
}

/** The same text in one form: letters with accents may be written as one character or as two. */
export function plainText(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
