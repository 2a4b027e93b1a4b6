import type { StrategyModule } from '../strategy-module.ts'

export const planner: StrategyModule = {
  name: 'planner',
  version: 1,
  summary:
    'plans the next block through two gates (evidence, ability), executes, and reflects on the four parts of a goal',
  load: async () => (await import('./strategy.ts')).planner,
  view: async () => (await import('./view.ts')).view,
  abacus: async () => (await import('./abacus.ts')).abacus,
}
