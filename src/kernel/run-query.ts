/** Rows of the list of runs, and which of them a query means. */
import { type Goal, goalText } from '../protocol/goal.ts'
import {
  type Answerer,
  ENDED,
  type PendingQuestion,
  type Standing,
  type Status,
  type Usage,
  type WaitsFor,
} from '../protocol/index.ts'

export interface RunRow {
  id: string
  goal: Goal
  strategy: string
  status: Standing
  /** Null unless it is `waiting`. */
  waitsFor: WaitsFor | null
  seq: number
  createdAt: string
  changedAt: string
  forkOf: string | null
  /** Whether a living process owns it. */
  owned: boolean
}

/** The status of a run in the store. `waiting` is a run whose last event is `run-wait`. */
export type RowStatus = 'running' | 'waiting' | Status

/** `asks`: who answers its open questions; a person if several do. */
export function standingOf(
  status: RowStatus,
  owned: boolean,
  asks: Answerer | null,
): Pick<RunRow, 'status' | 'waitsFor'> {
  if ((ENDED as readonly string[]).includes(status)) return { status, waitsFor: null }
  const waitsFor = asks ?? (status === 'waiting' ? 'model' : null)
  if (waitsFor !== null) return { status: 'waiting', waitsFor }
  return { status: owned ? 'running' : 'stopped', waitsFor }
}

/** Open questions that match all fields. */
export interface QuestionQuery {
  /** The only kind that is listed. */
  status?: 'open'
  run?: string
  /** Who answers them. */
  for?: Answerer
  /** Maximum number of questions, oldest first. */
  limit?: number
  /** Number of oldest questions to skip. */
  offset?: number
}

/** Where an open question is recorded. */
export interface QuestionKey extends Pick<PendingQuestion, 'run' | 'id' | 'path' | 'name'> {}

/** What a list may show of a run besides its row. */
export interface RunFigures {
  model: string | null
  usage: Usage
  activeMs: number
  /** How many are open. */
  openQuestions: number
  /** The number `score` of its value; null without one. */
  score: number | null
}

/** Runs that match all fields. */
export interface RunQuery {
  /** Maximum number of runs, newest first. */
  limit?: number
  /** Number of newest runs to skip. */
  offset?: number
  status?: Standing | readonly Standing[]
  /** Text in the id or the goal, in upper or lower case. */
  search?: string
  /** The name of the strategy that they were started with. */
  strategy?: string
  /** Only forks of this run. */
  forkOf?: string
}

/** The statuses that are asked for; null if any will do. */
export function statusesOf({ status }: RunQuery): readonly Standing[] | null {
  if (status === undefined) return null
  return typeof status === 'string' ? [status] : status
}

export function hasText({ id, goal }: Pick<RunRow, 'id' | 'goal'>, search: string): boolean {
  return [id, goalText(goal)].some((text) => plainText(text).includes(plainText(search)))
}

export function matchesQuery(row: RunRow, query: RunQuery): boolean {
  const { search, strategy, forkOf } = query
  return (
    (statusesOf(query)?.includes(row.status) ?? true) &&
    (search === undefined || hasText(row, search)) &&
    (strategy === undefined || row.strategy === strategy) &&
    (forkOf === undefined || row.forkOf === forkOf)
  )
}

/** The same text in one form: letters with accents may be written as one character or as two. */
export function plainText(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
