/** A start with a known id attaches to that run, so the caller must mean the same run. */
import { type Goal, isObject, type RunStart, stableJson, ThinkonError } from '../protocol/index.ts'

export interface AskedRun {
  readonly id: string
  readonly goal: Goal
  /** Compared if the caller names one. */
  readonly strategy?: string | undefined
  /** Those that the caller sets are compared. */
  readonly options?: unknown
}

/** Throws BAD_INPUT, with `conflict`, if the run was started with another goal, strategy or option. */
export function requireSameRun(start: RunStart, { id, goal, strategy, options }: AskedRun): void {
  const recorded = isObject(start.options) ? start.options : {}
  const set = Object.entries(isObject(options) ? options : {}).filter(([, value]) => value !== undefined)
  const isOther = (one: unknown, other: unknown) => stableJson(one) !== stableJson(other)
  const others = [
    ...(isOther(start.goal, goal) ? ['goal'] : []),
    ...(strategy !== undefined && start.strategy.split('@')[0] !== strategy ? ['strategy'] : []),
    ...set.filter(([key, value]) => isOther(recorded[key], value)).map(([key]) => `option "${key}"`),
  ]
  if (others.length === 0) return
  const message = `there is a run "${id}" already, with another ${others.join(', ')}: choose another id`
  throw new ThinkonError('BAD_INPUT', message, { data: { run: id, conflict: true } })
}
