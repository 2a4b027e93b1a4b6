/** The strategies that ship, by name. Each is loaded when it is first used. */
import type { StrategyEntry } from '../kernel/kernel.ts'

export const STRATEGIES: ReadonlyMap<string, StrategyEntry> = new Map<string, StrategyEntry>([
  [
    'fractal',
    {
      version: 1,
      summary: 'thinks, plans in words, calls sub-goals one after the other, and judges what came of them',
      load: async () => (await import('./fractal/index.ts')).fractal as never,
    },
  ],
  [
    'minimal',
    {
      version: 1,
      summary: 'the model moves freely: plan, call, tool, ask, return; the smallest strategy there is',
      load: async () => (await import('./minimal/index.ts')).minimal as never,
    },
  ],
])

export const DEFAULT_STRATEGY = 'fractal'
