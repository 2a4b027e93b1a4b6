/** How hard the loop looks back at what it has just done. */
import type { ReflectionLevel } from '../notes.ts'

export const REFLECTION_LEVELS: readonly ReflectionLevel[] = [
  'none',
  'minimal',
  'standard',
  'deep',
  'critical',
]

export const REFLECTION_INTERVAL = 8

export interface LastIteration {
  /** Whether reflection is switched on. */
  readonly enabled: boolean
  /** From 1. */
  readonly iteration: number
  /** The action failed. */
  readonly failed: boolean
  /** Spins of this loop up to now when this iteration spins, itself included; otherwise 0. */
  readonly spins: number
}

export function reflectionLevel({ enabled, iteration, failed, spins }: LastIteration): ReflectionLevel {
  if (!enabled) return 'none'
  if (failed) return 'critical'
  if (spins > 1) return 'deep'
  if (spins === 1 || iteration % REFLECTION_INTERVAL === 0) return 'standard'
  return 'minimal'
}

/** The lower levels take no call: there is nothing to say that the prompt does not have already. */
export function asksModel(level: ReflectionLevel): boolean {
  return REFLECTION_LEVELS.indexOf(level) >= REFLECTION_LEVELS.indexOf('standard')
}
