import type { StrategyModule } from '../strategy-module.ts'

export type { MinimalOptions, Move } from './schema.ts'

export const minimal: StrategyModule = {
  name: 'minimal',
  version: 3,
  summary: 'lets the model move freely: plan, call, tool, ask, return; the smallest strategy',
  load: async () => (await import('./strategy.ts')).minimal,
  view: async () => (await import('./view.ts')).view,
  embedded: async () => (await import('./embedded.ts')).embedded,
}
