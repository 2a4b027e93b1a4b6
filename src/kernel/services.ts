import type { Role, ToolSpec } from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import type { Model } from './model.ts'
import type { PlanGrants, ReadJournal } from './plan-grants.ts'
import type { Tool } from './tool.ts'

/** `wait`: the run stops and can be resumed. `fail`: the step fails, and its strategy sees why. */
export type OnOutage = 'wait' | 'fail'

/** What the blocks of a process share. */
export interface KernelServices {
  model(role: Role): Model
  readonly onOutage: OnOutage
  readonly tools: ReadonlyMap<string, Tool>
  /** `read_result` as a model is told of it, where there is one. */
  readonly reader: ToolSpec | null
  readonly approval: Approval | null
  /** The journals of runs, where they can be read. */
  readonly journal: ReadJournal | null
  readonly grants: PlanGrants | null
  clean<T>(value: T): T
}
