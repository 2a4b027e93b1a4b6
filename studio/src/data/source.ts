/** Where runs come from: a service, or a file that holds one. */
import { createContext, useContext } from 'react'
import type { ListQuery, RunFigures, StrategyInfo } from 'thinkon/client'
import type { Event, EventOf, Goal, Limits, ModelRetry, TextDelta } from 'thinkon/protocol'
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
  /** Null for a run whose journal can't be read. */
  readonly figures?: RunFigures | null
}

export interface RunList {
  readonly runs: readonly ListedRun[]
  /** How many there are, whatever the limit. */
  readonly total: number
}

/** What a run may be started with. */
export interface Offers {
  /** The first is the default. */
  readonly models: readonly string[]
  readonly strategies: readonly StrategyInfo[]
  /** The most that a run may be given. */
  readonly budget: Limits
}

export interface StartRequest {
  readonly goal: Goal
  readonly strategy?: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly model?: string
  readonly budget?: Partial<Limits>
  readonly output?: Record<string, unknown>
  readonly files?: readonly { readonly name: string; readonly base64: string }[]
}

/** What can be done with runs as a whole; every method throws what the service refuses. */
export interface RunDesk {
  list(query: ListQuery): Promise<RunList>
  /** One run as a list with figures has it. */
  row(run: string): Promise<ListedRun>
  offers(): Promise<Offers>
  /** Returns the id of the new run. */
  start(request: StartRequest): Promise<string>
  /** Whether it is still there: somebody else may have deleted it. */
  exists(run: string): Promise<boolean>
  /** What a run was started with. */
  startOf(run: string): Promise<EventOf<'run-start'>>
  delete(run: string): Promise<void>
  export(run: string): Promise<Blob>
  /** The run as one HTML file. */
  page(run: string): Promise<Blob>
  import(file: Blob): Promise<{ readonly run: string; readonly existed: boolean }>
}

export interface FollowOptions {
  readonly signal: AbortSignal
  onConnection(connection: Connection, problem?: string): void
  /** How many events there are, before all of them are read. */
  onCount(count: number): void
}

export interface Source {
  /** Null where there is one run alone. */
  readonly desk: RunDesk | null
  /** Null where runs can only be looked at. */
  readonly hands: Hands | null
  /** Every event of a run, until it ends; with text as it is written. Reconnects by itself. */
  follow(run: string, options: FollowOptions): AsyncIterable<Event | ModelRetry | TextDelta>
  /** The form of a block whose strategy does not ship. */
  form(run: string, path: string, options: { at: number; lang: Lang }): Promise<Form | null>
  /** How often it may be asked for. */
  readonly formEveryMs: number
}

export const SourceContext = createContext<Source | null>(null)

export function useSource(): Source {
  const source = useContext(SourceContext)
  if (source === null) throw new Error('no source of runs')
  return source
}

/** For views of many runs, which only a service has. */
export function useDesk(): RunDesk {
  const { desk } = useSource()
  if (desk === null) throw new Error('there is one run alone')
  return desk
}
