/** The one folder that a run works in: its tools, the paths in its rules, and files that views keep there. */
import { resolve } from 'node:path'
import { type ApprovalConfig, ThinkonError } from '../protocol/index.ts'
import type { ApprovalOptions, StartOptions } from './api.ts'
import type { GivenSchema } from './schemas/given-schema.ts'

export interface RunPlace {
  /** Absolute. Undefined if neither the caller nor the engine names one. */
  readonly workspace: string | undefined
  readonly approval: ApprovalConfig | undefined
}

const ALLOW_ALL: ApprovalOptions = { allow: ['*'], asks: 'yes' }

/** `engineWorkspace`: the folder of runs that name none. Throws BAD_INPUT if the approval names another folder than the run. */
export function runPlace(
  { workspace: given, approval: asked }: StartOptions<GivenSchema>,
  engineWorkspace: string | undefined,
): RunPlace {
  const approval = asked === 'allow-all' ? ALLOW_ALL : asked
  const named = [given, approval?.workspace].filter((one) => one !== undefined).map((one) => resolve(one))
  const [first = engineWorkspace, second = first] = named
  if (first !== second) {
    const message = `approval.workspace is ${second}, and the run's workspace ${first}: leave it out of approval`
    throw new ThinkonError('BAD_INPUT', `engine.start: ${message}`, { data: { key: 'approval.workspace' } })
  }
  if (approval === undefined) return { workspace: first, approval }
  // The rules of an approval match paths, so they need a folder. Without a workspace in the record, no view writes files there.
  return { workspace: first, approval: { ...approval, workspace: first ?? process.cwd() } }
}
