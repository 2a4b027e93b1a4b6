/**
 * The port of approval: whether a tool call may be made. What is decided depends on nothing but the run's recorded
 * configuration, the call, and what a person answered in the same block or, for the plan it is part of, in another (plan-grants.ts).
 */
import type { ApprovalAnswer, Language, Question, RunConfig } from '../protocol/index.ts'
import type { Deed, Verdict } from './deed.ts'
import type { ToolInfo } from './tool.ts'

export interface Approval {
  decide(config: RunConfig, call: Call, granted: readonly Call[], caller: Caller): Decision
  /** Whether a call that is being made may do something else on its way. Asked again and again: what it takes to say is made once. */
  permits(config: RunConfig, call: Call, granted: readonly Call[]): (deed: Deed) => Verdict
  /** What an answer to the question means. */
  read(answer: unknown): ApprovalAnswer
}

/** The block that makes the call, and the language in which a person is asked about it. */
export interface Caller {
  readonly path: string
  readonly language: Language
}

export interface Call {
  readonly tool: ToolInfo
  readonly input: unknown
}

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'ask'; readonly question: Question }
  | { readonly verdict: 'deny'; readonly reason: string }
