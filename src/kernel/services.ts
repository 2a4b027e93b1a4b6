import type { Role, ToolSpec } from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import type { Model } from './model.ts'
import type { PlanGrants, ReadJournal } from './plan-grants.ts'
import type { Tool } from './tool.ts'

/** `wait`: the run stops and can be resumed. `fail`: the step fails, and its strategy sees why. */
export type OnOutage = 'wait' | 'fail'

/** Pieces of a text, passed on without secrets, even if a secret spans several pieces. */
export interface CleanDeltas {
  push(text: string): void
  /** Passes on what was held back because it might have become a secret. */
  end(): void
}

/** Takes secrets out of what models say (K9); gives back what has none as it is. */
export interface CleanReplies {
  data<T>(value: T): T
  error(thrown: unknown): unknown
  deltas(onDelta: (text: string) => void): CleanDeltas
}

/** What the blocks of a process share. */
export interface KernelServices {
  model(role: Role): Model
  /** Reads what a person has answered as the model, whichever the role's is. */
  readonly person: Model | null
  readonly onOutage: OnOutage
  readonly tools: ReadonlyMap<string, Tool>
  /** `read_result` as a model is told of it, where there is one. */
  readonly reader: ToolSpec | null
  readonly approval: Approval | null
  /** Whether a caller in this process can answer the run's questions. */
  canAsk(run: string): boolean
  /** Of runs that record none. */
  readonly workspace: string
  /** The journals of runs, where they can be read. */
  readonly journal: ReadJournal | null
  readonly grants: PlanGrants | null
  /** Of what strategies say. */
  clean<T>(value: T): T
  readonly replies: CleanReplies
}
