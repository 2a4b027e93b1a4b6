/**
 * The scopes that each action requires. `/api`, `/v1` and `/mcp` use this table; routes declare actions, not scopes.
 *
 * 1. `read` shows runs, `steer` decides in runs that are there, `start` makes and deletes runs.
 * 2. What has two effects needs both scopes: a fork is a new run, and performs again what the answers of the old one allow.
 * 3. A run belongs to the client that started it, that is to its token: without `steer` no other client resumes, ends or deletes it, and
 *    without `read` no other client sees its result.
 */
import { createHash } from 'node:crypto'

export const SCOPES = ['read', 'steer', 'start'] as const
export type Scope = (typeof SCOPES)[number]

const NEEDS = {
  /** Runs, their events and files, replays, what the service offers. */
  look: ['read'],
  start: ['start'],
  import: ['start'],
  delete: ['start'],
  /** A message, a skip, any other signal. */
  signal: ['steer'],
  answer: ['steer'],
  cancel: ['steer'],
  resume: ['steer'],
  /** What a call that waits for an answer would change. */
  preview: ['steer'],
  /** In a run that has not ended. */
  redo: ['steer'],
  'redo in a fork': ['steer', 'start'],
  fork: ['start', 'steer'],
  /** A run that was not started here: what its journal contains is done with the rights of the process. */
  trust: ['start', 'steer'],
  /** A conversation goes on with the goal and result of a run. */
  'continue a conversation': ['start', 'read'],
  'delete a run of another client': ['start', 'steer'],
  /** The same id and goal again: the run of another client. If it has stopped, this resumes it. */
  'share a run': ['start', 'read'],
  'resume a run of another client': ['start', 'steer'],
  /** Of tools that the client executes, for its own run. */
  'give results': ['start'],
  'give results to a run of another client': ['start', 'steer'],
  /** A client that goes away. */
  'end a run of another client': ['steer'],
} as const satisfies Readonly<Record<string, readonly [Scope, ...Scope[]]>>

export type Action = keyof typeof NEEDS

export const ACTIONS = Object.keys(NEEDS) as Action[]

export function needsOf(action: Action): readonly Scope[] {
  return NEEDS[action]
}

/** The first scope that is missing; null if the action is allowed. */
export function missingScope(has: readonly Scope[], action: Action): Scope | null {
  return needsOf(action).find((scope) => !has.includes(scope)) ?? null
}

export function allows(has: readonly Scope[], action: Action): boolean {
  return missingScope(has, action) === null
}

/** Who sends a request, and what it may do. */
export interface Caller {
  readonly scopes: readonly Scope[]
  /** Recorded with the runs that it starts. The token does not follow from it. */
  readonly client: string
}

/** Without a token, all requests are of one client. */
export const ONE_CLIENT: Caller = { scopes: SCOPES, client: '' }

export function clientOf(token: string): string {
  return createHash('sha256').update(`thinkon client ${token}`).digest('hex').slice(0, 16)
}
