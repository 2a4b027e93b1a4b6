/**
 * The port of approval: whether a tool call may be made. What is decided depends on nothing but the run's recorded
 * configuration, the call, and what a person answered in the same block: so it is the same when the block is executed again.
 */
import type { Question, RunConfig } from '../protocol/index.ts'
import type { ToolInfo } from './tool.ts'

export interface Approval {
  decide(config: RunConfig, call: Call, granted: readonly Call[]): Decision
  /** What an answer to the question means. */
  read(answer: unknown): { allowed: boolean; always: boolean }
}

export interface Call {
  readonly tool: ToolInfo
  readonly input: unknown
}

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'ask'; readonly question: Question }
  | { readonly verdict: 'deny'; readonly reason: string }

/** The name of the signal that answers it. */
export const APPROVE_SIGNAL = 'approve'
