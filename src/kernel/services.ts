import type { Role } from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import type { Model } from './model.ts'
import type { Tool } from './tool.ts'

/** What the blocks of a process share. */
export interface KernelServices {
  model(role: Role): Model
  readonly tools: ReadonlyMap<string, Tool>
  readonly approval: Approval | null
  clean<T>(value: T): T
}
