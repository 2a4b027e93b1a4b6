import type { StrategyModule } from '../strategy-module.ts'

export const auto: StrategyModule = {
  name: 'auto',
  version: 2,
  summary: 'looks at what the goal needs and picks one of the others: by rules, or by one cheap model call',
  load: async () => (await import('./strategy.ts')).auto,
  view: async () => (await import('./views/index.ts')).view,
}
