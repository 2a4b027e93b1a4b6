/**
 * The port of approval: whether a tool call may be made. The decision depends on the run's recorded configuration, the call, and what a
 * person answered in the same block or, for the plan it is part of, in another (plan-grants.ts); in a run without `approval` also on
 * whether a person can be asked now. It is recorded with the call.
 */
import type { ApprovalAnswer, Language, Question, RunConfig } from '../protocol/index.ts'
import type { Deed, Verdict } from './deed.ts'
import type { ToolInfo } from './tool.ts'

export interface Approval {
  decide(config: RunConfig, call: Call, granted: readonly Call[], caller: Caller): Decision
  /** Whether a call that is being made may do something else on its way. Asked again and again: what it takes to say is made once. */
  permits(
    config: RunConfig,
    call: Call,
    granted: readonly Call[],
    workspace?: string,
  ): (deed: Deed) => Verdict
  /** What an answer to the question means. */
  read(answer: unknown): ApprovalAnswer
}

/** The block that makes the call, and how a person is asked about it. */
export interface Caller {
  readonly path: string
  readonly language: Language
  /** Whether a run without `approval` asks: see KernelServices. */
  readonly canAsk?: boolean
  /** Of runs that record none; the current folder, unless given. */
  readonly workspace?: string
}

export interface Call {
  readonly tool: ToolInfo
  readonly input: unknown
}

export type Decision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'ask'; readonly question: Question }
  | { readonly verdict: 'deny'; readonly reason: string }
