/** Where runs come from: a service, or a file that holds one. */
import { createContext, useContext } from 'react'
import type { Event, Goal, ModelRetry, TextDelta } from 'thinkon/protocol'
import type { Form } from 'thinkon/views'
import type { ShownStatus } from '../parts/status.tsx'
import type { Lang } from '../preferences.ts'
import type { Hands } from './run-hands.ts'
import type { Connection } from './run-log.ts'

export interface ListedRun {
  readonly id: string
  readonly goal: Goal
  readonly strategy: string
  readonly status: Exclude<ShownStatus, 'todo'>
  readonly createdAt: string
  readonly changedAt: string
  readonly forkOf: string | null
}

export interface RunList {
  readonly runs: readonly ListedRun[]
  /** How many there are, whatever the limit. */
  readonly total: number
}

export interface FollowOptions {
  readonly signal: AbortSignal
  onConnection(connection: Connection, problem?: string): void
}

export interface Source {
  /** Whether runs can be started and steered. */
  readonly isLive: boolean
  list(query: { search?: string; limit?: number }): Promise<RunList>
  /** Null where runs can only be looked at. */
  readonly hands: Hands | null
  /** Every event of a run, until it ends; with text as it is written. Reconnects by itself. */
  follow(run: string, options: FollowOptions): AsyncIterable<Event | ModelRetry | TextDelta>
  /** The form of a block whose strategy does not ship; absent where there is nobody to make it. */
  form?(run: string, path: string, options: { at: number; lang: Lang }): Promise<Form | null>
}

export const SourceContext = createContext<Source | null>(null)

export function useSource(): Source {
  const source = useContext(SourceContext)
  if (source === null) throw new Error('no source of runs')
  return source
}
