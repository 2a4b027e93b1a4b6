/** The strategies that ship, by name. Each is loaded when it is first used. */
import type { StrategyEntry } from '../kernel/kernel.ts'

export const STRATEGIES: ReadonlyMap<string, StrategyEntry> = new Map([
  ['fractal', { version: 1, load: async () => (await import('./fractal/index.ts')).fractal as never }],
  ['minimal', { version: 1, load: async () => (await import('./minimal/index.ts')).minimal as never }],
])

export const DEFAULT_STRATEGY = 'fractal'
