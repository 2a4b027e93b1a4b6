import type { StrategyModule } from '../strategy-module.ts'

export type { FractalOptions } from './schema.ts'

export const fractal: StrategyModule = {
  name: 'fractal',
  version: 4,
  summary: 'thinks, plans in words, calls sub-goals one after another, and judges their results',
  load: async () => (await import('./strategy.ts')).fractal,
  view: async () => (await import('./view.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}
