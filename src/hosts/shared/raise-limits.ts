/** Limits that are raised when a run is resumed: what was starved can be given more, and what was promised is not taken back. */
import {
  LIMIT_NAMES,
  type LimitName,
  type Limits,
  type RunState,
  ThinkonError,
} from '../../protocol/index.ts'

/** The run's limits from now on; undefined if none was raised. Throws if one would be lowered. */
export function raisedLimits(
  { run, limits }: Pick<RunState, 'run' | 'limits'>,
  given: Partial<Limits> | undefined,
): Limits | undefined {
  if (limits === null || given === undefined) return undefined
  const raised = { ...limits }
  for (const [name, value] of Object.entries(given) as [LimitName, number | undefined][]) {
    if (value === undefined) continue
    if (value < limits[name]) {
      throw new ThinkonError(
        'BAD_INPUT',
        `run ${run}: the limit ${name} is ${limits[name]} and can't be lowered to ${value}: a run that is resumed can only be given more`,
        { data: { run, limit: name, is: limits[name], given: value } },
      )
    }
    raised[name] = value
  }
  return LIMIT_NAMES.some((name) => raised[name] !== limits[name]) ? raised : undefined
}

export function isRunning(run: string): ThinkonError {
  return new ThinkonError(
    'BAD_INPUT',
    `run ${run} is under way in this process: its limits can be raised when it is resumed after it has stopped`,
    { data: { run } },
  )
}
